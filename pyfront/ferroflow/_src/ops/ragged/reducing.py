"""Reductions of ragged tensors, along their dimensions and over segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math import arithmetic, elementwise, reduction, segment
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.ragged.arguments import (
    convert_to_tensor_or_ragged_tensor,
    map_flat_values,
    match_row_splits_dtypes,
)
from ferroflow._src.ops.ragged.making import ragged_range
from ferroflow._src.ops.ragged.row_splits import (
    INDEX_TYPES,
    get_positive_axis,
    lengths_of,
    row_splits_to_segment_ids,
)
from ferroflow._src.ops.ragged.tensor import RaggedTensor, is_ragged
from ferroflow._src.ops.string import parts

# A function of (data, segment_ids, num_segments).
_OfSegments = Callable[..., Any]


def _of_segments(op: _OfSegments, data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Reduces the rows of each segment, element by element."""
    if not is_ragged(data) and not is_ragged(segment_ids):
        return op(data, segment_ids, num_segments, name=name)
    with name_scope(name, "RaggedSegment", [data, segment_ids, num_segments]):
        data = convert_to_tensor_or_ragged_tensor(data, name="data")
        segment_ids = convert_to_tensor_or_ragged_tensor(segment_ids, name="segment_ids")
        match_row_splits_dtypes(data, segment_ids)
        if segment_ids.dtype not in INDEX_TYPES:
            raise ValueError("segment_ids must have dtype int32 or int64.")
        if isinstance(segment_ids, RaggedTensor):
            message = "segment_ids.shape must be a prefix of data.shape"
            if not isinstance(data, RaggedTensor):
                raise ValueError(f"{message}, but segment_ids is ragged and data is not.")
            check = checking.assert_equal(segment_ids.row_splits, data.row_splits, message=message)
            with control_dependencies([check]):
                return _of_segments(op, data.values, segment_ids.values, num_segments)
        # A segment's row is as long as the longest row in it.
        lengths = lengths_of(data.row_splits)
        longest = arithmetic.maximum(segment.unsorted_segment_max(lengths, segment_ids, num_segments), 0)
        splits = joining.concat([making.zeros([1], longest.dtype), segment.cumsum(longest)], axis=0)
        starts = indexing.gather(splits, segment_ids)
        places = ragged_range(starts, starts + lengths).values
        values = _of_segments(op, data.values, places, splits[-1])
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Computes the sums of segments; the arguments are those of `tf.math.unsorted_segment_sum`, and may be ragged."""
    return _of_segments(segment.unsorted_segment_sum, data, segment_ids, num_segments, name or "RaggedSegmentSum")


def segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Computes the products of segments; the arguments are those of `tf.math.unsorted_segment_prod`."""
    return _of_segments(segment.unsorted_segment_prod, data, segment_ids, num_segments, name or "RaggedSegmentProd")


def segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Computes the minima of segments; the arguments are those of `tf.math.unsorted_segment_min`."""
    return _of_segments(segment.unsorted_segment_min, data, segment_ids, num_segments, name or "RaggedSegmentMin")


def segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Computes the maxima of segments; the arguments are those of `tf.math.unsorted_segment_max`."""
    return _of_segments(segment.unsorted_segment_max, data, segment_ids, num_segments, name or "RaggedSegmentMax")


def segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Computes the means of segments; the arguments are those of `tf.math.unsorted_segment_mean`."""
    with name_scope(name, "RaggedSegmentMean", [data, segment_ids, num_segments]):
        return _quotient(data, segment_ids, num_segments, lambda count: count)


def segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """Computes sums of segments over the root of their sizes; see `tf.math.unsorted_segment_sqrt_n`."""
    with name_scope(name, "RaggedSegmentSqrtN", [data, segment_ids, num_segments]):
        return _quotient(data, segment_ids, num_segments, elementwise.sqrt)


def _quotient(data: Any, segment_ids: Any, num_segments: Any, divisor: Callable[[Tensor], Any]) -> Any:
    total = segment_sum(data, segment_ids, num_segments)
    count = segment_sum(_ones_like(data), segment_ids, num_segments)
    if isinstance(total, RaggedTensor):
        return total.with_flat_values(total.flat_values / divisor(count.flat_values))
    return total / divisor(count)


def _ones_like(x: Any) -> Any:
    if not is_ragged(x):
        return making.ones_like(x)
    ones = making.ones_like(x.flat_values)
    return RaggedTensor.from_nested_row_splits(ones, x.nested_row_splits, validate=False)


def _reduced(reduce: Callable[..., Any], of_segments: _OfSegments, x: Any, axis: Any, name: str | None = None) -> Any:
    """Reduces dimensions of a dense or ragged tensor.

    Args:
        reduce: function of (tensor, axis, name) that reduces dimensions of a dense tensor.
        of_segments: function of (data, segment_ids, num_segments) that reduces in the same way.
        x: the tensor.
        axis: int, list of ints, or Tensor of a known value: the dimensions; None for all.
        name: str, name scope of the operations.
    """
    if not is_ragged(x):
        return reduce(x, axis, name=name)
    if isinstance(axis, Tensor):
        axis = constant_value(axis)
        if axis is None:
            raise ValueError("axis must be known at graph construction time.")
    if isinstance(axis, np.ndarray | np.generic):
        axis = axis.tolist()
    if axis is None:
        return reduce(x.flat_values, None, name=name)
    with name_scope(name, "RaggedReduce", [x, axis]):
        if isinstance(axis, tuple | list):
            if not axis:
                return x
            if len(axis) > 1:
                *outer, last = sorted(get_positive_axis(a, len(x.shape)) for a in axis)
                inner = _reduced(reduce, of_segments, x, last)
                return _reduced(reduce, of_segments, inner, outer)
            axis = axis[0]
        x = convert_to_tensor_or_ragged_tensor(x, name="rt_input")
        axis = get_positive_axis(axis, x.shape.ndims)
        if axis == 0:
            lengths = lengths_of(x.row_splits)
            count = arithmetic.maximum(reduction.reduce_max(lengths), 0)
            return _of_segments(of_segments, x.values, ragged_range(lengths).values, count)
        if axis == 1:
            count = shaping.shape(x.row_splits)[0] - 1
            return _of_segments(of_segments, x.values, row_splits_to_segment_ids(x.row_splits), count)
        return x.with_values(_reduced(reduce, of_segments, x.values, axis - 1))


def _axis_of(axis: Any, keepdims: Any, reduction_indices: Any, keep_dims: Any) -> Any:
    """Returns the dimensions that the old or the new argument names."""
    if deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims):
        raise ValueError("keepdims=True is not supported for RaggedTensors.")
    return deprecated_argument_lookup("axis", axis, "reduction_indices", reduction_indices)


class _Reduction:
    """A function with the arguments of `tf.reduce_sum`, for ragged tensors."""

    def __init__(self, function: Callable[[Any, Any, str | None], Any]) -> None:
        self._function = function

    def __call__(
        self,
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Any:
        axis = _axis_of(axis, keepdims, reduction_indices, keep_dims)
        return self._function(input_tensor, axis, name)


def _sum(x: Any, axis: Any, name: str | None = None) -> Any:
    return _reduced(reduction.reduce_sum, segment.unsorted_segment_sum, x, axis, name or "RaggedReduceSum")


def _prod(x: Any, axis: Any, name: str | None = None) -> Any:
    return _reduced(reduction.reduce_prod, segment.unsorted_segment_prod, x, axis, name or "RaggedReduceProd")


def _min(x: Any, axis: Any, name: str | None = None) -> Any:
    return _reduced(reduction.reduce_min, segment.unsorted_segment_min, x, axis, name or "RaggedReduceMin")


def _max(x: Any, axis: Any, name: str | None = None) -> Any:
    return _reduced(reduction.reduce_max, segment.unsorted_segment_max, x, axis, name or "RaggedReduceMax")


def _mean(x: Any, axis: Any, name: str | None = None) -> Any:
    with name_scope(name, "RaggedReduceMean", [x, axis]):
        total = _sum(x, axis)
        count = _sum(_ones_like(x), axis)
        if not isinstance(total, RaggedTensor):
            return total / count
        means = total.flat_values / count.flat_values
        return RaggedTensor.from_nested_row_splits(means, total.nested_row_splits, validate=False)


def _all(x: Any, axis: Any, name: str | None = None) -> Any:
    with name_scope(name, "RaggedReduceAll", [x, axis]):
        return _cast(_prod(_cast(x, dtypes.int32), axis), dtypes.bool)


def _any(x: Any, axis: Any, name: str | None = None) -> Any:
    with name_scope(name, "RaggedReduceAny", [x, axis]):
        return _cast(_sum(_cast(x, dtypes.int32), axis), dtypes.bool)


def _cast(x: Any, dtype: dtypes.DType) -> Any:
    return map_flat_values(cast, x, dtype)


reduce_sum, reduce_prod, reduce_min, reduce_max, reduce_mean, reduce_all, reduce_any = map(
    _Reduction, (_sum, _prod, _min, _max, _mean, _all, _any)
)


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Any:
    """Joins the strings along dimensions; the arguments are those of `tf.strings.reduce_join`."""
    axis = _axis_of(axis, keepdims, reduction_indices, keep_dims)

    def reduce(x: Any, axis: Any, name: str | None = None) -> Any:
        return parts.reduce_join(x, axis, separator=separator, name=name)

    def of_segments(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        return parts.unsorted_segment_join(data, segment_ids, num_segments, separator, name)

    return _reduced(reduce, of_segments, inputs, axis, name or "RaggedSegmentJoin")
