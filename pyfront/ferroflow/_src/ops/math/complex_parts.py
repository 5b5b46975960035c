"""Complex numbers from their parts, and their parts."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import zeros_like


@add_dispatch_support
def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Any:
    """Makes complex numbers of real and imaginary parts.

    Args:
        real: Tensor of float32 or float64, of any shape.
        imag: Tensor of the dtype of `real`.
        name: str, name of the operation.

    Returns:
        Tensor of complex64 for float32 and of complex128 for float64.

    Raises:
        TypeError: if the dtypes differ, or are neither float32 nor float64.
    """
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    with name_scope(name, "Complex", [real, imag]) as scope:
        parts = (real.dtype.base_dtype, imag.dtype.base_dtype)
        if parts == (dtypes.float64, dtypes.float64):
            result = dtypes.complex128
        elif parts == (dtypes.float32, dtypes.float32):
            result = dtypes.complex64
        else:
            raise TypeError(f"real and imag have incorrect types: {real.dtype.name} {imag.dtype.name}")
        return tensor_op("Complex", [real, imag], {"Tout": result}, name=scope)


@add_dispatch_support
def real(input: TensorLike, name: str | None = None) -> Any:
    """Returns the real part of complex numbers.

    Args:
        input: Tensor of a number dtype, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of float32 for complex64 and of float64 for complex128; `input` itself if it is real.
    """
    with name_scope(name, "Real", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if not input.dtype.is_complex:
            return input
        return tensor_op("Real", [input], {"Tout": input.dtype.real_dtype}, name=scope)


@add_dispatch_support
def imag(input: TensorLike, name: str | None = None) -> Any:
    """Returns the imaginary part of complex numbers.

    Args:
        input: Tensor of a number dtype, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of float32 for complex64 and of float64 for complex128; zeros where `input` is real.
    """
    with name_scope(name, "Imag", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if not input.dtype.is_complex:
            return zeros_like(input)
        return tensor_op("Imag", [input], {"Tout": input.dtype.real_dtype}, name=scope)


@add_dispatch_support
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the angle of complex numbers in the complex plane, element by element.

    Args:
        input: Tensor of a number dtype, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the shape of `input`, in radians: of float32 for complex64, of float64 for complex128; zeros where
        `input` is real.
    """
    with name_scope(name, "Angle", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return tensor_op("Angle", [input], {"Tout": input.dtype.real_dtype}, name=scope)
        return zeros_like(input)
