"""Arrays: in the order of names, with weights, and cut into batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base.typing import BoolLike, NestedTensors
from ferroflow._src.framework.handles import Tensor

Batch = tuple[list[Any], list[Any], list[Any]]


def in_order(given: NestedTensors | None, names: Sequence[str], what: str) -> list[Any]:
    """Returns the values for `names`, in their order.

    Args:
        given: array or Tensor, list of them, or dict of them by name, or None.
        names: the names.
        what: str, the name for messages.

    Raises:
        ValueError: if the number of values is wrong, or one is missing.
    """
    if given is None:
        given = []
    elif isinstance(given, dict):
        missing = [name for name in names if name not in given]
        if missing:
            raise ValueError(f'No data provided for "{missing[0]}". Need data for each key in: {list(names)}')
        given = [given[name] for name in names]
    elif not isinstance(given, (list, tuple)) or not (len(names) > 1 or _holds_one_array(given)):
        given = [given]
    if len(given) != len(names):
        side = "target" if what == "outputs" else "input"
        raise ValueError(
            f"Error when checking model {side}: the list of Numpy arrays that you are passing to your model is not the "
            f"size the model expected. Expected to see {len(names)} array(s), but instead got the following list of "
            f"{len(given)} arrays: {str(given)[:200]}..."
        )
    return list(given)


def as_arrays(given: NestedTensors | None, names: Sequence[str], what: str) -> list[Any]:
    """Returns arrays in the order of names.

    Args:
        given: array, list of them, or dict of them by name, or None.
        names: the names.
        what: str, the name for messages.

    Raises:
        ValueError: if the number of values is wrong, or one is missing.
    """
    return [np.asarray(array) for array in in_order(given, names, what)]


def _holds_one_array(given: Sequence[Any]) -> bool:
    return len(given) == 1 and hasattr(given[0], "shape")


def with_column(array: Any) -> Any:
    """Returns an array of at least two dimensions: numbers become rows of one number."""
    return array[:, None] if array.ndim == 1 else array


def check_shape(array: Any, tensor: Any, name: str, what: str) -> None:
    """Raises ValueError unless an array can be fed.

    Args:
        array: numpy.ndarray.
        tensor: Tensor, which is fed.
        name: str, the name of the input or output for messages.
        what: str, "input" or "target".

    Raises:
        ValueError: if the array has another shape.
    """
    shape = tensor.get_shape()
    if shape.ndims is None:
        return
    # Sizes are compared as numbers, since each batch is checked.
    sizes, given = shape.as_list()[1:], array.shape[1:]
    if len(sizes) != len(given):
        raise ValueError(
            f"Error when checking {what}: expected {name} to have {len(sizes) + 1} dimensions, but got array with "
            f"shape {array.shape}"
        )
    if any(size not in (None, n) for size, n in zip(sizes, given, strict=True)):
        raise ValueError(
            f"Error when checking {what}: expected {name} to have shape {tuple(sizes)} but got array with shape {given}"
        )


def weights_of(
    labels: Sequence[Any],
    names: Sequence[str],
    modes: Sequence[Any],
    sample_weight: NestedTensors | None,
    class_weight: Any,
) -> list[Any]:
    """Returns the weights of examples, or of steps, for the labels of each output; an empty list if none are given.

    Args:
        labels: list of arrays.
        names: the outputs' names.
        modes: each output's `sample_weight_mode`.
        sample_weight: array, list of them, or dict of them by name; None for 1.
        class_weight: dict from the numbers of classes to weights, or list of such, or dict of such by name; None for 1.

    Raises:
        ValueError: if weights have another shape than `modes` requires or are those of no output, or a class has no
            weight.
        TypeError: if weights of several outputs are neither in a list nor in a dict.
    """
    given = _of_outputs(sample_weight, names, "sample_weight")
    classes = _of_outputs(class_weight, names, "class_weight")
    if all(one is None for one in [*given, *classes]):
        return []
    found = []
    for array, mode, weights, of_classes in zip(labels, modes, given, classes, strict=True):
        rank = 1 if mode is None else 2
        if mode is not None and array.ndim < 3:
            raise ValueError(
                f"Found a sample_weight array for an input with shape {array.shape}. Timestep-wise sample weighting "
                '(use of sample_weight_mode="temporal") is restricted to outputs that are at least 3D, i.e. that have '
                "a time dimension."
            )
        ones = np.ones(array.shape[:rank], np.float32)
        weights = ones if weights is None else np.asarray(weights)
        if weights.ndim != rank:
            raise ValueError(
                f"Found a sample_weight array with shape {weights.shape}. In order to use timestep-wise sample "
                + (
                    'weights, you should specify sample_weight_mode="temporal" in compile(). If you just mean to use '
                    "sample-wise weights, make sure your sample_weight array is 1D."
                    if mode is None
                    else "weighting, you should pass a 2D sample_weight array."
                )
            )
        if weights.shape != ones.shape:
            raise ValueError(
                f"Found a sample_weight array with shape {weights.shape} for an input with shape {array.shape}. "
                "sample_weight cannot be broadcast."
            )
        found.append(weights if of_classes is None else weights * _class_weights(array, of_classes))
    return found


def _of_outputs(given: Any, names: Sequence[str], what: str) -> list[Any]:
    """Returns the weights of each output, None for an output without weights.

    Raises:
        ValueError: if there are weights of an unknown output, or a list has another length.
        TypeError: if weights of several outputs are neither in a list nor in a dict.
    """
    if given is None or (isinstance(given, dict) and not given):
        return [None] * len(names)
    if len(names) == 1:
        if isinstance(given, (list, tuple)) and len(given) == 1 and not isinstance(given[0], (int, float)):
            return list(given)
        # The keys of weights of classes may be the classes' numbers.
        if not isinstance(given, dict) or (names[0] not in given and what == "class_weight"):
            return [given]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(
                f"Provided `{what}` was a list of {len(given)} elements, but the model has {len(names)} outputs. You "
                f"should provide one `{what}`array per model output."
            )
        return list(given)
    if isinstance(given, dict):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(
                f"Unknown entries in {what} dictionary: {unknown}. Only expected following keys: {list(names)}"
            )
        return [given.get(name) for name in names]
    raise TypeError(
        f"The model has multiple outputs, so `{what}` should be either a list or a dict. Provided `{what}` type not "
        f"understood: {given}"
    )


def _class_weights(labels: Any, weights: Any) -> Any:
    if labels.ndim > 2:
        raise ValueError("`class_weight` not supported for 3+ dimensional targets.")
    classes = labels[:, 0] if labels.shape[-1] == 1 else labels.argmax(-1)
    missing = sorted({int(c) for c in np.unique(classes)} - set(weights))
    if missing:
        raise ValueError(
            f"`class_weight` must contain all classes in the data. The classes {missing} exist in the data but not in "
            "`class_weight`."
        )
    return np.array([weights[int(c)] for c in classes], np.float32)


def check_lengths(inputs: Sequence[Any], targets: Sequence[Any] = (), weights: Sequence[Any] | None = None) -> None:
    """Raises ValueError unless all arrays have the same number of examples.

    Args:
        inputs: list of numpy.ndarrays; Tensors and None are not checked.
        targets: list of numpy.ndarrays, the labels.
        weights: list of numpy.ndarrays, the weights of examples, or None.

    Raises:
        ValueError: if the arrays have different ones.
    """
    checked = [
        [array for array in arrays or () if array is not None and not isinstance(array, Tensor)]
        for arrays in (inputs, targets, weights)
    ]
    counts = [sorted({len(array) for array in arrays}) for arrays in checked]
    kinds = ("input arrays (x)", "target arrays (y)", "sample_weight arrays")
    for arrays, found, kind in zip(checked, counts, kinds, strict=True):
        if len(found) > 1:
            raise ValueError(
                f"All {kind} should have the same number of samples. Got array shapes: "
                f"{[array.shape for array in arrays]}"
            )
    of_inputs, of_targets, of_weights = counts
    if of_inputs and of_targets and of_inputs != of_targets:
        raise ValueError(
            "Input arrays should have the same number of samples as target arrays. Found "
            f"{of_inputs[0]} input samples and {of_targets[0]} target samples."
        )
    if of_targets and of_weights and of_targets != of_weights:
        raise ValueError(
            "Sample_weight arrays should have the same number of samples as target arrays. Got "
            f"{of_targets[0]} input samples and {of_weights[0]} target samples."
        )


def places(count: int, batch_size: int, shuffle: BoolLike, agreed: Callable[[Any], Any] | None = None) -> Iterator[Any]:
    """Yields the places of the examples of batch after batch.

    Args:
        count: the number of examples.
        batch_size: the number of examples of a batch.
        shuffle: If True, they are in NumPy's random order; "batch" for batches of neighbours in random order.
        agreed: callable that returns the first process's value on all processes that train together; None for one.
    """
    order = np.arange(count)
    starts = [i * batch_size for i in range(-(-count // batch_size))]
    if isinstance(shuffle, str) and shuffle == "batch":
        # The last batch, which may be smaller, stays the last one.
        whole = count // batch_size
        starts = [starts[i] for i in np.random.permutation(whole)] + starts[whole:]
    elif shuffle:
        np.random.shuffle(order)
    if shuffle and agreed is not None:
        starts, order = agreed((starts, order))
    for start in starts:
        yield order[start : start + batch_size]


def part_of(batch: Batch, chosen: Any) -> Batch:
    """Returns some of the examples of inputs, labels and weights."""
    inputs, labels, weights = ([a[chosen] for a in arrays] for arrays in batch)
    return inputs, labels, weights


class Average:
    """Means of values over batches, weighted by the batches' sizes.

    Args:
        stateful: the places of the values that add up over batches themselves: the last one counts.
    """

    def __init__(self, stateful: Sequence[int] = ()) -> None:
        self._totals: Any = 0.0
        self._count = 0
        self._stateful, self._last = list(stateful), list[Any]()

    def add(self, values: Sequence[Any], size: int) -> None:
        """Adds the values of a batch."""
        # A value that adds up itself may be a vector, such as counts at several thresholds.
        added = [0.0 if place in self._stateful else value for place, value in enumerate(values)]
        self._totals = self._totals + np.asarray(added, np.float64) * size
        self._count += size
        self._last = [values[place] for place in self._stateful]

    def values(self) -> list[Any]:
        """Returns the means as numbers of NumPy's float64, and values that add up as they are; none without a batch."""
        if not self._count:
            return []
        found = list(np.asarray(self._totals) / self._count)
        for place, value in zip(self._stateful, self._last, strict=True):
            found[place] = value
        return found
