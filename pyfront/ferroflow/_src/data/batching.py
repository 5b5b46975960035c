"""Transformations that join elements to batches, and take batches apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import BoolLike, IntsLike, NestedShapes, TensorLike
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.dataset import Dataset, OpDataset
from ferroflow._src.data.dataset_base import structure_of
from ferroflow._src.data.element_function import ElementFunction, called
from ferroflow._src.data.padding import shape_tensor
from ferroflow._src.data.structure import Structure, converted
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import ensure_shape

Transformation = Callable[[Dataset], Dataset]


def batch_and_drop_remainder(batch_size: TensorLike) -> Transformation:
    """Returns a transformation that makes batches, and drops a smaller last one.

    Args:
        batch_size: int64 scalar, elements of a batch.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: TensorLike, padded_shapes: NestedShapes, padding_values: object = None
) -> Transformation:
    """Returns a transformation: `Dataset.padded_batch` without a last batch that is smaller.

    Args:
        batch_size: int64 scalar, elements of a batch.
        padded_shapes: structure of shapes, as for `Dataset.padded_batch`.
        padding_values: structure of scalars, as for `Dataset.padded_batch`.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        TypeError, ValueError: on the same conditions as `Dataset.padded_batch`.
    """
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def dense_to_sparse_batch(batch_size: TensorLike, row_shape: Any) -> Transformation:
    """Returns a transformation that makes batches of elements with several shapes as SparseTensors.

    Args:
        batch_size: int64 scalar, elements of a batch.
        row_shape: shape that no element exceeds; a dimension of None is as large as the batch's largest element.

    Returns:
        A function from a Dataset to a Dataset of SparseTensors of its dtype, of shape [batch, ...], for
        `Dataset.apply`.

    Raises:
        TypeError: if elements have more than one component.
    """

    def apply(dataset: Dataset) -> Dataset:
        if not isinstance(dataset.output_types, dtypes.DType):
            raise TypeError(
                "DenseToSparseDataset requires an input whose elements have a single component, whereas the input has "
                f"{dataset.output_types!r}."
            )
        shape = TensorShape([None]).concatenate(TensorShape(row_shape))
        structure = Structure(dataset.output_types, shape, SparseTensor)
        return OpDataset("DenseToSparseBatchDataset", [dataset, batch_size, shape_tensor(row_shape)], structure)

    return apply


def sliding_window_batch(window_size: TensorLike, stride: IntsLike = 1) -> Transformation:
    """Returns a transformation: batches of `window_size` elements, each beginning `stride` elements after the one
    before.

    Args:
        window_size: int64 scalar, elements of a batch.
        stride: int64 scalar in [1, window_size), elements from the beginning of one batch to that of the next.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """

    def apply(dataset: Dataset) -> Dataset:
        size = convert_to_tensor(window_size, dtype=dtypes.int64, name="window_size")
        step = convert_to_tensor(stride, dtype=dtypes.int64, name="stride")
        structure = structure_of(dataset)
        shapes = nest.map_structure(TensorShape([None]).concatenate, structure.shapes)
        return OpDataset("SlideDataset", [dataset, size, step], structure._replace(shapes=shapes))

    return apply


def unbatch() -> Transformation:
    """Returns a transformation: the rows of elements as elements.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if a component is a scalar, or first dimensions differ.
    """
    return lambda dataset: dataset.unbatch()


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: TensorLike | None = None,
    drop_remainder: BoolLike = False,
    num_parallel_calls: TensorLike | None = None,
) -> Transformation:
    """Returns a transformation: `Dataset.map` and then `Dataset.batch`, several elements being computed at a time.

    Args:
        map_func: as for `Dataset.map`.
        batch_size: int64 scalar, elements of a batch.
        num_parallel_batches: int, how many batches are computed at a time; by default 1.
        drop_remainder: If True, a smaller last batch is left out.
        num_parallel_calls: int64 scalar, how many elements are computed at a time, instead.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if both numbers are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive.")

    def apply(dataset: Dataset) -> Dataset:
        f = ElementFunction(lambda e: called(map_func, e), [structure_of(dataset)], "tf_map_func")
        size = convert_to_tensor(batch_size, dtype=dtypes.int64, name="batch_size")
        if num_parallel_calls is not None:
            calls = num_parallel_calls
        else:
            batches: Any = batch_size
            calls = batches if num_parallel_batches is None else batches * num_parallel_batches
        count = convert_to_tensor(calls, dtype=dtypes.int64, name="num_parallel_calls")
        drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
        known = constant_value(size) if constant_value(drop) else None
        first = TensorShape([None if known is None else int(known)])
        structure = f.structure._replace(shapes=nest.map_structure(first.concatenate, f.structure.shapes))
        inputs = [dataset, f, size, count, drop]
        attrs = {"f": f, "preserve_cardinality": True}
        return OpDataset("MapAndBatchDataset", inputs, structure, attrs, kind="_MapAndBatchDataset")

    return apply


def map_and_batch_with_legacy_function(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: TensorLike | None = None,
    drop_remainder: BoolLike = False,
    num_parallel_calls: TensorLike | None = None,
) -> Transformation:
    """Returns a transformation: `Dataset.map` and then `Dataset.batch`, as `map_and_batch`.

    Args:
        map_func: callable, as for `Dataset.map`.
        batch_size: int64 scalar, elements of a batch.
        num_parallel_batches: int, how many batches are computed at a time; by default 1.
        drop_remainder: If True, a smaller last batch is left out.
        num_parallel_calls: int64 scalar, how many elements are computed at a time, instead.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.

    Raises:
        ValueError: if both numbers are given.
    """
    return map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


def assert_element_shape(expected_shapes: object) -> Transformation:
    """Returns a transformation that checks the elements' shapes, and sets them as static shapes.

    Args:
        expected_shapes: structure of shapes.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """

    def apply(dataset: Dataset) -> Dataset:
        def checked(*elements: Any) -> Any:
            element = elements if len(elements) > 1 else elements[0]
            pairs = zip(nest.flatten(converted(element)), nest.flatten(expected_shapes), strict=True)
            tensors: list[Tensor] = [ensure_shape(t, s) for t, s in pairs]
            return nest.pack_sequence_as(element, tensors)

        return dataset.map(checked)

    return apply
