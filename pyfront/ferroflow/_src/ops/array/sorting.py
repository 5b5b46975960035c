"""Elements in order: sorting along a dimension."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.nn.ranking import top_k


def sort(values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """Sorts the elements along a dimension.

    Args:
        values: Tensor of a real number dtype, of rank 1 or more.
        axis: int, the dimension, in [-rank, rank).
        direction: str, `"ASCENDING"` or `"DESCENDING"`.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `values`.

    Raises:
        ValueError: if `axis` is out of range or unknown when the graph is built, or `direction` is not one of the
            listed values.
    """
    with name_scope(name, "sort"):
        return _sorted(values, axis, direction, wants_indices=False)


def argsort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """Finds the indices that put the elements along a dimension in order.

    Args:
        values: Tensor of a real number dtype, of rank 1 or more.
        axis: int, the dimension, in [-rank, rank).
        direction: str, `"ASCENDING"` or `"DESCENDING"`.
        stable: bool, accepted: of equals the lower index comes first in any case.
        name: str, name scope of the operations.

    Returns:
        Tensor of int32, of the shape of `values`.

    Raises:
        ValueError: if `axis` is out of range or unknown when the graph is built, or `direction` is not one of the
            listed values.
    """
    del stable
    with name_scope(name, "argsort"):
        return _sorted(values, axis, direction, wants_indices=True)


def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Finds where values belong among sorted ones.

    Args:
        sorted_sequence: Tensor of a real number dtype, of shape [..., n], ascending along the last dimension.
        values: Tensor of its dtype, of shape [..., m].
        side: `"left"` for the first place that keeps the order, `"right"` for the last.
        out_type: DType of the result, int32 or int64.
        name: str, name of the operation.

    Returns:
        Tensor of `out_type`, of the shape of `values`: indices in [0, n].

    Raises:
        ValueError: if `side` is neither "left" nor "right".
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
    sorted_sequence, values = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
    shape = shaping.shape(values)
    rows = shaping.reshape(sorted_sequence, [-1, shaping.shape(sorted_sequence)[-1]])
    values = shaping.reshape(values, [-1, shape[-1]])
    op_type = "UpperBound" if side == "right" else "LowerBound"
    found = tensor_op(op_type, [rows, values], {"out_type": dtypes.dtype_or_none(out_type)}, name=name)
    return shaping.reshape(found, shape)


def _sorted(values: Any, axis: Any, direction: str, wants_indices: bool) -> Tensor:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. Received: {direction}")
    static = constant_value(convert_to_tensor(axis, name="axis"))
    if static is None:
        raise ValueError("axis must be a constant scalar")
    values = convert_to_tensor(values, name="values")
    ascending = direction == "ASCENDING"
    keys = _reversed_order(values) if ascending else values
    rank, position = values.shape.ndims, int(static)
    if rank is not None and not -rank <= position < rank:
        raise ValueError(f"axis {position} is out of range for values of rank {rank}")
    if position == -1 or (rank is not None and position == rank - 1):
        found = _ranked(keys, wants_indices)
        return _reversed_order(found) if ascending and not wants_indices else found
    # top_k works along the last dimension.
    order = _swapped_with_last(values, position)
    found = shaping.transpose(_ranked(shaping.transpose(keys, order), wants_indices), order)
    return _reversed_order(found) if ascending and not wants_indices else found


def _swapped_with_last(values: Tensor, axis: int) -> Any:
    """Returns the numbers of the dimensions, that of a dimension and of the last one swapped: an int32 vector."""
    rank = values.shape.ndims
    if rank is not None:
        order = list(range(rank))
        order[axis], order[-1] = order[-1], order[axis]
        return constant(order, dtypes.int32, name="transposition")
    count = shaping.rank(values)
    last = count - 1
    swapped = convert_to_tensor(axis, dtypes.int32) if axis >= 0 else count + axis
    numbers = tensor_op("Range", [0, count, 1], name="range")
    # Every dimension moves by the distance of the two, forwards, backwards or not at all.
    distance = last - swapped
    to_last = cast(tensor_op("Equal", [numbers, swapped]), dtypes.int32)
    from_last = cast(tensor_op("Equal", [numbers, last]), dtypes.int32)
    return numbers + distance * (to_last - from_last)


def _ranked(values: Tensor, wants_indices: bool) -> Tensor:
    found = top_k(values, shaping.shape(values)[-1])
    result: Tensor = found.indices if wants_indices else found.values
    return result


def _reversed_order(values: Tensor) -> Tensor:
    """Returns numbers in the reverse of the order of `values`; applied twice it gives `values`."""
    dtype = values.dtype.base_dtype
    if dtype.is_unsigned:
        # max - x
        return _number(dtype.max, dtype) - values
    if dtype.is_integer:
        # -1 - x: unlike -x it exists for the smallest number.
        return _number(-1, dtype) - values
    return -values


def _number(value: int, dtype: dtypes.DType) -> Tensor:
    return convert_to_tensor(value, dtype=dtype)
