"""Broadcasting of ragged tensors: their shapes, of which a dimension is a size or the lengths of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math import comparison, reduction
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.ragged.arguments import as_ragged, convert_to_tensor_or_ragged_tensor, rows_of
from ferroflow._src.ops.ragged.row_splits import (
    INDEX_TYPES,
    convert_to_int_tensor,
    lengths_to_splits,
    repeat_ranges,
)
from ferroflow._src.ops.ragged.shaping import tile
from ferroflow._src.ops.ragged.tensor import RaggedTensor


class RaggedTensorDynamicShape:
    """The shape of a dense or ragged tensor, known in a step.

    Args:
        partitioned_dim_sizes: list of Tensors of int32 or int64, for the dimensions up to the last ragged one. A
            uniform dimension has a size of shape []. A ragged one has the lengths of its rows, of shape [rows].
        inner_dim_sizes: Tensor of int32 or int64, of shape [n]: the sizes of the dimensions behind them.
        dim_size_dtype: DType of all sizes, int32 or int64; None for that of the ragged dimensions.

    Raises:
        ValueError: if the first partitioned dimension is ragged, the last one is uniform, or dtypes differ.
    """

    def __init__(
        self, partitioned_dim_sizes: Sequence[Any], inner_dim_sizes: Any, dim_size_dtype: DTypeLike | None = None
    ) -> None:
        with name_scope(None, "RaggedTensorDynamicShape", [*partitioned_dim_sizes, inner_dim_sizes]):
            sizes = [
                convert_to_tensor(size, name=f"partitioned_dimension_size_{i}")
                for i, size in enumerate(partitioned_dim_sizes)
            ]
            inner = convert_to_tensor(inner_dim_sizes, name="inner_dim_sizes")
            for axis, size in enumerate(sizes):
                if size.shape.ndims is None:
                    raise ValueError(f"rank of partitioned_dim_sizes[{axis}] is unknown")
                size.shape.with_rank_at_most(1)
            if sizes and sizes[0].shape.ndims == 1:
                raise ValueError("outermost partitioned dimension must be uniform")
            if sizes and sizes[-1].shape.ndims == 0:
                raise ValueError("innermost partitioned dimension must be ragged")
            inner.shape.assert_has_rank(1)
            kind = dim_size_dtype or _lengths_dtype(sizes)
            self._partitioned_dim_sizes = tuple(cast(size, kind) for size in sizes)
            self._inner_dim_sizes: Tensor = cast(inner, kind)

    @staticmethod
    def from_dim_sizes(dim_sizes: Sequence[TensorLike]) -> RaggedTensorDynamicShape:
        """Returns the shape with the given dimensions.

        Args:
            dim_sizes: list of Tensors of int32 or int64: of shape [] for a uniform dimension, of shape [rows] with the
                lengths for a ragged one.

        Returns:
            RaggedTensorDynamicShape.

        Raises:
            ValueError: if a dimension has another rank.
        """
        with name_scope(None, "RaggedTensorDynamicShapeFromDimensionSizes", [dim_sizes]):
            sizes = [convert_to_tensor(size, preferred_dtype=dtypes.int64, name="dim_sizes") for size in dim_sizes]
            if any(size.shape.ndims not in (0, 1) for size in sizes):
                raise ValueError("Each dim_size must be a scalar or a vector")
            ragged = [axis for axis, size in enumerate(sizes) if size.shape.ndims == 1]
            split = ragged[-1] + 1 if ragged else 0
            return RaggedTensorDynamicShape(sizes[:split], sizes[split:])

    @classmethod
    def from_tensor(cls, rt_input: Any, dim_size_dtype: DTypeLike | None = None) -> RaggedTensorDynamicShape:
        """Returns the shape of a tensor.

        Args:
            rt_input: Tensor or RaggedTensor of any dtype and shape.
            dim_size_dtype: DType of all sizes, int32 or int64; None for that of the splits.

        Returns:
            RaggedTensorDynamicShape.
        """
        with name_scope(None, "RaggedTensorDynamicShapeFromTensor", [rt_input]):
            tensor = convert_to_tensor_or_ragged_tensor(rt_input)
            if not isinstance(tensor, RaggedTensor):
                return cls([], shaping.shape(tensor))
            outer = (tensor.nrows(), *tensor.nested_row_lengths())
            return cls(outer, shaping.shape(tensor.flat_values)[1:], dim_size_dtype=dim_size_dtype)

    def dimension_size(self, axis: int) -> Tensor:
        """Returns the size of a dimension.

        Args:
            axis: int, from 0.

        Returns:
            Tensor of shape []; of shape [rows] with the lengths for a ragged dimension.

        Raises:
            TypeError: if `axis` is not an int.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        outer = len(self._partitioned_dim_sizes)
        return self._partitioned_dim_sizes[axis] if axis < outer else self._inner_dim_sizes[axis - outer]

    def is_ragged(self, axis: int) -> bool:
        """Returns True if a dimension is ragged.

        Args:
            axis: int, from 0.

        Returns:
            bool.

        Raises:
            TypeError: if `axis` is not an int.
            ValueError: if `axis` is out of range.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise ValueError("Negative axis values are not supported")
        if self.rank is not None and axis >= self.rank:
            raise ValueError(f"Expected axis={axis} < rank={self.rank}")
        sizes = self._partitioned_dim_sizes
        return 0 < axis < len(sizes) and sizes[axis].shape.ndims == 1

    @property
    def rank(self) -> int | None:
        """The number of dimensions; None if unknown."""
        inner = self.num_inner_dimensions
        return None if inner is None else len(self._partitioned_dim_sizes) + inner

    @property
    def partitioned_dim_sizes(self) -> tuple[Tensor, ...]:
        """The dimensions up to the last ragged one."""
        return self._partitioned_dim_sizes

    @property
    def inner_dim_sizes(self) -> Tensor:
        """The sizes of the dimensions behind the last ragged one."""
        return self._inner_dim_sizes

    @property
    def num_partitioned_dimensions(self) -> int:
        """The number of dimensions up to the last ragged one."""
        return len(self._partitioned_dim_sizes)

    @property
    def num_inner_dimensions(self) -> int | None:
        """The number of dimensions behind the last ragged one; None if unknown."""
        return self._inner_dim_sizes.shape.as_list()[0]

    @property
    def dim_size_dtype(self) -> dtypes.DType:
        """The dtype of all sizes."""
        return self._inner_dim_sizes.dtype

    def broadcast_to_rank(self, rank: int) -> RaggedTensorDynamicShape:
        """Returns this shape behind dimensions of size 1.

        Args:
            rank: int, the number of dimensions of the result.

        Returns:
            RaggedTensorDynamicShape.

        Raises:
            ValueError: if the rank of this shape is unknown or higher.
        """
        if self.rank is None:
            raise ValueError("Unable to broadcast: self.rank is unknown")
        added = rank - self.rank
        if added < 0:
            raise ValueError(f"Unable to broadcast: rank={rank} must be greater than self.rank={self.rank}.")
        if added == 0:
            return self
        if self._partitioned_dim_sizes:
            return RaggedTensorDynamicShape((1,) * added + self._partitioned_dim_sizes, self._inner_dim_sizes)
        ones = making.ones([added], self.dim_size_dtype)
        return RaggedTensorDynamicShape([], joining.concat([ones, self._inner_dim_sizes], axis=0))

    def broadcast_dimension(self, axis: int, lengths: TensorLike) -> RaggedTensorDynamicShape:
        """Returns this shape with a dimension broadcast to other lengths.

        Args:
            axis: int, from 0.
            lengths: Tensor of int32 or int64, of shape [], or of shape [rows] for a ragged dimension.

        Returns:
            RaggedTensorDynamicShape. A step fails where the dimension neither has these lengths nor is 1.

        Raises:
            ValueError: if `lengths` has another rank, or the first dimension would become ragged.
        """
        sizes = convert_to_int_tensor(lengths, name="lengths", dtype=self.dim_size_dtype)
        if sizes.shape.ndims is None:
            raise ValueError("lengths must have a known rank.")
        if sizes.shape.ndims > 1:
            raise ValueError("lengths must be a scalar or vector")
        is_uniform = sizes.shape.ndims == 0
        with control_dependencies([self._assert_fits(axis, sizes)]):
            if axis < self.num_partitioned_dimensions:
                if self.is_ragged(axis):
                    inner = making.identity(self._inner_dim_sizes)
                    return RaggedTensorDynamicShape(self._partitioned_dim_sizes, inner)
                return self._with_outer_dimension(axis, sizes)
            if is_uniform:
                return self._with_inner_size(axis, sizes)
            if axis == 0:
                raise ValueError("Unable to broadcast: outermost dimension must be uniform.")
            place = axis - self.num_partitioned_dimensions
            outer = [self._inner_dim_sizes[i] for i in range(place)]
            partitioned = (*self._partitioned_dim_sizes, *outer, sizes)
            return RaggedTensorDynamicShape(partitioned, self._inner_dim_sizes[place + 1 :])

    def _assert_fits(self, axis: int, lengths: Tensor) -> Any:
        """Makes an operation that fails unless a dimension broadcasts to lengths."""
        is_uniform = lengths.shape.ndims == 0
        if self.is_ragged(axis):
            if is_uniform:
                fits = comparison.equal(lengths, 1)
            else:
                fits = reduction.reduce_all(comparison.equal(lengths, self.dimension_size(axis)))
        else:
            size = self.dimension_size(axis)
            fits = comparison.equal(size, 1)
            if is_uniform:
                fits = comparison.equal(lengths, 1) | fits | comparison.equal(size, lengths)
        message = "Unable to broadcast: dimension size mismatch in dimension"
        shown = [message, axis, "lengths=", lengths, "dim_size=", self.dimension_size(axis)]
        return Assert(fits, shown, summarize=10)

    def num_slices_in_dimension(self, axis: int) -> Tensor:
        """Returns the number of all slices down to a dimension.

        Args:
            axis: int; a negative one counts the tensor itself.

        Returns:
            Tensor of shape [].
        """
        if axis < 0:
            return constant(1, dtype=self.dim_size_dtype)
        if self.is_ragged(axis):
            return reduction.reduce_sum(self._partitioned_dim_sizes[axis])
        return self.dimension_size(axis) * self.num_slices_in_dimension(axis - 1)

    def _with_outer_dimension(self, axis: int, lengths: Tensor) -> RaggedTensorDynamicShape:
        """Returns this shape with a uniform dimension before the last ragged one broadcast to lengths."""
        size = self.dimension_size(axis)
        if lengths.shape.ndims == 0:
            lengths, repeats = (
                indexing.where(comparison.equal(size, 1), lengths, size),
                indexing.where(comparison.equal(size, 1), lengths, 1),
            )
            splits = joining.stack([0, self.num_slices_in_dimension(axis)])
        else:
            repeats = lengths
            splits = making.range(shaping.size(lengths, out_type=self.dim_size_dtype) + 1)
        sizes = [*self._partitioned_dim_sizes[:axis], lengths]
        for inner in self._partitioned_dim_sizes[axis + 1 :]:
            if inner.shape.ndims == 0:
                sizes.append(inner)
                splits *= inner
            else:
                sizes.append(repeat_ranges(inner, splits, repeats))
                splits = indexing.gather(lengths_to_splits(inner), splits)
        return RaggedTensorDynamicShape(sizes, self._inner_dim_sizes)

    def _with_inner_size(self, axis: int, length: Tensor) -> RaggedTensorDynamicShape:
        """Returns this shape with a dimension behind the last ragged one broadcast to a size."""
        size = self.dimension_size(axis)
        place = axis - self.num_partitioned_dimensions
        chosen = indexing.where(comparison.equal(size, 1), length, size)
        inner = [self._inner_dim_sizes[:place], [chosen], self._inner_dim_sizes[place + 1 :]]
        return RaggedTensorDynamicShape(self._partitioned_dim_sizes, joining.concat(inner, axis=0))

    def with_dim_size_dtype(self, dtype: DTypeLike) -> RaggedTensorDynamicShape:
        """Returns this shape with sizes of another dtype.

        Args:
            dtype: DType, int32 or int64.

        Returns:
            RaggedTensorDynamicShape.

        Raises:
            ValueError: if `dtype` is not int32 or int64.
        """
        kind = dtypes.as_dtype(dtype)
        if kind not in INDEX_TYPES:
            raise ValueError("dtype must be int32 or int64")
        if self.dim_size_dtype == kind:
            return self
        sizes = [cast(size, kind) for size in self._partitioned_dim_sizes]
        return RaggedTensorDynamicShape(sizes, cast(self._inner_dim_sizes, kind))

    def __repr__(self) -> str:
        return (
            f"RaggedTensorDynamicShape(partitioned_dim_sizes={self._partitioned_dim_sizes!r}, "
            f"inner_dim_sizes={self._inner_dim_sizes!r})"
        )


def _lengths_dtype(sizes: Sequence[Tensor]) -> dtypes.DType:
    found = {size.dtype for size in sizes if size.shape.ndims == 1}
    if len(found) > 1:
        raise ValueError("partitioned_dim_sizes must have matching dtypes")
    return found.pop() if found else dtypes.int64


def broadcast_dynamic_shape(
    shape_x: RaggedTensorDynamicShape, shape_y: RaggedTensorDynamicShape
) -> RaggedTensorDynamicShape:
    """Returns the shape that two shapes broadcast to.

    Args:
        shape_x: RaggedTensorDynamicShape.
        shape_y: RaggedTensorDynamicShape.

    Returns:
        RaggedTensorDynamicShape. A step fails where a dimension does not fit.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if a rank is unknown.
    """
    for name, shape in (("shape_x", shape_x), ("shape_y", shape_y)):
        if not isinstance(shape, RaggedTensorDynamicShape):
            raise TypeError(f"{name} must be a RaggedTensorDynamicShape")
    if shape_x.rank is None or shape_y.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    rank = max(shape_x.rank, shape_y.rank)
    shape_x, shape_y = shape_x.broadcast_to_rank(rank), shape_y.broadcast_to_rank(rank)
    for axis in range(rank):
        shape_x = shape_x.broadcast_dimension(axis, shape_y.dimension_size(axis))
        shape_y = shape_y.broadcast_dimension(axis, shape_x.dimension_size(axis))
    return shape_x


def broadcast_to(rt_input: Any, shape: RaggedTensorDynamicShape, broadcast_inner_dimensions: bool = True) -> Any:
    """Returns a tensor broadcast to a shape.

    Args:
        rt_input: Tensor or RaggedTensor of any dtype.
        shape: RaggedTensorDynamicShape.
        broadcast_inner_dimensions: bool. If False, dimensions behind the last ragged one stay as they are.

    Returns:
        RaggedTensor of the dtype of `rt_input`; a Tensor if `shape` has no ragged dimension.

    Raises:
        TypeError: if `shape` has another type.
        ValueError: if a rank is unknown or does not fit.
    """
    if not isinstance(shape, RaggedTensorDynamicShape):
        raise TypeError("shape must be a RaggedTensorDynamicShape")
    tensor = convert_to_tensor_or_ragged_tensor(rt_input)
    if shape.num_partitioned_dimensions:
        return _broadcast_to_ragged(tensor, shape, broadcast_inner_dimensions)
    if isinstance(tensor, RaggedTensor):
        raise ValueError("Incompatible with shape: ragged rank mismatch")
    return shaping.broadcast_to(tensor, shape.inner_dim_sizes) if broadcast_inner_dimensions else tensor


def _broadcast_to_ragged(tensor: Any, shape: RaggedTensorDynamicShape, broadcasts_inner: bool) -> Any:
    is_ragged = isinstance(tensor, RaggedTensor)
    if is_ragged and tensor.row_splits.dtype != shape.dim_size_dtype:
        raise ValueError(
            "rt_input and dst_shape have different row_split dtypes; use RaggedTensor.with_row_splits_dtype() or "
            "RaggedTensorDynamicShape.with_dim_size_dtype() to convert to a compatible dtype."
        )
    rank, wanted = tensor.shape.ndims, shape.rank
    if rank is None or wanted is None:
        raise ValueError("Unable to broadcast: unknown rank")
    if rank > wanted:
        raise ValueError("Incompatible with shape: rank mismatch")
    if is_ragged and tensor.ragged_rank >= shape.num_partitioned_dimensions:
        raise ValueError("Incompatible with shape: ragged rank mismatch")
    source = RaggedTensorDynamicShape.from_tensor(tensor).broadcast_to_rank(wanted)
    if rank < wanted:
        tensor = _with_rank(tensor, shape, wanted)
    tensor = _with_partitioned_dimensions(tensor, shape)
    multiples = _multiples(source, shape, wanted)
    if multiples is not None:
        tensor = tile(tensor, multiples)
    if broadcasts_inner:
        sizes = joining.concat([[-1], shape.inner_dim_sizes], axis=0)
        tensor = tensor.with_flat_values(shaping.reshape(tensor.flat_values, sizes))
    for axis in range(shape.num_partitioned_dimensions):
        if not source.is_ragged(axis) and shape.is_ragged(axis):
            tensor = _with_repeated_rows(tensor, axis, shape.dimension_size(axis), shape.dim_size_dtype)
    return tensor


def _with_rank(tensor: Any, shape: RaggedTensorDynamicShape, rank: int) -> Any:
    """Returns a tensor behind dimensions of size 1."""
    if tensor.shape.ndims < (shape.num_inner_dimensions or 0) + 1:
        tensor = shaping.reshape(tensor, joining.concat([[-1], shape.inner_dim_sizes], axis=0))
    for _ in range(rank - tensor.shape.ndims):
        rows = tensor.nrows() if isinstance(tensor, RaggedTensor) else rows_of(tensor, shape.dim_size_dtype)
        tensor = RaggedTensor.from_row_lengths(tensor, [rows], validate=False)
    return tensor


def _with_partitioned_dimensions(tensor: Any, shape: RaggedTensorDynamicShape) -> Any:
    """Returns a tensor as a ragged one with as many dimensions up to the last ragged one as a shape has."""
    if not isinstance(tensor, RaggedTensor):
        return as_ragged(tensor, shape.dim_size_dtype, shape.num_partitioned_dimensions - 1)
    flat = tensor.flat_values
    surplus = (flat.shape.ndims or 0) - 1 - (shape.num_inner_dimensions or 0)
    return tensor.with_flat_values(as_ragged(flat, shape.dim_size_dtype, surplus)) if surplus > 0 else tensor


def _multiples(source: RaggedTensorDynamicShape, shape: RaggedTensorDynamicShape, rank: int) -> Tensor | None:
    """Returns how often each uniform dimension stands in the broadcast tensor; None if each stands once."""
    multiples: list[Any] = [1] * rank
    for axis in range(shape.num_partitioned_dimensions):
        if source.is_ragged(axis) or shape.is_ragged(axis):
            continue
        size, wanted = source.dimension_size(axis), shape.dimension_size(axis)
        if constant_value(size) in (1, None) and constant_value(wanted) != 1:
            multiples[axis] = indexing.where(comparison.equal(size, 1), wanted, 1)
    if all(isinstance(multiple, int) for multiple in multiples):
        return None
    return joining.stack(multiples, axis=0)


def _with_repeated_rows(tensor: Any, axis: int, repeats: Tensor, kind: dtypes.DType) -> Any:
    """Returns a tensor whose slices along a dimension of size 1 are repeated, each for itself."""
    tensor = as_ragged(tensor, kind)
    if axis > 1:
        return tensor.with_values(_with_repeated_rows(tensor.values, axis - 1, repeats, kind))
    nested, lengths = tensor.nested_row_splits, tensor.nested_row_lengths()
    splits = nested[0]
    repeated = [repeats]
    for inner, inner_lengths in zip(nested[1:], lengths[1:], strict=True):
        repeated.append(repeat_ranges(inner_lengths, splits, repeats))
        splits = indexing.gather(inner, splits)
    values = repeat_ranges(tensor.flat_values, splits, repeats)
    return RaggedTensor.from_nested_row_lengths(values, repeated, validate=False)
