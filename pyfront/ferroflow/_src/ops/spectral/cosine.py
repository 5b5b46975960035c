"""Discrete cosine transforms, by the Fourier transform of real numbers."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.complex_parts import complex, real
from ferroflow._src.ops.spectral.fourier import irfft, rfft


def _check(dct_type: int, n: Any, axis: int, norm: str | None) -> None:
    if n is not None:
        raise NotImplementedError("The DCT length argument is not implemented.")
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if dct_type not in (1, 2, 3):
        raise ValueError("Only Types I, II and III (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    if dct_type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")


def dct(
    input: Any,
    type: int = 2,
    n: None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the discrete cosine transform over the last dimension.

    Args:
        input: Tensor of float32 or float64, of shape [..., samples].
        type: int, 1, 2 or 3.
        n: None.
        axis: int, -1.
        norm: str, "ortho" for an orthonormal transform (types 2 and 3), or None.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `input`.

    Raises:
        ValueError: if `type` or `norm` is not one of the above.
        NotImplementedError: if `n` or `axis` is given.
    """
    _check(type, n, axis, norm)
    with name_scope(name, "dct", [input]):
        is_double = isinstance(input, Tensor) and input.dtype.base_dtype == dtypes.float64
        x = input if is_double else convert_to_tensor(input, dtype=dtypes.float32)
        if type == 1:
            return _first(x)
        size = x.get_shape()[-1].value if x.get_shape().ndims is not None else None
        samples = shaping.shape(x)[-1] if size is None else size
        length = cast(samples, x.dtype.base_dtype)
        angles = making.range(length) * math.pi / (2.0 * length)
        cosines, sines = elementwise.cos(angles), elementwise.sin(angles)
        result: Tensor
        if type == 2:
            spectrum = rfft(x, fft_length=[2 * samples])[..., :samples]
            result = 2.0 * real(complex(cosines, -sines) * spectrum)
            return result * _orthonormal(length, samples, 0.25) if norm == "ortho" else result
        if norm == "ortho":
            x = x * _orthonormal(length, samples, 1.0)
        result = 2.0 * length * irfft(complex(cosines * x, sines * x), fft_length=[2 * samples])[..., :samples]
        return result


def idct(
    input: TensorLike,
    type: int = 2,
    n: None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the inverse of the discrete cosine transform, up to a factor.

    Args:
        input: Tensor of float32 or float64, of shape [..., samples].
        type: int, 1, 2 or 3.
        n: None.
        axis: int, -1.
        norm: str, "ortho" for the inverse of the orthonormal transform; None for one that is 2 n times too large, of
            type 1 2 (n - 1) times.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `input`.

    Raises:
        ValueError: if `type` or `norm` is not one of the above.
        NotImplementedError: if `n` or `axis` is given.
    """
    _check(type, n, axis, norm)
    return dct(input, type={1: 1, 2: 3, 3: 2}[type], n=n, axis=axis, norm=norm, name=name)


def _first(x: Tensor) -> Tensor:
    """Computes type 1: the transform of the samples followed by their mirror image."""
    mirrored = joining.concat([x, shaping.reverse(x, [-1])[..., 1:-1]], -1)
    result: Tensor = real(rfft(mirrored))
    return result


def _orthonormal(length: Tensor, samples: Any, first: float) -> Tensor:
    """Returns factors of an orthonormal transform: sqrt(first / n), then all sqrt(1 / (2 n))."""
    others = making.fill(joining.stack([samples - 1]), elementwise.rsqrt(2.0 * length))
    return joining.concat([shaping.expand_dims(math.sqrt(first) * elementwise.rsqrt(length), 0), others], 0)
