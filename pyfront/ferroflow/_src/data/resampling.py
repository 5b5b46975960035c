"""`rejection_resample`: elements left out so that classes have given proportions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import FloatLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.data.batching import unbatch
from ferroflow._src.data.dataset import Dataset, scanned
from ferroflow._src.data.interleaving import sample_from_datasets
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.making import fill, one_hot
from ferroflow._src.ops.array.shaping import expand_dims, shape as shape_of, tile
from ferroflow._src.ops.flow.printing import Print
from ferroflow._src.ops.math.arithmetic import truediv
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less
from ferroflow._src.ops.math.reduction import reduce_max, reduce_min, reduce_sum
from ferroflow._src.ops.random.sampling import random_uniform

# Elements from which the proportions are estimated again, and those that each class is supposed to have had before.
_ESTIMATED_FROM = 32
_SUPPOSED = 10


def rejection_resample(
    class_func: Callable[..., Any], target_dist: FloatLike, initial_dist: FloatLike | None = None, seed: Any = None
) -> Callable[[Dataset], Dataset]:
    """Returns a transformation: pairs of a class and an element, elements being left out so that classes have the
    target proportions.

    Args:
        class_func: gives an int scalar, the class, for an element.
        target_dist: float [classes], the target proportions.
        initial_dist: float [classes], the proportions in the dataset; estimated if it is None.
        seed: int, the op's seed.

    Returns:
        A function from a Dataset to a Dataset of pairs, for `Dataset.apply`.
    """

    def apply(dataset: Dataset) -> Dataset:
        target = convert_to_tensor(target_dist, name="target_dist")
        classes = dataset.map(class_func)
        known: Any = None
        if initial_dist is None:
            initial = _estimated(target, classes)
            both = initial.map(lambda dist: _acceptance(dist, target))
            acceptance, original = both.map(lambda a, _: a), both.map(lambda _, p: p)
        else:
            given = convert_to_tensor(initial_dist, name="initial_dist")
            accepted, kept = _acceptance(given, target)
            initial = Dataset.from_tensors(given).repeat()
            acceptance = Dataset.from_tensors(accepted).repeat()
            original = Dataset.from_tensors(kept).repeat()
            values = constant_value(given), constant_value(target)
            if all(v is not None for v in values):
                known = np.min(values[1] / values[0])
        acceptance = Dataset.zip((acceptance, initial)).map(_told_if_low)
        with_chance = Dataset.zip((classes, acceptance, dataset)).map(lambda c, a, e: (c, gather(a, c), e))
        chosen = with_chance.filter(lambda _, chance, __: random_uniform([], seed=seed, dtype=chance.dtype) < chance)
        filtered = chosen.map(lambda c, _, e: (c, e)).prefetch(3)
        if known == 0:
            return filtered
        labelled = Dataset.zip((classes, dataset))
        if known == 1:
            return labelled
        weights = original.map(lambda p: [(p, 1.0 - p)])
        return sample_from_datasets([labelled, filtered], weights=weights, seed=seed)

    return apply


def _estimated(target: Tensor, classes: Dataset) -> Dataset:
    """Returns the proportions of the classes up to each element."""
    known = target.shape[0].value
    count = known if known is not None else shape_of(target)[0]

    def count_up(seen: Tensor, batch: Tensor) -> tuple[Tensor, Tensor]:
        seen = seen + reduce_sum(one_hot(batch, count, dtype=dtypes.int64), 0)
        proportions = cast(truediv(seen, reduce_sum(seen)), dtypes.float32)
        return seen, tile(expand_dims(proportions, 0), [_ESTIMATED_FROM, 1])

    before = fill([count], np.int64(_SUPPOSED))
    return scanned(classes.batch(_ESTIMATED_FROM), before, count_up).apply(unbatch())


def _told_if_low(acceptance: Tensor, initial: Tensor) -> Tensor:
    """`acceptance`, which the first steps print where less than half of the elements will be kept."""
    rejected = reduce_sum((1 - acceptance) * initial)

    def printed() -> Tensor:
        message = "Proportion of examples rejected by sampler is high: "
        return Print(acceptance, [rejected, initial, acceptance], message=message, summarize=100, first_n=10)

    result: Tensor = cond(less(rejected, 0.5), lambda: acceptance, printed)
    return result


def _acceptance(initial: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the probability that each class is kept, and the fraction of elements that needs no selection.

    Let r = target / initial be the ratios of the classes. The fraction min(r) of the elements is kept unconditionally;
    of the others, a class is kept with probability `(r - min(r)) / (max(r) - min(r))`. The mixture is then proportional
    to r.
    """
    ratio = target / (initial + np.finfo(initial.dtype.as_numpy_dtype).tiny)
    low, high = reduce_min(ratio), reduce_max(ratio)
    return (ratio - low) / (high - low), low
