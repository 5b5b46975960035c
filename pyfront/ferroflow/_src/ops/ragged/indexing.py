"""`ragged[...]`: rows and slices of ragged tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow.branches import cond
from ferroflow._src.ops.math import arithmetic
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.ragged.gathering import gather
from ferroflow._src.ops.ragged.making import ragged_range
from ferroflow._src.ops.ragged.tensor import RaggedTensor

_ALL = slice(None, None, None)


def ragged_getitem(ragged: RaggedTensor, key: Any) -> Any:
    """Returns rows, a row, or a part of the rows.

    Args:
        ragged: RaggedTensor.
        key: int or Tensor of int32 or int64 for one row, slice, `...`, `tf.newaxis`, or tuple of such keys. Keys of
            ragged dimensions are slices.

    Returns:
        RaggedTensor; a Tensor where no ragged dimension remains.

    Raises:
        ValueError: if a key of a ragged dimension is not a slice, or `...` stands for an unknown number of dimensions.
        TypeError: if the end or step of a slice is not an integer.
        IndexError: if there are more keys than dimensions.
    """
    keys = list(key) if isinstance(key, list | tuple) else [key]
    with name_scope(None, "RaggedGetItem", [ragged, *_tensors_in(key)]):
        return _selected(ragged, keys)


def _selected(ragged: Any, keys: list[Any]) -> Any:
    """Returns the part of a ragged tensor that keys of its dimensions, from the first one, select."""
    if not keys:
        return ragged
    first, inner = keys[0], keys[1:]
    if first is Ellipsis:
        return _selected(ragged, _expanded(keys, ragged.shape.ndims))
    if first is None:
        part = _selected(ragged, inner)
        count = shaping.shape(part.row_splits, out_type=part.row_splits.dtype)[0]
        return RaggedTensor.from_row_splits(part, joining.stack([0, count - 1]), validate=False)
    if isinstance(first, slice):
        return _selected_in_rows(_sliced_rows(ragged, first), inner)
    starts, limits = ragged.row_splits[:-1], ragged.row_splits[1:]
    row = ragged.values[starts[first] : limits[first]]
    return row[tuple(inner)]


def _sliced_rows(ragged: RaggedTensor, key: slice) -> Any:
    if key == _ALL:
        return ragged
    starts, limits = ragged.row_splits[:-1][key], ragged.row_splits[1:][key]
    zero = making.zeros([1], ragged.row_splits.dtype)
    if key.step is not None and not (isinstance(key.step, int) and key.step == 1):
        return _rows_of_ranges(starts, limits, 1, ragged.values)
    # Without rows, the only split is 0.
    splits = joining.concat([zero[shaping.size(starts) :], starts[:1], limits], axis=0)
    first, last = splits[0], splits[-1]
    return RaggedTensor.from_row_splits(ragged.values[first:last], splits - first, validate=False)


def _selected_in_rows(ragged: Any, keys: list[Any]) -> Any:
    """Returns the part of each row that keys of the dimensions below the rows select."""
    if not keys:
        return ragged
    if isinstance(ragged, Tensor):
        return ragged[tuple([_ALL, *keys])]
    first, inner = keys[0], keys[1:]
    if first is Ellipsis:
        return _selected_in_rows(ragged, _expanded(keys, ragged.values.shape.ndims))
    if first is None:
        part = _selected_in_rows(ragged, inner)
        count = shaping.shape(part.row_splits, out_type=part.row_splits.dtype)[0]
        return RaggedTensor.from_row_splits(part, making.range(count), validate=False)
    if not isinstance(first, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    if first == _ALL:
        return ragged.with_values(_selected_in_rows(ragged.values, inner))
    starts, limits = ragged.row_splits[:-1], ragged.row_splits[1:]
    if first.start is not None and not _is_zero(first.start):
        starts = _moved(first.start, ragged)
    if first.stop is not None and not _is_zero(first.stop):
        limits = _moved(first.stop, ragged)
    part = _rows_of_ranges(starts, limits, first.step, ragged.values)
    return part.with_values(_selected_in_rows(part.values, inner))


def _is_zero(offset: Any) -> bool:
    return isinstance(offset, int) and offset == 0


def _expanded(keys: list[Any], dimensions: int | None) -> list[Any]:
    """Returns the keys with a slice of one dimension before, or in place of, the `...` at their front."""
    if dimensions is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    used = sum(key is not None for key in keys)
    if used > dimensions + 1:
        raise IndexError("Too many indices for RaggedTensor")
    return keys[1:] if used == dimensions + 1 else [_ALL, *keys]


def _tensors_in(key: Any) -> Iterator[Tensor]:
    if isinstance(key, Tensor):
        yield key
    parts = [key.start, key.stop, key.step] if isinstance(key, slice) else key
    if isinstance(parts, list | tuple):
        for part in parts:
            yield from _tensors_in(part)


def _rows_of_ranges(starts: Tensor, limits: Tensor, step: Any, values: Any) -> Any:
    """Returns the ragged tensor whose rows are the values of ranges."""
    stride = convert_to_tensor(1 if step is None else step, name="step")
    if not stride.dtype.is_integer:
        raise TypeError("slice strides must be integers or None")
    places = ragged_range(starts, limits, cast(stride, starts.dtype), row_splits_dtype=starts.dtype)
    pick = gather if isinstance(values, RaggedTensor) else indexing.gather
    return places.with_values(pick(values, places.values))


def _moved(offset: Any, ragged: RaggedTensor) -> Tensor:
    """Returns the place in each row that is `offset` behind its start; for a negative one, before its end."""
    starts, limits = ragged.row_splits[:-1], ragged.row_splits[1:]

    def from_start(offset: Any) -> Tensor:
        return arithmetic.minimum(starts + offset, limits)

    def from_end(offset: Any) -> Tensor:
        return arithmetic.maximum(limits + offset, starts)

    if isinstance(offset, Tensor):
        known = cast(offset, starts.dtype)
        moved: Tensor = cond(known >= 0, lambda: from_start(known), lambda: from_end(known))
        return moved
    if not isinstance(offset, int):
        raise TypeError("slice offsets must be integers or None")
    return from_start(offset) if offset > 0 else from_end(offset)
