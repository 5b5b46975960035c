"""Records of Fourier and cosine transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft
from ops.cases.record import COMPLEX, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.math.complex_parts import complex as to_complex, imag, real
from ferroflow._src.ops.spectral import cosine, fourier

_SHAPES = ((5,), (2, 6), (2, 3, 4), (2, 1, 3, 8))


def _variants(rank: int) -> Any:
    return tuple(call(Values(s)) for s in _SHAPES if len(s) >= rank)


def _axes(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _complex_record(name: str, rank: int) -> Record:
    reference = np.fft.ifftn if name.startswith("i") else np.fft.fftn
    return Record(
        name=name,
        function=getattr(fourier, name),
        reference=lambda x: reference(x, axes=_axes(rank)),
        variants=_variants(rank),
        dtypes=COMPLEX,
        lossy=True,
        refused=(
            Refused(
                lambda: getattr(fourier, name)(placeholder("complex64", [3] * (rank - 1))),
                ValueError,
                f"at least rank {rank}",
            ),
        ),
    )


def _parts_record(name: str, rank: int) -> Record:
    """The same as a function of real and imaginary parts, whose gradient is tested."""
    reference = np.fft.ifftn if name.startswith("i") else np.fft.fftn

    def parts(re: Any, im: Any) -> Any:
        result = getattr(fourier, name)(to_complex(re, im))
        return real(result), imag(result)

    def expected(re: Any, im: Any) -> Any:
        result = reference(re + 1j * im, axes=_axes(rank))
        return result.real, result.imag

    return Record(
        name=f"{name} of parts",
        function=parts,
        reference=expected,
        variants=tuple(call(Values(s), Values(s)) for s in _SHAPES if len(s) >= rank),
        dtypes=("float32", "float64"),
        differentiable=(0, 1),
        lossy=True,
    )


def _real_record(name: str, rank: int) -> Record:
    def parts(x: Any, fft_length: Any = None) -> Any:
        result = getattr(fourier, name)(x, fft_length)
        return real(result), imag(result)

    def expected(x: Any, fft_length: Any = None) -> Any:
        result = np.fft.rfftn(x, s=fft_length, axes=_axes(rank))
        return result.real, result.imag

    longer, shorter = [7] * rank, [2] * (rank - 1) + [3]
    big = Values((2, *(4,) * rank))
    return Record(
        name=name,
        function=parts,
        reference=expected,
        variants=(*_variants(rank), call(big, fft_length=longer), call(big, fft_length=shorter)),
        dtypes=("float32", "float64"),
        differentiable=(0,),
        lossy=True,
        needs="rank",
    )


def _real_inverse_record(name: str, rank: int) -> Record:
    def of_parts(re: Any, im: Any, fft_length: Any = None) -> Any:
        return getattr(fourier, name)(to_complex(re, im), fft_length)

    def expected(re: Any, im: Any, fft_length: Any = None) -> Any:
        return np.fft.irfftn(re + 1j * im, s=fft_length, axes=_axes(rank))

    longer, shorter = [7] * rank, [2] * (rank - 1) + [3]
    big = Values((2, *(4,) * rank))
    shapes = tuple(s for s in _SHAPES if len(s) >= rank)
    return Record(
        name=name,
        function=of_parts,
        reference=expected,
        variants=(
            *(call(Values(s), Values(s)) for s in shapes),
            call(big, big, fft_length=longer),
            call(big, big, fft_length=shorter),
        ),
        dtypes=("float32", "float64"),
        differentiable=(0, 1),
        lossy=True,
        needs="rank",
    )


def _cosine_record(name: str) -> Record:
    # TF's inverse has no factor: it is the transform of the paired type.
    paired = {1: 1, 2: 2, 3: 3} if name == "dct" else {1: 1, 2: 3, 3: 2}
    return Record(
        name=name,
        function=getattr(cosine, name),
        reference=lambda x, type=2, norm=None: scipy.fft.dct(x, type=paired[type], norm=norm),
        variants=(
            call(Values((5,))),
            call(Values((2, 8)), norm="ortho"),
            call(Values((2, 3, 4)), type=3),
            call(Values((7,)), type=3, norm="ortho"),
            call(Values((2, 5)), type=1),
        ),
        dtypes=("float32", "float64"),
        differentiable=(0,),
        lossy=True,
        needs="rank",
        refused=(
            Refused(lambda: getattr(cosine, name)(constant([1.0]), type=4), ValueError, "Types I, II and III"),
            Refused(lambda: getattr(cosine, name)(constant([1.0]), norm="bad"), ValueError, "Unknown normalization"),
            Refused(lambda: getattr(cosine, name)(constant([1.0]), axis=0), NotImplementedError, "axis must be -1"),
            Refused(lambda: getattr(cosine, name)(constant([1.0]), n=3), NotImplementedError, "length"),
        ),
    )


_RANKS = (("", 1), ("2d", 2), ("3d", 3))
RECORDS = [
    *(_complex_record(f"{way}{suffix}", rank) for suffix, rank in _RANKS for way in ("fft", "ifft")),
    *(_parts_record(f"{way}{suffix}", rank) for suffix, rank in _RANKS for way in ("fft", "ifft")),
    *(_real_record(f"rfft{suffix}", rank) for suffix, rank in _RANKS),
    *(_real_inverse_record(f"irfft{suffix}", rank) for suffix, rank in _RANKS),
    _cosine_record("dct"),
    _cosine_record("idct"),
]
