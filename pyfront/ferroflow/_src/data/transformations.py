"""Transformations of `tf.contrib.data` that keep elements one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, IntLike, TensorLike
from ferroflow._src.data.dataset import Dataset, OpDataset, scanned, single_element
from ferroflow._src.data.dataset_base import structure_of, variant_of
from ferroflow._src.data.dataset_functions import decision
from ferroflow._src.data.element_function import ElementFunction, called
from ferroflow._src.data.seeds import seed_tensors
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor

Transformation = Callable[[Dataset], Dataset]


def scan(initial_state: object, scan_func: Callable[..., Any]) -> Transformation:
    """Returns a transformation: the outputs of a function that takes a state and an element to the next state and an
    output.

    Args:
        initial_state: structure of tensors, of any dtypes and shapes.
        scan_func: called with a state and an element; returns the next state and an output.

    Returns:
        A function from a Dataset to a Dataset of outputs, for `Dataset.apply`.

    Raises:
        TypeError: if `scan_func` returns no pair, or a state of other types.
    """
    return lambda dataset: scanned(dataset, initial_state, scan_func)


def Counter(start: Any = 0, step: Any = 1, dtype: DTypeLike = dtypes.int64) -> Dataset:  # noqa: N802  # TF1's spelling
    """Returns a dataset of numbers from `start` on, `step` apart, without end.

    Args:
        start: scalar of `dtype`, the first number.
        step: scalar of `dtype`, the difference between neighbours.
        dtype: DType of the numbers, of integers or floats.

    Returns:
        Dataset of `dtype` scalars.
    """
    with name_scope("counter"):
        first = convert_to_tensor(start, dtype=dtype, name="start")
        distance = convert_to_tensor(step, dtype=dtype, name="step")
        forever = Dataset.from_tensors(0).repeat(None)
        return scanned(forever, first, lambda state, _: (state + distance, state))


def RandomDataset(seed: IntLike | None = None) -> Dataset:  # noqa: N802  # TF1's spelling
    """Returns a dataset of random int64 numbers in [0, 2**32), without end.

    Args:
        seed: int or int64 scalar; with the graph's seed it decides the numbers.

    Returns:
        Dataset of int64 scalars.
    """
    return OpDataset("RandomDataset", list(seed_tensors(seed)), Structure(dtypes.int64, TensorShape([]), Tensor))


def enumerate_dataset(start: TensorLike = 0) -> Transformation:
    """Returns a transformation to pairs of an int64 number, from `start` on, and an element.

    Args:
        start: int64 scalar, the first number.

    Returns:
        A function from a Dataset to a Dataset of pairs, for `Dataset.apply`.
    """
    return lambda dataset: dataset._enumerate(start)


def ignore_errors() -> Transformation:
    """Returns a transformation: the elements that are made without an error.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return lambda dataset: OpDataset("IgnoreErrorsDataset", [dataset], structure_of(dataset))


def unique() -> Transformation:
    """Returns a transformation: the first of each number or string.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        TypeError: if elements are not single int32, int64 or string.
    """

    def apply(dataset: Dataset) -> Dataset:
        if dataset.output_types not in (dtypes.int32, dtypes.int64, dtypes.string):
            raise TypeError(
                "`tf.contrib.data.unique()` only supports inputs with a single `tf.int32`, `tf.int64`, or `tf.string` "
                "component."
            )
        return OpDataset("UniqueDataset", [dataset], structure_of(dataset))

    return apply


def shuffle_and_repeat(
    buffer_size: TensorLike, count: TensorLike | None = None, seed: IntLike | None = None
) -> Transformation:
    """Returns a transformation: the dataset `count` times over (None: without end), each time in another random order.

    Args:
        buffer_size: int64 scalar, how many elements each is drawn from.
        count: int64 scalar, how often the dataset comes; None for without end.
        seed: int or int64 scalar; with the graph's seed it decides the order.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """

    def apply(dataset: Dataset) -> Dataset:
        size = convert_to_tensor(buffer_size, dtype=dtypes.int64, name="buffer_size")
        times = convert_to_tensor(-1 if count is None else count, dtype=dtypes.int64, name="count")
        inputs = [dataset, size, *seed_tensors(seed), times]
        return OpDataset("ShuffleAndRepeatDataset", inputs, structure_of(dataset), kind="_ShuffleAndRepeatDataset")

    return apply


def prefetch_to_device(device: Any, buffer_size: Any = None) -> Transformation:
    """Returns a transformation: the dataset itself, read ahead; all devices are one processor.

    Args:
        device: accepted for compatibility.
        buffer_size: elements that are read ahead; by default as many as it takes.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    del device
    return lambda dataset: dataset.prefetch(buffer_size)


def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Transformation:
    """Returns a transformation: the dataset itself; all devices are one processor.

    Args:
        target_device: accepted for compatibility.
        source_device: accepted for compatibility.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    del target_device, source_device
    return lambda dataset: dataset


def get_single_element(dataset: Dataset) -> Any:
    """Returns the only element of a dataset, as tensors.

    Args:
        dataset: Dataset of one element.

    Returns:
        Structure of Tensors and SparseTensors of the dtypes and shapes of the element.

    Raises:
        TypeError: if `dataset` is not a Dataset.
        tf.errors.InvalidArgumentError: when the step runs, if the dataset does not have exactly one element.
    """
    return single_element(dataset)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """Returns a transformation: the elements before the first one for which a function is false.

    Args:
        predicate: called as `map_func` of `Dataset.map`; returns a bool scalar.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if `predicate` does not return a bool scalar.
    """

    def apply(dataset: Dataset) -> Dataset:
        structure = structure_of(dataset)
        f = ElementFunction(lambda e: called(predicate, e), [structure], "tf_predicate", decision)
        return OpDataset("TakeWhileDataset", [dataset, f], structure, {"predicate": f})

    return apply


INFINITE_CARDINALITY = -1


def cardinality(dataset: Dataset) -> Tensor:
    """Returns the number of a dataset's elements, as far as it is known without making them.

    Args:
        dataset: Dataset.

    Returns:
        Tensor of int64, of shape []: the number, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`.
    """
    return tensor_op("DatasetCardinality", [variant_of(dataset)])
