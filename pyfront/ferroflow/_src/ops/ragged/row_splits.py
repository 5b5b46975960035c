"""Row splits, row lengths and row numbers: three ways to say which values form a row."""

from __future__ import annotations

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.math import segment

INDEX_TYPES = (dtypes.int32, dtypes.int64)


def convert_to_int_tensor(tensor: TensorLike, name: str, dtype: DTypeLike = dtypes.int32) -> Tensor:
    """Converts integers to a tensor of a dtype.

    Args:
        tensor: Tensor of an integer dtype, of any shape.
        name: str, name of a constant made for it.
        dtype: DType, the dtype of the result.

    Returns:
        Tensor of `dtype`, of the same shape.

    Raises:
        TypeError: if `tensor` has no integer dtype.
    """
    converted = convert_to_tensor(tensor, name=name, preferred_dtype=dtype)
    if not converted.dtype.is_integer:
        raise TypeError(f"{name} must be an integer tensor; dtype={converted.dtype}")
    # TF 1.x: a conversion to the same dtype is an operation, too.
    return tensor_op("Cast", [converted], {"DstT": dtypes.as_dtype(dtype)})


def get_positive_axis(axis: int, ndims: int | None) -> int:
    """Returns the number of a dimension, counted from the front.

    Args:
        axis: int, in [-ndims, ndims).
        ndims: int, the number of dimensions; None if unknown.

    Returns:
        int, in [0, ndims).

    Raises:
        TypeError: if `axis` is not an int.
        ValueError: if `axis` is out of range, or negative for an unknown number of dimensions.
    """
    if not isinstance(axis, int):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    if ndims is None:
        if axis < 0:
            raise ValueError("axis may only be negative if ndims is statically known.")
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError(f"axis={axis} out of bounds: expected {-ndims}<=axis<{ndims}")
    return axis % ndims


def lengths_of(splits: Tensor) -> Tensor:
    """Returns the lengths of the rows between splits, of shape [rows]."""
    return splits[1:] - splits[:-1]


def lengths_to_splits(lengths: Tensor) -> Tensor:
    """Returns the splits between rows of these lengths, of shape [rows + 1]."""
    return joining.concat([[0], segment.cumsum(lengths)], axis=0)


def ragged_offsets(starts: Tensor, limits: Tensor, deltas: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the splits (int64) and the values of the ranges of each row."""
    splits, values = apply_op("RaggedRange", [starts, limits, deltas], {"Tsplits": dtypes.int64}).outputs
    return splits, values


def repeat_ranges(params: Tensor, splits: Tensor, repeats: Tensor) -> Tensor:
    """Repeats each range of slices, as a whole, behind itself.

    Args:
        params: Tensor of any dtype, of shape [n, ...].
        splits: Tensor of int32 or int64, of shape [ranges + 1]: the ends of the ranges.
        repeats: Tensor of the dtype of `splits`, of shape [] or [ranges].

    Returns:
        Tensor of the dtype of `params`.
    """
    if repeats.shape.ndims != 0:
        starts = shaping.repeat(splits[:-1], repeats, axis=0)
        limits = shaping.repeat(splits[1:], repeats, axis=0)
    else:
        # The end of a range is the start of the next one, also where each stands several times.
        all_splits = shaping.repeat(splits, repeats, axis=0)
        count = shaping.shape(all_splits, out_type=repeats.dtype)[0]
        starts, limits = all_splits[: count - repeats], all_splits[repeats:]
    step = making.ones((), starts.dtype)
    _, offsets = ragged_offsets(starts, limits, step)
    return indexing.gather(params, offsets)


def row_splits_to_segment_ids(splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Tensor:
    """Returns the row of each value.

    Args:
        splits: Tensor of int32 or int64, of shape [rows + 1], sorted, from 0.
        name: str, name scope of the operations.
        out_type: DType of the result, int32 or int64; None for that of `splits`.

    Returns:
        Tensor of `out_type`, of shape [values].

    Raises:
        ValueError: if `splits` is empty, or has another dtype or rank.

    Example:
        >>> print(sess.run(tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5])))
        [0 0 0 2 2]
    """
    with name_scope(name, "RaggedSplitsToSegmentIds", [splits]):
        splits = convert_to_tensor(splits, name="splits", preferred_dtype=dtypes.int64)
        if splits.dtype not in INDEX_TYPES:
            raise ValueError("splits must have dtype int32 or int64")
        splits.shape.assert_has_rank(1)
        if splits.shape.as_list() == [0]:
            raise ValueError("Invalid row_splits: []")
        kind = splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        row_lengths = lengths_of(splits)
        rows = shaping.shape(splits, out_type=kind)[-1] - 1
        return shaping.repeat(making.range(rows), row_lengths, axis=0)


def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the splits between rows of which each value's number is known.

    Args:
        segment_ids: Tensor of an integer dtype, of shape [values], sorted.
        num_segments: Tensor of an integer dtype, of shape []: the number of rows; None for the largest id plus one.
        out_type: DType of the result, int32 or int64; None for that of the arguments, or int64.
        name: str, name scope of the operations.

    Returns:
        Tensor of `out_type`, of shape [rows + 1].

    Raises:
        ValueError: if an argument has another rank.

    Example:
        >>> print(sess.run(tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2])))
        [0 3 3 5]
    """
    if out_type is not None:
        kind = dtypes.as_dtype(out_type)
    else:
        given = next((t for t in (segment_ids, num_segments) if isinstance(t, Tensor)), None)
        kind = dtypes.int64 if given is None else given.dtype
    with name_scope(name, "SegmentIdsToRaggedSplits", [segment_ids]):
        ids = convert_to_int_tensor(segment_ids, "segment_ids")
        ids.shape.assert_has_rank(1)
        rows = None
        if num_segments is not None:
            rows = convert_to_int_tensor(num_segments, "num_segments")
            rows.shape.assert_has_rank(0)
        lengths = segment.bincount(ids, minlength=rows, maxlength=rows, dtype=kind)
        splits = lengths_to_splits(lengths)
        known = None if rows is None else constant_value(rows)
        if known is not None:
            splits.set_shape([int(known) + 1])
        return splits
