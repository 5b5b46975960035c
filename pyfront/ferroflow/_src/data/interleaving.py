"""`parallel_interleave`, `sample_from_datasets`, `choose_from_datasets`: interleaved elements of several datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import BoolLike, IntLike, ListLike, TensorLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset import Dataset, OpDataset
from ferroflow._src.data.dataset_base import structure_of
from ferroflow._src.data.dataset_functions import dataset_function
from ferroflow._src.data.transformations import RandomDataset
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.ops.array.shaping import expand_dims, squeeze
from ferroflow._src.ops.math.elementwise import log
from ferroflow._src.ops.random.stateless import stateless_multinomial


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: int,
    block_length: int = 1,
    sloppy: BoolLike = False,
    buffer_output_elements: TensorLike | None = None,
    prefetch_input_elements: TensorLike | None = None,
) -> Callable[[Dataset], Dataset]:
    """Returns a transformation: as `Dataset.interleave`, the datasets that take turns being read ahead in threads of
    their own.

    Args:
        map_func: gives a Dataset for an element.
        cycle_length: int, how many datasets take turns.
        block_length: int64 scalar, elements in a turn.
        sloppy: permits another order; the order is the same nevertheless.
        buffer_output_elements: int64 scalar, elements that each dataset is read ahead; by default two turns.
        prefetch_input_elements: accepted for compatibility.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """

    def apply(dataset: Dataset) -> Dataset:
        f = dataset_function(dataset, map_func)

        def number(value: TensorLike | None, default: Any, name: str) -> Any:
            return convert_to_tensor(default if value is None else value, dtype=dtypes.int64, name=name)

        inputs = [
            dataset,
            f,
            number(cycle_length, 1, "cycle_length"),
            number(block_length, 1, "block_length"),
            convert_to_tensor(sloppy, dtype=dtypes.bool, name="sloppy"),
            number(buffer_output_elements, 2 * block_length, "buffer_output_elements"),
            number(prefetch_input_elements, 2 * cycle_length, "prefetch_input_elements"),
        ]
        return OpDataset("ParallelInterleaveDataset", inputs, f.structure, {"f": f})

    return apply


def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: int, block_length: int = 1
) -> Callable[[Dataset], Dataset]:
    """Deprecated: use `parallel_interleave` with `sloppy=True`.

    Args:
        map_func: gives a Dataset for an element.
        cycle_length: int, how many datasets take turns.
        block_length: int64 scalar, elements in a turn.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def directed_interleave(selector: Dataset, datasets: Any) -> Dataset:
    """Returns elements of several datasets, each from the one whose number `selector` gives; one that has ended is
    passed over.

    Args:
        selector: Dataset of int64 scalars.
        datasets: list of datasets whose elements have one structure.

    Raises:
        TypeError: if types or classes of elements differ.
    """
    first = structure_of(datasets[0])
    shapes = nest.flatten(first.shapes)
    for dataset in datasets[1:]:
        if dataset.output_types != first.types or dataset.output_classes != first.classes:
            raise TypeError("All datasets must have the same type.")
        pairs = zip(shapes, nest.flatten(dataset.output_shapes), strict=True)
        shapes = [a.most_specific_compatible_shape(b) for a, b in pairs]
    structure = first._replace(shapes=nest.pack_sequence_as(first.shapes, shapes))
    return OpDataset("DirectedInterleaveDataset", [selector, list(datasets)], structure)


def sample_from_datasets(datasets: ListLike, weights: Any = None, seed: IntLike | None = None) -> Dataset:
    """Returns elements of several datasets, each from one that is drawn at random.

    Args:
        datasets: list of datasets whose elements have one structure.
        weights: float vector, or a Dataset of such, in proportion to which datasets are drawn; by default all alike.
        seed: int or int64 scalar; with the graph's seed it determines the random numbers.

    Returns:
        Dataset.

    Raises:
        TypeError: if types or classes of elements differ, or weights are not floats.
        ValueError: if there are not as many weights as datasets.
    """

    def select(row: Any, seeds: Any) -> Any:
        return squeeze(stateless_multinomial(row, 1, seed=seeds), axis=[0, 1])

    if isinstance(weights, Dataset):
        varying = weights.map(lambda *p: log(p, name="logits"))
        return directed_interleave(Dataset.zip((varying, RandomDataset(seed).batch(2))).map(select), datasets)
    logits: Any = [[1.0] * len(datasets)]
    if weights is not None:
        tensor = convert_to_tensor(weights, name="weights")
        if tensor.dtype not in (dtypes.float32, dtypes.float64):
            raise TypeError("`weights` must be convertible to a tensor of `tf.float32` or `tf.float64` elements.")
        if not tensor.shape.is_compatible_with([len(datasets)]):
            raise ValueError("`weights` must be a vector of length `len(datasets)`.")
        logits = expand_dims(log(tensor, name="logits"), 0)
    if len(datasets) == 1:
        only: Dataset = datasets[0]
        return only
    return directed_interleave(RandomDataset(seed).batch(2).map(lambda seeds: select(logits, seeds)), datasets)


def choose_from_datasets(datasets: ListLike, choice_dataset: Dataset) -> Dataset:
    """Returns elements of several datasets, each from the one whose number another dataset gives.

    Args:
        datasets: list of datasets whose elements have one structure.
        choice_dataset: Dataset of int64 scalars.

    Returns:
        Dataset.

    Raises:
        TypeError: if types or classes of elements differ, or `choice_dataset` does not consist of int64 scalars.
    """
    if choice_dataset.output_types != dtypes.int64 or not choice_dataset.output_shapes.is_compatible_with([]):
        raise TypeError("`choice_dataset` must be a dataset of scalar `tf.int64` tensors.")
    return directed_interleave(choice_dataset, datasets)
