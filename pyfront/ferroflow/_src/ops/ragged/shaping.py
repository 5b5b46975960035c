"""The shapes of ragged tensors: dimensions added, removed and repeated."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math import comparison, reduction
from ferroflow._src.ops.ragged.arguments import convert_to_tensor_or_ragged_tensor
from ferroflow._src.ops.ragged.row_splits import (
    convert_to_int_tensor,
    get_positive_axis,
    lengths_of,
    lengths_to_splits,
    repeat_ranges,
)
from ferroflow._src.ops.ragged.tensor import RaggedTensor, is_ragged


def expand_dims(input: Any, axis: int, name: str | None = None) -> Any:
    """Adds a dimension of size 1; the arguments are those of `tf.expand_dims`, and `input` may be ragged."""
    with name_scope(name, "RaggedExpandDims", [input]):
        input = convert_to_tensor_or_ragged_tensor(input, name="input")
        if not isinstance(input, RaggedTensor):
            return shaping.expand_dims(input, axis)
        axis = get_positive_axis(axis, None if input.shape.ndims is None else input.shape.ndims + 1)
        if axis == 0:
            values, splits = input, joining.stack([0, input.nrows()])
        elif axis == 1:
            values, splits = input, making.range(input.nrows() + 1)
        else:
            values, splits = expand_dims(input.values, axis - 1), input.row_splits
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Removes dimensions of size 1; the arguments are those of `tf.squeeze`, and `input` may be ragged.

    Raises:
        TypeError: if `axis` holds anything but ints.
        ValueError: if `axis` is None.
    """
    with name_scope(name, "RaggedSqueeze", [input]):
        input = convert_to_tensor_or_ragged_tensor(input)
        if isinstance(input, Tensor):
            return shaping.squeeze(input, axis, name)
        if axis is None:
            raise ValueError("Ragged.squeeze must have an axis argument.")
        if isinstance(axis, int):
            axis = [axis]
        if not isinstance(axis, list | tuple) or not all(isinstance(d, int) for d in axis):
            raise TypeError("Axis must be a list or tuple of integers.")
        removed = [get_positive_axis(d, input.shape.ndims) for d in axis]
        ragged = {d for d in removed if d <= input.ragged_rank}
        dense = [d - input.ragged_rank for d in removed if d > input.ragged_rank]
        flat = with_dependencies(_assert_of_size_1(input, ragged), input.flat_values)
        if dense:
            flat = shaping.squeeze(flat, dense)
        kept = [splits for d, splits in enumerate(input.nested_row_splits, 1) if d not in ragged]
        if kept and 0 in ragged:
            kept.pop(0)
        result = RaggedTensor.from_nested_row_splits(flat, kept)
        if ragged.issuperset(range(input.ragged_rank + 1)):
            result = shaping.squeeze(result, [0], name)
        return result


def _assert_of_size_1(input: RaggedTensor, axes: set[int]) -> list[Operation]:
    """Makes operations that fail unless all rows of some dimensions have one element."""
    one = constant(1, dtype=input.row_splits.dtype)
    checks = []
    for axis, lengths in enumerate(input.nested_row_lengths(), 1):
        if axis in axes:
            holds = reduction.reduce_all(comparison.equal(lengths, one))
            checks.append(Assert(holds, [f"the given axis (axis = {axis}) is not squeezable!"]))
    if 0 in axes:
        two = constant(2, dtype=dtypes.int32)
        holds = comparison.equal(shaping.size(input.row_splits), two)
        checks.append(Assert(holds, ["the given axis (axis = 0) is not squeezable!"]))
    return checks


def size(input: Any, out_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """Returns the number of elements; the arguments are those of `tf.size`, and `input` may be ragged."""
    return shaping.size(input.flat_values if is_ragged(input) else input, out_type=out_type, name=name)


def rank(input: Any, name: str | None = None) -> Any:
    """Returns the number of dimensions; the arguments are those of `tf.rank`, and `input` may be ragged."""
    with name_scope(name, "RaggedRank", [input]) as scope:
        if not is_ragged(input):
            return shaping.rank(input, scope)
        return input.ragged_rank + shaping.rank(input.flat_values)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Any:
    """Returns one-hot vectors; the arguments are those of `tf.one_hot`, and `indices` may be ragged.

    Raises:
        ValueError: if `axis` is a ragged dimension.
    """
    with name_scope(name, "RaggedOneHot", [indices]):
        indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        if axis is not None:
            axis = get_positive_axis(axis, indices.shape.ndims)
            if axis < indices.ragged_rank:
                raise ValueError("axis may not be less than indices.ragged_rank.")
        flat = making.one_hot(indices.flat_values, depth, on_value, off_value, axis, dtype, name)
        return indices.with_flat_values(flat)


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeats a tensor along its dimensions; the arguments are those of `tf.tile`, and `input` may be ragged."""
    with name_scope(name, "RaggedTile", [input, multiples]):
        input = convert_to_tensor_or_ragged_tensor(input, name="input")
        if not isinstance(input, RaggedTensor):
            return shaping.tile(input, multiples, name)
        counts = convert_to_int_tensor(multiples, name="multiples", dtype=input.row_splits.dtype)
        counts.shape.assert_has_rank(1)
        known = constant_value(counts)
        values, splits = _tiled_values(input, counts, known), _tiled_splits(input, counts, known)
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def _repeats(known: Any, axis: int) -> bool:
    """Returns False if a dimension is known to stand once in a tiled tensor."""
    return known is None or known[axis] != 1


def _tiled_values(input: RaggedTensor, counts: Tensor, known: Any) -> Tensor:
    """Returns the values of a tiled ragged tensor: their places are repeated first, from the innermost dimension."""
    nested = input.nested_row_splits
    places = making.range(nested[-1][-1])
    inner_splits: Any = None
    for axis in range(input.ragged_rank, 0, -1):
        splits = nested[axis - 1]
        if inner_splits is not None:
            splits = indexing.gather(inner_splits * counts[axis + 1], splits)
        if _repeats(known, axis):
            places = repeat_ranges(places, splits, counts[axis])
        inner_splits = splits
    values = indexing.gather(input.flat_values, places)
    return shaping.tile(values, joining.concat([counts[:1], counts[input.ragged_rank + 1 :]], axis=0))


def _tiled_splits(input: RaggedTensor, counts: Tensor, known: Any) -> list[Tensor]:
    """Returns the splits of each dimension of a tiled ragged tensor."""
    nested = input.nested_row_splits
    # below[i][j]: the ends of the rows of dimension i, counted in rows of dimension j.
    below = [{i: splits} for i, splits in enumerate(nested)]
    for i, ends in enumerate(below):
        for j in range(i + 1, len(nested) - 1):
            ends[j] = indexing.gather(nested[j], ends[j - 1])
    tiled = []
    for axis, splits in enumerate(nested):
        lengths = lengths_of(splits) * counts[axis + 1]
        repeats: Any = 1
        for outer in range(axis - 1, -1, -1):
            if _repeats(known, outer + 1):
                lengths = repeat_ranges(lengths, below[outer][axis - 1] * repeats, counts[outer + 1])
            repeats *= counts[outer + 1]
        tiled.append(lengths_to_splits(shaping.tile(lengths, counts[:1])))
    return tiled
