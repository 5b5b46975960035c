"""Comparisons and Boolean functions of two tensors, element by element, with broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import TensorLike, makes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Tensor

_REAL = "a real number dtype"
_ANY = "a number dtype, bool or string"


def _comparison_signature(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Has the signature of the functions that `_comparison` makes."""
    raise NotImplementedError


@makes(_comparison_signature)
def _comparison(public_name: str, op_type: str, what: str, taken: str) -> Callable[..., Tensor]:
    def function(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
        return tensor_op(op_type, [x, y], name=name)

    function.__name__ = function.__qualname__ = public_name
    function.__doc__ = f"""Computes whether {what}, element by element, with broadcasting.

    Args:
        x: Tensor of {taken}.
        y: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of bool, of the shape that the shapes of `x` and `y` broadcast to.

    Raises:
        TypeError: if the dtypes differ or are not supported.
        ValueError: if the shapes do not broadcast.
    """
    return function


equal = _comparison("equal", "Equal", "`x == y`", _ANY)
not_equal = _comparison("not_equal", "NotEqual", "`x != y`", _ANY)
less = _comparison("less", "Less", "`x < y`", _REAL)
less_equal = _comparison("less_equal", "LessEqual", "`x <= y`", _REAL)
greater = _comparison("greater", "Greater", "`x > y`", _REAL)
greater_equal = _comparison("greater_equal", "GreaterEqual", "`x >= y`", _REAL)
logical_and = _comparison("logical_and", "LogicalAnd", "both `x` and `y` are True", "bool")
logical_or = _comparison("logical_or", "LogicalOr", "`x` or `y` is True", "bool")


def logical_xor(x: TensorLike, y: TensorLike, name: str = "LogicalXor") -> Tensor:
    """Computes whether just one of `x` and `y` is True, element by element, with broadcasting.

    Args:
        x: Tensor of bool.
        y: Tensor of bool.
        name: str, name of the operation.

    Returns:
        Tensor of bool, of the shape that the shapes of `x` and `y` broadcast to.
    """
    either = tensor_op("LogicalOr", [x, y])
    not_both = tensor_op("LogicalNot", [tensor_op("LogicalAnd", [x, y])])
    return tensor_op("LogicalAnd", [either, not_both], name=name)


def approximate_equal(x: TensorLike, y: TensorLike, tolerance: float = 1e-05, name: str | None = None) -> Tensor:
    """Computes whether `|x - y| < tolerance`, element by element.

    Args:
        x: Tensor of a number dtype.
        y: Tensor of the dtype and shape of `x`.
        tolerance: float.
        name: str, name of the operation.

    Returns:
        Tensor of bool, of the shape of `x`.
    """
    return tensor_op("ApproximateEqual", [x, y], {"tolerance": tolerance}, name=name)
