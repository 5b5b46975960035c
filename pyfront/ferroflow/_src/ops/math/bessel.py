"""Modified Bessel functions of the first kind, of order 0 and 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, exp

__all__ = ["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"]


def bessel_i0e(x: TensorLike, name: str | None = None) -> Any:
    """Returns the modified Bessel function of order 0, times exp(-|x|).

    Args:
        x: Tensor of float32 or float64.
        name: str, name of the operation.

    Returns:
        Tensor of that dtype and shape.
    """
    return tensor_op("BesselI0e", [x], name=name)


def bessel_i1e(x: TensorLike, name: str | None = None) -> Any:
    """Returns the modified Bessel function of order 1, times exp(-|x|).

    Args:
        x: Tensor of float32 or float64.
        name: str, name of the operation.

    Returns:
        Tensor of that dtype and shape.
    """
    return tensor_op("BesselI1e", [x], name=name)


def bessel_i0(x: TensorLike, name: str | None = None) -> Any:
    """Returns the modified Bessel function of order 0.

    Args:
        x: Tensor of float32 or float64.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype and shape.
    """
    with name_scope(name, "bessel_i0", [x]):
        return _in_float64(lambda values: exp(absolute(values)) * bessel_i0e(values), x)


def bessel_i1(x: TensorLike, name: str | None = None) -> Any:
    """Returns the modified Bessel function of order 1.

    Args:
        x: Tensor of float32 or float64.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype and shape.
    """
    with name_scope(name, "bessel_i1", [x]):
        return _in_float64(lambda values: exp(absolute(values)) * bessel_i1e(values), x)


def _in_float64(function: Callable[[Tensor], Tensor], x: TensorLike) -> Tensor:
    """Returns a function's values for float32 and smaller types, rounded once, or for float64."""
    values = convert_to_tensor(x)
    dtype = values.dtype.base_dtype
    if not dtype.is_floating:
        raise TypeError(f"Bessel functions take float32 or float64, not {dtype.name}: {values}")
    return function(values) if dtype == dtypes.float64 else cast(function(cast(values, dtypes.float64)), dtype)
