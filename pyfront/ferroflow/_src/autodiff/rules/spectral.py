"""Gradient rules of Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.reduction import reduce_prod

_SUFFIXES = {1: "", 2: "2D", 3: "3D"}


def _count(dims: Tensor, like: Tensor) -> Any:
    """Returns the number of elements of a transform, of the dtype of `like`."""
    return cast(reduce_prod(dims), like.dtype.base_dtype)


def _complex(rank: int) -> Callable[..., Any]:
    def rule(op: Operation, g: Tensor) -> Any:
        is_inverse = op.type.startswith("I")
        inverse = op.type[1:] if is_inverse else f"I{op.type}"
        result: Any = tensor_op(inverse, [g], {"Tcomplex": g.dtype.base_dtype})
        count = _count(shaping.shape(g)[-rank:], g)
        return result / count if is_inverse else result * count

    return rule


def _multiplicity(fft_length: Tensor, bins: Tensor, dtype: Any) -> Any:
    """Returns how often each non-negative frequency of the last dimension occurs in the whole transform: 1 or 2
    times.
    """
    n = fft_length[-1]
    k = making.range(bins)
    once = cast(equal(k, 0), dtype) + cast(equal(2 * k, n), dtype)
    return 2 - once


def _behind(x: Tensor, like: Tensor) -> Tensor:
    """Returns `x` with zeros behind, up to the shape of `like`: what was cut off has no part in the result."""
    known, wanted = x.get_shape(), like.get_shape()
    if known.is_fully_defined() and wanted.is_fully_defined() and known.as_list() == wanted.as_list():
        return x
    missing = shaping.shape(like) - shaping.shape(x)
    return shaping.pad(x, joining.stack([making.zeros_like(missing), missing], axis=1))


def _real(rank: int) -> Callable[..., Any]:
    def rule(op: Operation, g: Tensor) -> tuple[Tensor, None]:
        x, fft_length = op.inputs
        bins = shaping.shape(g)[-1]
        weights = cast(1 / _multiplicity(fft_length, bins, x.dtype.base_dtype), g.dtype.base_dtype)
        attrs = {"Treal": x.dtype.base_dtype}
        result = tensor_op(f"IRFFT{_SUFFIXES[rank]}", [g * weights, fft_length], attrs)
        return _behind(result * _count(fft_length, x), x), None

    return rule


def _real_inverse(rank: int) -> Callable[..., Any]:
    def rule(op: Operation, g: Tensor) -> tuple[Tensor, None]:
        z, fft_length = op.inputs
        attrs = {"Tcomplex": z.dtype.base_dtype}
        result = tensor_op(f"RFFT{_SUFFIXES[rank]}", [g, fft_length], attrs)
        weights = _multiplicity(fft_length, shaping.shape(result)[-1], g.dtype.base_dtype) / _count(fft_length, g)
        return _behind(result * cast(weights, z.dtype.base_dtype), z), None

    return rule


for _rank, _suffix in _SUFFIXES.items():
    register(
        {
            f"FFT{_suffix}": _complex(_rank),
            f"IFFT{_suffix}": _complex(_rank),
            f"RFFT{_suffix}": _real(_rank),
            f"IRFFT{_suffix}": _real_inverse(_rank),
        }
    )
