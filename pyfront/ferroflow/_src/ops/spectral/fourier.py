"""Fourier transforms over the last one, two or three dimensions, of complex and of real numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.math.arithmetic import maximum

_Transform = Callable[..., Tensor]
_OVER = {1: "the last dimension", 2: "the last two dimensions", 3: "the last three dimensions"}


def _named(function: _Transform, public_name: str, doc: str) -> _Transform:
    document(function, doc, name=public_name)
    return function


def _complex(public_name: str, op_type: str, rank: int) -> _Transform:
    def transform(input: TensorLike, name: str | None = None) -> Tensor:
        tensor = convert_to_tensor(input, name="input", preferred_dtype=dtypes.complex64)
        return tensor_op(op_type, [tensor], {"Tcomplex": tensor.dtype.base_dtype}, name=name)

    what = "inverse discrete Fourier transform" if op_type.startswith("I") else "discrete Fourier transform"
    return _named(
        transform,
        public_name,
        f"""Computes the {what} over {_OVER[rank]}.

    Args:
        input: Tensor of complex64 or complex128, with at least {rank} dimensions.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.
    """,
    )


def _real(public_name: str, op_type: str, rank: int) -> _Transform:
    def transform(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
        with name_scope(name, public_name, [input_tensor, fft_length]) as scope:
            tensor = _of_dtype(input_tensor, dtypes.float32, dtypes.float64)
            tensor.shape.with_rank_at_least(rank)
            length = _length(tensor, fft_length, rank, half=False)
            tensor = _padded(tensor, length, rank, half=False)
            is_double = tensor.dtype.base_dtype == dtypes.float64
            attrs = {"Tcomplex": dtypes.complex128 if is_double else dtypes.complex64}
            return tensor_op(op_type, [tensor, length], attrs, name=scope)

    return _named(
        transform,
        public_name,
        f"""Computes the discrete Fourier transform of real numbers over {_OVER[rank]}.

    Args:
        input_tensor: Tensor of float32 or float64, with at least {rank} dimensions.
        fft_length: Tensor of int32, of shape [{rank}]: the lengths to which the dimensions are cut or padded with
            zeros; None for those of the input.
        name: str, name of the operation.

    Returns:
        Tensor of complex64 or complex128: of the last dimension the fft_length / 2 + 1 non-negative frequencies.
    """,
    )


def _real_inverse(public_name: str, op_type: str, rank: int) -> _Transform:
    def transform(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
        with name_scope(name, public_name, [input_tensor, fft_length]) as scope:
            tensor = _of_dtype(input_tensor, dtypes.complex64, dtypes.complex128)
            tensor.shape.with_rank_at_least(rank)
            length = _length(tensor, fft_length, rank, half=True)
            tensor = _padded(tensor, length, rank, half=True)
            is_double = tensor.dtype.base_dtype == dtypes.complex128
            attrs = {"Treal": dtypes.float64 if is_double else dtypes.float32}
            return tensor_op(op_type, [tensor, length], attrs, name=scope)

    return _named(
        transform,
        public_name,
        f"""Computes real numbers from their discrete Fourier transform over {_OVER[rank]}.

    Args:
        input_tensor: Tensor of complex64 or complex128, with at least {rank} dimensions: of the last one the
            non-negative frequencies alone.
        fft_length: Tensor of int32, of shape [{rank}]: the lengths of the result; None for those of the input, of the
            last dimension 2 (n - 1).
        name: str, name of the operation.

    Returns:
        Tensor of float32 or float64.
    """,
    )


def _of_dtype(value: Any, usual: Any, wide: Any) -> Tensor:
    """Returns a tensor of the wide dtype as it is, everything else as the usual one."""
    if isinstance(value, Tensor) and value.dtype.base_dtype == wide:
        return value
    return convert_to_tensor(value, dtype=usual)


def _length(tensor: Tensor, fft_length: Any, rank: int, half: bool) -> Tensor:
    if fft_length is not None:
        return convert_index(fft_length)
    sizes = _known_sizes(tensor, rank)
    if sizes is not None:
        if half:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return convert_index(sizes)
    dims = shaping.shape(tensor)[-rank:]
    if not half:
        return dims
    parts = joining.unstack(dims, num=rank)
    parts[-1] = maximum(0, 2 * (parts[-1] - 1))
    return joining.stack(parts)


def _known_sizes(tensor: Tensor, rank: int) -> list[int] | None:
    """Returns the last dimensions, where all are known."""
    known = tensor.get_shape()
    if known.ndims is None or not known[-rank:].is_fully_defined():
        return None
    return [int(n) for n in known[-rank:]]


def _padded(tensor: Tensor, fft_length: Tensor, rank: int, half: bool) -> Tensor:
    """Returns the tensor with zeros behind, where it is shorter than the transform."""
    known = tensor.get_shape()
    if known.ndims is not None and 0 in known.as_list():
        return tensor
    found = constant_value(fft_length)
    wanted = None if found is None else [int(n) for n in found]
    sizes = _known_sizes(tensor, rank)
    if wanted is not None and sizes is not None:
        if half:
            wanted[-1] = wanted[-1] // 2 + 1
        paddings = [[0, max(n - size, 0)] for n, size in zip(wanted, sizes, strict=True)]
        if not any(behind for _, behind in paddings):
            return tensor
        return shaping.pad(tensor, [[0, 0]] * (len(known) - len(paddings)) + paddings)
    dims = shaping.shape(tensor)
    outer = making.zeros(shaping.expand_dims(maximum(0, shaping.rank(tensor) - rank), 0), dtype=dtypes.int32)
    if half:
        fft_length = joining.concat([fft_length[:-1], fft_length[-1:] // 2 + 1], 0)
    behind = joining.concat([outer, maximum(0, fft_length - dims[-rank:])], 0)
    return shaping.pad(tensor, joining.stack([making.zeros_like(behind), behind], axis=1))


fft = _complex("fft", "FFT", 1)
ifft = _complex("ifft", "IFFT", 1)
fft2d = _complex("fft2d", "FFT2D", 2)
ifft2d = _complex("ifft2d", "IFFT2D", 2)
fft3d = _complex("fft3d", "FFT3D", 3)
ifft3d = _complex("ifft3d", "IFFT3D", 3)
rfft = _real("rfft", "RFFT", 1)
irfft = _real_inverse("irfft", "IRFFT", 1)
rfft2d = _real("rfft2d", "RFFT2D", 2)
irfft2d = _real_inverse("irfft2d", "IRFFT2D", 2)
rfft3d = _real("rfft3d", "RFFT3D", 3)
irfft3d = _real_inverse("irfft3d", "IRFFT3D", 3)
