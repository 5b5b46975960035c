"""Ragged tensors joined along a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLikes
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.ragged.arguments import (
    as_ragged,
    assert_splits_match,
    convert_to_tensor_or_ragged_tensor,
    row_splits_dtype_of,
)
from ferroflow._src.ops.ragged.gathering import gather
from ferroflow._src.ops.ragged.row_splits import get_positive_axis, lengths_to_splits
from ferroflow._src.ops.ragged.shaping import expand_dims
from ferroflow._src.ops.ragged.tensor import RaggedTensor


def concat(values: Any, axis: int, name: str | None = None) -> Any:
    """Joins tensors along a dimension; the arguments are those of `tf.concat`, and `values` may hold ragged ones."""
    parts = list(values) if isinstance(values, list | tuple) else [values]
    with name_scope(name, "RaggedConcat", parts):
        return _joined(parts, axis, stacks=False)


def stack(values: TensorLikes, axis: int = 0, name: str | None = None) -> Any:
    """Stacks tensors along a new dimension; their rows may have different lengths.

    Args:
        values: list of Tensors and RaggedTensors of one dtype and rank.
        axis: int, the new dimension.
        name: str, name scope of the operations.

    Returns:
        RaggedTensor with one dimension more; a Tensor where the new dimension is the last one of Tensors.

    Raises:
        ValueError: if `values` is empty, or the ranks differ.

    Example:
        >>> print(sess.run(tf.ragged.stack([[1, 2], [3]])).to_list())
        [[1, 2], [3]]
    """
    parts = list(values) if isinstance(values, list | tuple) else [values]
    with name_scope(name, "RaggedConcat", parts):
        return _joined(parts, axis, stacks=True)


def _joined(values: Sequence[Any], axis: int, stacks: bool) -> Any:
    """Returns the concatenation, or with `stacks` the stack, of dense and ragged tensors."""
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    parts = [convert_to_tensor_or_ragged_tensor(part, name="rt_input") for part in values]
    splits_dtype = row_splits_dtype_of(parts)
    if len(parts) == 1:
        return expand_dims(parts[0], axis=axis) if stacks else parts[0]
    rank = parts[0].shape.ndims
    for part in parts[1:]:
        rank = part.shape.ndims if rank is None else rank
        part.shape.assert_has_rank(rank)
    out_rank = rank + 1 if stacks and rank is not None else rank
    axis = get_positive_axis(axis, out_rank)
    is_dense = not any(isinstance(part, RaggedTensor) for part in parts)
    if is_dense and rank is not None and axis in (out_rank - 1, rank - 1):
        # Rows of one length: the result is dense, too.
        return joining.stack(parts, axis) if stacks else joining.concat(parts, axis)
    ragged = [as_ragged(part, splits_dtype) for part in parts]
    ragged_rank = max(part.ragged_rank for part in ragged)
    ragged = [_with_ragged_rank(part, ragged_rank, splits_dtype) for part in ragged]
    if axis == 0:
        return _joined_rows(ragged, stacks)
    if axis == 1:
        return _joined_columns(ragged, stacks)
    with control_dependencies(assert_splits_match([[part.row_splits] for part in ragged])):
        inner = _joined([part.values for part in ragged], axis - 1, stacks)
        return RaggedTensor.from_row_splits(inner, ragged[0].row_splits, validate=False)


def _with_ragged_rank(part: Any, ragged_rank: int, splits_dtype: dtypes.DType) -> Any:
    """Returns a tensor with as many ragged dimensions, which may be uniform ones of it."""
    if ragged_rank == 0:
        return part
    part = as_ragged(part, splits_dtype)
    if part.ragged_rank >= ragged_rank:
        return part
    return part.with_values(_with_ragged_rank(part.values, ragged_rank - 1, splits_dtype))


def _joined_rows(parts: list[RaggedTensor], stacks: bool) -> Any:
    flat = joining.concat([part.flat_values for part in parts], axis=0)
    nested = [_joined_splits(splits) for splits in zip(*(part.nested_row_splits for part in parts), strict=True)]
    if stacks:
        nested.insert(0, lengths_to_splits(joining.stack([part.nrows() for part in parts])))
    return RaggedTensor.from_nested_row_splits(flat, nested, validate=False)


def _joined_splits(splits: Sequence[Tensor]) -> Tensor:
    """Returns the splits of the rows of several tensors, one after the other."""
    joined = [splits[0]]
    end = splits[0][-1]
    for later in splits[1:]:
        joined.append(later[1:] + end)
        end += later[-1]
    return joining.concat(joined, axis=0)


def _joined_columns(parts: list[RaggedTensor], stacks: bool) -> Any:
    """Joins the rows of equal number: all rows one after the other, then in the order of their numbers."""
    count = len(parts)
    rows = parts[0].nrows()
    message = "Input tensors have incompatible shapes."
    checks = [checking.assert_equal(part.nrows(), rows, message=message) for part in parts[1:]]
    with control_dependencies(checks):
        stacked = _joined_rows(parts, stacks=False)
        numbers = shaping.reshape(making.range(rows * count), [count, -1])
        order = shaping.reshape(shaping.transpose(numbers), [-1])
        mixed = gather(stacked, order)
        splits = making.range(0, rows * count + 1, count) if stacks else mixed.row_splits[::count]
        for part in parts:
            known = part.shape.as_list()[0]
            splits.set_shape([None if known is None else known + 1])
        return RaggedTensor.from_row_splits(mixed if stacks else mixed.values, splits, validate=False)
