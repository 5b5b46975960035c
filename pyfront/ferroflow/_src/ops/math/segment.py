"""Sums and other reductions over segments, cumulative sums, counts."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import DTypeLike, IntsLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import DispatchedFamily, add_dispatch_support
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import sqrt
from ferroflow._src.ops.math.reduction import reduce_max, reduce_prod


@FunctionFamily
def _sorted_segment(op_type: str, data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Computes the {what} of each segment of the first dimension.

    Args:
        data: Tensor of a number dtype, of shape [n, ...].
        segment_ids: Tensor of int32 or int64, of shape [n], in ascending order.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `data`, of shape [largest id + 1, ...].
    """
    return tensor_op(op_type, [data, segment_ids], name=name)


segment_sum = _sorted_segment("segment_sum", "SegmentSum", what="sum")
segment_mean = _sorted_segment("segment_mean", "SegmentMean", what="mean")
segment_prod = _sorted_segment("segment_prod", "SegmentProd", what="product")
segment_max = _sorted_segment("segment_max", "SegmentMax", what="maximum")
segment_min = _sorted_segment("segment_min", "SegmentMin", what="minimum")


@DispatchedFamily
def _unsorted_segment(
    op_type: str, data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Computes the {what} of each segment, the ids in any order.

    Args:
        data: Tensor of a number dtype, whose shape begins with that of `segment_ids`.
        segment_ids: Tensor of int32 or int64; rows with negative ids are ignored.
        num_segments: Tensor of int32 or int64, of shape [].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `data`, of shape [num_segments] + shape of a slice; {empty} for a segment without
        elements.
    """
    return tensor_op(op_type, [data, segment_ids, num_segments], name=name)


unsorted_segment_sum = _unsorted_segment("unsorted_segment_sum", "UnsortedSegmentSum", what="sum", empty="0")
unsorted_segment_prod = _unsorted_segment("unsorted_segment_prod", "UnsortedSegmentProd", what="product", empty="1")
unsorted_segment_max = _unsorted_segment(
    "unsorted_segment_max", "UnsortedSegmentMax", what="maximum", empty="the lowest number"
)
unsorted_segment_min = _unsorted_segment(
    "unsorted_segment_min", "UnsortedSegmentMin", what="minimum", empty="the highest number"
)


def _segment_sizes(data: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    ones = making.ones(shaping.shape(segment_ids), dtype=data.dtype)
    counts = unsorted_segment_sum(ones, segment_ids, num_segments)
    rank, ids_rank = data.get_shape().ndims, segment_ids.get_shape().ndims
    if rank is None or ids_rank is None:
        raise TypeError("The ranks of data and segment_ids must be known.")
    counts = shaping.reshape(counts, [num_segments] + [1] * (rank - ids_rank))
    return tensor_op("Maximum", [counts, 1])


@add_dispatch_support
def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Computes the mean of each segment, the ids in any order.

    Args:
        data: Tensor of float, of known rank, whose shape begins with that of `segment_ids`.
        segment_ids: Tensor of int32 or int64, of known rank.
        num_segments: Tensor of int32 or int64, of shape [].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `data`, of shape [num_segments] + shape of a slice; 0 for a segment without elements.

    Raises:
        TypeError: if the rank of `data` or of `segment_ids` is unknown.
    """
    with name_scope(name, "UnsortedSegmentMean"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        sizes = _segment_sizes(data, segment_ids, num_segments)
        return unsorted_segment_sum(data, segment_ids, num_segments) / sizes


@add_dispatch_support
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Computes the sum of each segment divided by the root of its size, the ids in any order.

    Args:
        data: Tensor of float, of known rank, whose shape begins with that of `segment_ids`.
        segment_ids: Tensor of int32 or int64, of known rank.
        num_segments: Tensor of int32 or int64, of shape [].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `data`, of shape [num_segments] + shape of a slice; 0 for a segment without elements.

    Raises:
        TypeError: if the rank of `data` or of `segment_ids` is unknown.
    """
    with name_scope(name, "UnsortedSegmentSqrtN"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        sizes = _segment_sizes(data, segment_ids, num_segments)
        root: Tensor = sqrt(sizes)
        return unsorted_segment_sum(data, segment_ids, num_segments) / root


@FunctionFamily
def _sparse_segment(
    op_type: str,
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """Computes the {what} of the rows that indices choose, for each segment.

    Args:
        data: Tensor of float, of shape [rows, ...].
        indices: Tensor of int32 or int64, of shape [n], in [0, rows).
        segment_ids: Tensor of int32, of shape [n], in ascending order.
        name: str, name of the operation.
        num_segments: Tensor of int32, of shape []; None for the largest id + 1.

    Returns:
        Tensor of the dtype of `data`, of shape [num_segments, ...].
    """
    if num_segments is None:
        return tensor_op(op_type, [data, indices, segment_ids], name=name)
    return tensor_op(f"{op_type}WithNumSegments", [data, indices, segment_ids, num_segments], name=name)


sparse_segment_sum = _sparse_segment("sparse_segment_sum", "SparseSegmentSum", what="sum")
sparse_segment_mean = _sparse_segment("sparse_segment_mean", "SparseSegmentMean", what="mean")
sparse_segment_sqrt_n = _sparse_segment(
    "sparse_segment_sqrt_n", "SparseSegmentSqrtN", what="sum, divided by the root of the size,"
)


@FunctionFamily
def _cumulative(
    op_type: str,
    x: TensorLike,
    axis: IntsLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the {what} of all elements up to each one, along a dimension.

    Args:
        x: Tensor of a number dtype.
        axis: Tensor of int32 or int64, of shape []: the dimension, in [-rank, rank).
        exclusive: bool. If True, the element itself is left out.
        reverse: bool. If True, the dimension is gone through from its end.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    with name_scope(name, op_type, [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return tensor_op(op_type, [x, axis], {"exclusive": exclusive, "reverse": reverse}, name=scope)


cumsum = _cumulative("cumsum", "Cumsum", what="sum")
cumprod = _cumulative("cumprod", "Cumprod", what="product")


def cumulative_logsumexp(
    x: TensorLike, axis: IntsLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes the logarithm of the sum of the exponentials of all elements up to each one, along a dimension.

    Args:
        x: Tensor of float16, float32 or float64.
        axis: Tensor of int32 or int64, of shape []: the dimension, in [-rank, rank).
        exclusive: bool. If True, the element itself is left out; the sum of no elements gives the lowest number.
        reverse: bool. If True, the dimension is gone through from its end.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    with name_scope(name, "CumulativeLogsumexp", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        attrs = {"exclusive": exclusive, "reverse": reverse}
        return tensor_op("CumulativeLogsumexp", [x, axis], attrs, name=scope)


def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
) -> Tensor:
    """Counts how often each number appears.

    Args:
        arr: Tensor of int32, not negative, of any shape.
        weights: Tensor of int32, int64, float32 or float64, of the shape of `arr`: the weights; None for 1.
        minlength: Tensor of int32, of shape []: the least length of the result; None for 0.
        maxlength: Tensor of int32, of shape []: the largest length of the result, numbers from there on are left out.
        dtype: DType of the result, if there are no weights.

    Returns:
        Tensor of `dtype`, or of the dtype of `weights`, of shape [largest number + 1].
    """
    with name_scope(None, "bincount"):
        arr = convert_to_tensor(arr, name="arr", dtype=dtypes.int32)
        is_nonempty = reduce_prod(shaping.shape(arr)) > 0
        length = cast(is_nonempty, dtypes.int32) * (reduce_max(arr) + 1)
        if minlength is not None:
            length = tensor_op("Maximum", [convert_index(minlength, name="minlength"), length])
        if maxlength is not None:
            length = tensor_op("Minimum", [convert_index(maxlength, name="maxlength"), length])
        if weights is not None:
            return unsorted_segment_sum(convert_to_tensor(weights, name="weights"), arr, length)
        return tensor_op("Bincount", [arr, length, constant([], dtype)])


add_example(
    unsorted_segment_sum,
    """
    >>> print(sess.run(tf.unsorted_segment_sum([5, 1, 7, 2], segment_ids=[0, 2, 0, 2], num_segments=4)))
    [12  0  3  0]
    """,
)
