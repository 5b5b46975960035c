"""Changes of some rows of a tensor: each returns a tensor with the new rows."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast


def _changed(op_type: str, x: TensorLike, i: Any, v: TensorLike) -> Tensor:
    x = convert_to_tensor(x)
    v = convert_to_tensor(v, x.dtype)
    if i is None:
        rows = tensor_op(op_type, [shaping.reshape(x, [1, -1]), [0], shaping.reshape(v, [1, -1])])
        return shaping.reshape(rows, shaping.shape(x))
    i = cast(i, dtypes.int32)
    if i.get_shape().ndims == 0:
        i, v = shaping.reshape(i, [1]), shaping.expand_dims(v, 0)
    return tensor_op(op_type, [x, i, v])


def alias_inplace_update(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """Returns a tensor with some rows replaced.

    Args:
        x: Tensor of any dtype, of shape [rows, ...].
        i: Tensor of int32, of shape [] or [n]: the numbers of the rows; None for all.
        v: Tensor of the dtype of `x`, of the shape of the rows.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return _changed("InplaceUpdate", x, i, v)


def alias_inplace_add(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """Returns a tensor with values added to some rows.

    Args:
        x: Tensor of a number dtype, of shape [rows, ...].
        i: Tensor of int32, of shape [] or [n]: the numbers of the rows; None for all.
        v: Tensor of the dtype of `x`, of the shape of the rows.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return _changed("InplaceAdd", x, i, v)


def alias_inplace_sub(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """Returns a tensor with values subtracted from some rows.

    Args:
        x: Tensor of a number dtype, of shape [rows, ...].
        i: Tensor of int32, of shape [] or [n]: the numbers of the rows; None for all.
        v: Tensor of the dtype of `x`, of the shape of the rows.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return _changed("InplaceSub", x, i, v)


def _copied(x: TensorLike) -> Tensor:
    return tensor_op("DeepCopy", [x])


def inplace_update(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """Returns a copy of a tensor with some rows replaced; arguments and result as those of `alias_inplace_update`."""
    return alias_inplace_update(_copied(x), i, v)


def inplace_add(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """Returns a copy of a tensor with values added to rows; arguments and result as those of `alias_inplace_add`."""
    return alias_inplace_add(_copied(x), i, v)


def inplace_sub(x: TensorLike, i: TensorLike | None, v: TensorLike) -> Tensor:
    """Returns a copy of a tensor with values subtracted from rows; arguments and result as those of
    `alias_inplace_sub`.
    """
    return alias_inplace_sub(_copied(x), i, v)


def empty(shape: ShapeTensorLike, dtype: DTypeLike, init: bool = False) -> Tensor:
    """Returns a tensor whose elements may have any value.

    Args:
        shape: Tensor of int32, of shape [rank].
        dtype: DType of the elements.
        init: bool. If True, the elements are zeros.

    Returns:
        Tensor of `dtype`, of shape `shape`.
    """
    return tensor_op("Empty", [shape], {"dtype": dtype, "init": bool(init)})


def empty_like(x: TensorLike, init: bool | None = None) -> Tensor:
    """Returns a tensor whose elements may have any value, like another one.

    Args:
        x: Tensor of any dtype and shape.
        init: bool. If True, the elements are zeros.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    x = convert_to_tensor(x)
    return empty(shaping.shape(x), x.dtype, bool(init))
