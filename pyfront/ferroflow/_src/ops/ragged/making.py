"""Ragged tensors made of nested lists, of placeholders, and of ranges."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeLike, TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.constant import constant as dense_constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.ragged.tensor import RaggedTensor, is_ragged
from ferroflow._src.ops.ragged.value import RaggedTensorValue


def constant(
    pylist: Any,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Any:
    """Returns a constant RaggedTensor.

    Args:
        pylist: nested lists, tuples and arrays of numbers, bools or strings, all at one depth.
        dtype: DType of the values; None to take that of the values.
        ragged_rank: int, the number of ragged dimensions; None for all but the first one and `inner_shape`.
        inner_shape: tuple of ints, the shape of each value; None to take it from `pylist` below the ragged dimensions.
        name: str, name scope of the operations.
        row_splits_dtype: DType of the splits, int32 or int64.

    Returns:
        RaggedTensor of `dtype`; a Tensor if `ragged_rank` is 0, or `pylist` has fewer than two levels.

    Raises:
        TypeError: if `pylist` is a ragged tensor, or values have another shape than `inner_shape`.
        ValueError: if the depths of values differ, or do not fit the other arguments.

    Example:
        >>> print(sess.run(tf.ragged.constant([[1, 2], [3], []])).to_list())
        [[1, 2], [3], []]
    """

    def rows(values: Any, splits: list[int]) -> Any:
        return RaggedTensor.from_row_splits(values, dense_constant(splits, dtype=row_splits_dtype), validate=False)

    def flat(values: Any, shape: Any, name: str) -> Any:
        if shape is not None and np.size(values) != math.prod(shape):
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {np.shape(values)}.")
        return dense_constant(values, dtype=dtype, shape=shape, name=name)

    with name_scope(name, "RaggedConstant"):
        return _made(rows, flat, pylist, ragged_rank, inner_shape)


def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """Returns the value of a ragged tensor, to be fed or compared.

    Args:
        pylist: nested lists, tuples and arrays of numbers, bools or strings, all at one depth.
        dtype: DType or NumPy dtype of the values; None to take that of the values.
        ragged_rank: int, the number of ragged dimensions; None for all but the first one and `inner_shape`.
        inner_shape: tuple of ints, the shape of each value; None to take it from `pylist` below the ragged dimensions.
        row_splits_dtype: DType of the splits, int32 or int64.

    Returns:
        RaggedTensorValue; an array if `ragged_rank` is 0, or `pylist` has fewer than two levels.

    Raises:
        TypeError: if `pylist` is a ragged tensor.
        ValueError: if the depths of values differ, or do not fit the other arguments.
    """
    kind = dtype.as_numpy_dtype if isinstance(dtype, dtypes.DType) else dtype
    splits_kind = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype

    def rows(values: Any, splits: list[int]) -> Any:
        return RaggedTensorValue(values, np.array(splits, dtype=splits_kind))

    def flat(values: Any, shape: Any, name: str) -> Any:
        return np.reshape(np.array(values, dtype=kind), shape)

    return _made(rows, flat, pylist, ragged_rank, inner_shape)


def _is_nested(item: Any) -> bool:
    return isinstance(item, list | tuple) or np.ndim(item) != 0


def _made(
    rows: Callable[[Any, list[int]], Any],
    flat: Callable[[Any, Any, str], Any],
    pylist: Any,
    ragged_rank: int | None,
    inner_shape: Any,
) -> Any:
    """Returns the ragged tensor of nested lists.

    Args:
        rows: function of values and splits that makes a ragged tensor.
        flat: function of nested lists, a shape and a name that makes a dense tensor.
        pylist: the nested lists.
        ragged_rank: int or None, as for `constant`.
        inner_shape: tuple or None, as for `constant`.
    """
    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    invalid = f"Invalid pylist={pylist!r}: "
    inner_rank = 0 if inner_shape is None else len(inner_shape)
    if not _is_nested(pylist):
        if ragged_rank:
            raise ValueError(f"{invalid}incompatible with ragged_rank={ragged_rank}")
        if inner_rank:
            raise ValueError(f"{invalid}incompatible with dim(inner_shape)={inner_rank}")
        return flat(pylist, (), "Const")
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank!r}: must be nonnegative")
    scalar_depth, max_depth = _depths(pylist)
    if scalar_depth is not None and max_depth > scalar_depth:
        raise ValueError(f"{invalid}empty list nesting is greater than scalar value nesting")
    if inner_shape is not None and ragged_rank is not None:
        expected = ragged_rank + inner_rank + 1
        if scalar_depth != expected if scalar_depth is not None else expected < max_depth:
            raise ValueError(f"{invalid}incompatible with ragged_rank={ragged_rank} and dim(inner_shape)={inner_rank}")
    if ragged_rank == 0 or (ragged_rank is None and max_depth - inner_rank < 2):
        return flat(pylist, inner_shape, "Const")
    if ragged_rank is None:
        depth = max_depth if scalar_depth is None else scalar_depth - inner_rank
        ragged_rank = max(1, depth - 1)
        inner_shape = inner_shape or ()
    elif inner_shape is None:
        inner_shape = _inner_shape(pylist, ragged_rank)
    nested: list[list[int]] = []
    values = pylist
    for _ in range(ragged_rank):
        nested.append(np.cumsum([0, *(len(row) for row in values)]).tolist())
        values = [item for row in values for item in row]
    made = flat(values, (len(values), *inner_shape), "values")
    for splits in reversed(nested):
        made = rows(made, splits)
    return made


def _depths(pylist: Any) -> tuple[int | None, int]:
    """Returns the depth of the values in nested lists (None without values), and that of the deepest list."""
    if not _is_nested(pylist):
        return 0, 0
    scalar_depth, max_depth = None, 1
    for child in pylist:
        depth, deepest = _depths(child)
        if depth is not None:
            if scalar_depth is not None and scalar_depth != depth + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalar_depth = depth + 1
        max_depth = max(max_depth, deepest + 1)
    return scalar_depth, max_depth


def _inner_shape(pylist: Any, ragged_rank: int) -> tuple[int, ...]:
    """Returns the shape that all items below the ragged dimensions have."""
    items = pylist
    for depth in range(1, ragged_rank + 1):
        if not all(_is_nested(item) for item in items):
            raise ValueError(
                f"pylist has scalar values depth {depth}, but ragged_rank={ragged_rank} requires scalar value depth "
                f"greater than {ragged_rank}"
            )
        items = [child for item in items for child in item]
    shape = []
    level = items
    while _is_nested(level):
        shape.append(len(level))
        if not len(level):
            break
        level = level[0]
    _check_uniform(items, tuple(shape))
    return tuple(shape[1:])


def _check_uniform(item: Any, shape: tuple[int, ...]) -> None:
    if _is_nested(item) != bool(shape) or (shape and shape[0] != len(item)):
        raise ValueError("inner values have inconsistent shape")
    if shape:
        for child in item:
            _check_uniform(child, shape[1:])


def placeholder(
    dtype: DTypeLike, ragged_rank: int, value_shape: ShapeLike | None = None, name: str | None = None
) -> Any:
    """Makes a placeholder for a ragged tensor, to which `Session.run` feeds a RaggedTensorValue.

    Args:
        dtype: DType of the values.
        ragged_rank: int, the number of ragged dimensions.
        value_shape: TensorShape of an element below the ragged dimensions; None for elements of unknown shape.
        name: str, name scope of the operations.

    Returns:
        RaggedTensor of `dtype`; a Tensor if `ragged_rank` is 0.

    Example:
        >>> x = tf.ragged.placeholder(tf.int32, ragged_rank=1, value_shape=[])
        >>> print(sess.run(x + 1, {x: tf.ragged.constant_value([[1, 2], [3]])}).to_list())
        [[2, 3], [4]]
    """
    if ragged_rank == 0:
        return making.placeholder(dtype, value_shape, name)
    with name_scope(name, "RaggedPlaceholder", []):
        shape = TensorShape([None]).concatenate(TensorShape(value_shape))
        made: Any = making.placeholder(dtype, shape, "flat_values")
        for i in reversed(range(ragged_rank)):
            splits = making.placeholder(dtypes.int64, [None], f"row_splits_{i}")
            made = RaggedTensor(made, splits, internal=True)
        return made


# The dtypes of ranges, from the one that the others are converted to last.
_RANGE_TYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def ragged_range(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> RaggedTensor:
    """Returns rows of evenly spaced numbers.

    Args:
        starts: Tensor of int32, int64, float32 or float64, of shape [] or [rows]: the first number of each row. The
            limits, where `limits` is None.
        limits: Tensor of shape [] or [rows]: each row ends before its limit.
        deltas: Tensor of shape [] or [rows]: the distance of the numbers.
        dtype: DType of the numbers; None for the widest one of the arguments.
        name: str, name scope of the operation.
        row_splits_dtype: DType of the splits, int32 or int64.

    Returns:
        RaggedTensor of `dtype`, of shape [rows, None].

    Example:
        >>> print(sess.run(tf.ragged.range([0, 5], [3, 7])).to_list())
        [[0, 1, 2], [5, 6]]
    """
    kind = dtypes.as_dtype(row_splits_dtype)
    if limits is None:
        starts, limits = 0, starts
    with name_scope(name, "RaggedRange", [starts, limits, deltas]) as scope:
        given = zip(("starts", "limits", "deltas"), (starts, limits, deltas), strict=True)
        arguments: list[Tensor] = [convert_to_tensor(value, dtype=dtype, name=key) for key, value in given]
        if dtype is None:
            widest = max((x.dtype for x in arguments), key=_RANGE_TYPES.index)
            arguments = [cast(x, widest) for x in arguments]
        splits, values = apply_op("RaggedRange", arguments, {"Tsplits": kind}, name=scope).outputs
        return RaggedTensor.from_row_splits(values, splits, validate=False)
