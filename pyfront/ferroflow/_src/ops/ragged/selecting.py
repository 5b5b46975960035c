"""Values of ragged tensors selected by masks, conditions and partitions."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping, sorting
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math import reduction, segment
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.ragged.arguments import (
    as_ragged,
    assert_splits_match,
    convert_to_tensor_or_ragged_tensor,
    map_flat_values,
    match_row_splits_dtypes,
    row_splits_dtype_of,
    rows_of,
)
from ferroflow._src.ops.ragged.gathering import gather
from ferroflow._src.ops.ragged.joining import concat
from ferroflow._src.ops.ragged.reducing import reduce_sum
from ferroflow._src.ops.ragged.row_splits import lengths_to_splits, row_splits_to_segment_ids
from ferroflow._src.ops.ragged.tensor import RaggedTensor, is_ragged


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Returns the elements at which a mask is True, in the rows of the mask.

    Args:
        data: Tensor or RaggedTensor of any dtype, whose shape begins with that of `mask`.
        mask: Tensor or RaggedTensor of bool, of a known rank of one or more.
        name: str, name scope of the operations.

    Returns:
        RaggedTensor of the dtype of `data`, of its rank; a Tensor where `data` is one and `mask` a vector.

    Raises:
        ValueError: if the rank of `mask` is unknown or 0.

    Example:
        >>> ragged = tf.ragged.constant([[1, 2, 3], [4], [5, 6]])
        >>> mask = tf.ragged.constant([[True, False, True], [False], [True, True]])
        >>> print(sess.run(tf.ragged.boolean_mask(ragged, mask)).to_list())
        [[1, 3], [], [5, 6]]
    """
    with name_scope(name, "RaggedMask", [data, mask]):
        data = convert_to_tensor_or_ragged_tensor(data, name="data")
        mask = convert_to_tensor_or_ragged_tensor(mask, dtypes.bool, name="mask")
        kind = row_splits_dtype_of([data, mask])
        rank = mask.shape.ndims
        if rank is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if isinstance(mask, RaggedTensor):
            return _ragged_mask(as_ragged(data, mask.row_splits.dtype, mask.ragged_rank), mask, kind)
        if not isinstance(data, RaggedTensor):
            return _dense_mask(data, mask, rank, kind)
        if rank > 1:
            return boolean_mask(data, as_ragged(mask, data.row_splits.dtype, min(data.ragged_rank, rank - 1)))
        splits = lengths_to_splits(indexing.boolean_mask(data.row_lengths(), mask))
        of_values = indexing.gather(mask, row_splits_to_segment_ids(data.row_splits))
        return RaggedTensor.from_row_splits(boolean_mask(data.values, of_values), splits, validate=False)


def _ragged_mask(data: Any, mask: Any, kind: dtypes.DType) -> Any:
    """Applies a ragged mask: its own innermost rows become shorter."""
    nested = [mask.nested_row_splits, data.nested_row_splits[: mask.ragged_rank]]
    with control_dependencies(assert_splits_match(nested)):
        splits = []
        while isinstance(mask, RaggedTensor):
            if (mask.shape.ndims or 0) > 2:
                splits.append(mask.row_splits)
            else:
                counts = reduce_sum(map_flat_values(cast, mask, dtype=kind), axis=1)
                splits.append(lengths_to_splits(counts))
            mask, data = mask.values, data.values
        return RaggedTensor.from_nested_row_splits(boolean_mask(data, mask), splits, validate=False)


def _dense_mask(data: Tensor, mask: Tensor, rank: int, kind: dtypes.DType) -> Any:
    """Applies a dense mask to a dense tensor."""
    masked: Any = indexing.boolean_mask(data, mask)
    if rank == 1:
        return masked
    counts = reduction.count_nonzero(mask, axis=-1, dtype=kind)
    masked = RaggedTensor.from_row_lengths(masked, shaping.reshape(counts, [-1]), validate=False)
    if rank > 2:
        sizes = shaping.shape(mask, out_type=kind)
        ends = segment.cumprod(sizes) + 1
        for axis in range(rank - 3, -1, -1):
            splits = making.range(ends[axis]) * sizes[axis + 1]
            masked = RaggedTensor.from_row_splits(masked, splits, validate=False)
    return masked


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Selects by a condition; the arguments are those of `tf.where`, and may be ragged.

    Raises:
        ValueError: if just one of `x` and `y` is given, or the shapes do not fit together.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    with name_scope(name, "RaggedWhere", [condition, x, y]):
        condition = convert_to_tensor_or_ragged_tensor(condition, name="condition")
        if x is None:
            return _true_places(condition)
        x = convert_to_tensor_or_ragged_tensor(x, name="x")
        y = convert_to_tensor_or_ragged_tensor(y, name="y")
        match_row_splits_dtypes(condition, x, y)
        are_ragged = [isinstance(part, RaggedTensor) for part in (condition, x, y)]
        if not any(are_ragged):
            return indexing.where(condition, x, y)
        if all(are_ragged):
            return map_flat_values(indexing.where, condition, x, y)
        if are_ragged[0]:
            raise ValueError("Input shapes do not match.")
        # The rows of x and y, one after the other, from which each row is picked.
        condition.shape.assert_has_rank(1)
        rows = concat([x, y], axis=0)
        x_rows, y_rows = (rows_of(part, rows.row_splits.dtype) for part in (x, y))
        picked = indexing.where(condition, making.range(x_rows), x_rows + making.range(y_rows))
        return gather(rows, picked)


def _true_places(condition: Any) -> Tensor:
    """Returns the coordinates at which a condition is True."""
    if not isinstance(condition, RaggedTensor):
        return indexing.where(condition)
    inner = _true_places(condition.values)
    condition = condition.with_row_splits_dtype(inner.dtype)
    place = inner[:, 0]
    rows = indexing.gather(condition.value_rowids(), place)
    columns = place - indexing.gather(condition.row_splits, rows)
    outer = [shaping.expand_dims(rows, 1), shaping.expand_dims(columns, 1)]
    return joining.concat([*outer, inner[:, 1:]], axis=1)


def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: TensorLike, name: str | None = None) -> Any:
    """Returns the rows of each partition, stacked.

    Args:
        data: Tensor or RaggedTensor of any dtype, whose shape begins with that of `partitions`.
        partitions: Tensor or RaggedTensor of int32 or int64: the partition of each row, from 0.
        num_partitions: Tensor of int32 or int64, of shape [].
        name: str, name scope of the operations.

    Returns:
        RaggedTensor of the dtype of `data`, of shape [num_partitions, None, ...].

    Raises:
        ValueError: if the rank of `partitions` is unknown, or the shapes do not fit together.

    Example:
        >>> stacked = tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [2, 0, 2], 3)
        >>> print(sess.run(stacked).to_list())
        [[b'b'], [], [b'a', b'c']]
    """
    with name_scope(name, "SegmentStack", [data, partitions, num_partitions]):
        data = convert_to_tensor_or_ragged_tensor(data, name="data")
        kind = data.row_splits.dtype if isinstance(data, RaggedTensor) else None
        partitions = convert_to_tensor_or_ragged_tensor(partitions, name="partitions", preferred_dtype=kind)
        count = convert_to_tensor(num_partitions, name="num_partitions", preferred_dtype=partitions.dtype)
        if kind is not None:
            partitions = map_flat_values(cast, partitions, kind)
        count = cast(count, partitions.dtype)
        rank = partitions.shape.ndims
        if rank is None:
            raise ValueError("partitions must have known rank.")
        count.shape.assert_has_rank(0)
        partitions.shape.assert_is_compatible_with(data.shape[:rank])
        if rank == 0:
            values, ids = joining.stack([data]), joining.stack([partitions])
            return RaggedTensor.from_value_rowids(values, ids, nrows=count, validate=False)
        if rank == 1:
            order = sorting.argsort(partitions, stable=True)
            ids = indexing.gather(partitions, order)
            values = gather(data, order) if is_ragged(data) else indexing.gather(data, order)
            message = "partitions must be less than num_partitions"
            with control_dependencies([checking.assert_less(ids[-1:], count, message=message)]):
                return RaggedTensor.from_value_rowids(values, ids, nrows=count, validate=False)
        rows = as_ragged(data, partitions.dtype)
        of_rows = as_ragged(partitions, partitions.dtype, max(rows.ragged_rank, rank - 1))
        message = "data and partitions have incompatible ragged shapes"
        with control_dependencies([checking.assert_equal(rows.row_splits, of_rows.row_splits, message=message)]):
            return stack_dynamic_partitions(rows.values, of_rows.values, count)


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Any]:
    """Deals rows out to partitions; the arguments are those of `tf.dynamic_partition`, and may be ragged.

    Raises:
        TypeError: if `num_partitions` is not an int, or is negative.
    """
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    stacked = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [stacked[i] for i in range(num_partitions)]
