"""Short-time Fourier transforms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, IntLike, TensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.arithmetic import maximum, pow as power
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.signal.framing import frame, overlap_and_add
from ferroflow._src.ops.signal.window import hann_window
from ferroflow._src.ops.spectral.fourier import irfft, rfft

_Window = Callable[..., Any]
_HANN = functools.partial(hann_window, periodic=True)


def _scalar(value: Any, name: str) -> Tensor:
    tensor: Tensor = convert_index(value, name=name)
    tensor.shape.assert_has_rank(0)
    return tensor


def _fft_length(fft_length: Any, frame_length: Tensor) -> Tensor:
    """Returns the given length, or the least power of two that is not below that of a frame."""
    if fft_length is not None:
        return _scalar(fft_length, "fft_length")
    known = constant_value(frame_length)
    if known is not None:
        return _scalar(1 << max(int(known) - 1, 0).bit_length(), "fft_length")
    exponent = elementwise.ceil(elementwise.log(cast(frame_length, dtypes.float32)) / elementwise.log(2.0))
    return cast(power(2.0, exponent), dtypes.int32)


def stft(
    signals: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    fft_length: IntLike | None = None,
    window_fn: _Window | None = _HANN,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the Fourier transforms of overlapping frames.

    Args:
        signals: Tensor of float32 or float64, of shape [..., samples].
        frame_length: int, or Tensor of int32 of shape []: the number of samples of a frame.
        frame_step: int, or Tensor of int32 of shape []: the number of samples from the start of one frame to the next.
        fft_length: int, or Tensor of int32 of shape []: the length of the transforms; None for the least power of two
            that is not below `frame_length`.
        window_fn: function of a length and a `dtype` that makes the window by which frames are multiplied, or
            None.
        pad_end: bool. If True, the end is padded with zeros, so that every step begins a frame.
        name: str, name scope of the operations.

    Returns:
        Tensor of complex64 or complex128, of shape [..., frames, fft_length / 2 + 1].
    """
    with name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        length, step = _scalar(frame_length, "frame_length"), _scalar(frame_step, "frame_step")
        transform = _fft_length(fft_length, length)
        frames = frame(signals, length, step, pad_end=pad_end)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype.base_dtype)
        return rfft(frames, joining.stack([transform]))


def inverse_stft_window_fn(frame_step: IntLike, forward_window_fn: _Window = _HANN, name: str | None = None) -> _Window:
    """Returns the window by which `inverse_stft` undoes `stft` with another window.

    Args:
        frame_step: int, or Tensor of int32 of shape []: the number of samples from the start of one frame to the next.
        forward_window_fn: the window of `stft`.
        name: str, name scope of the operations.

    Returns:
        Function of a length and a `dtype` that makes a window: the other one over the sum of its squares at every step.
    """
    with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
        step = _scalar(frame_step, "frame_step")

    def inverse_window(frame_length: Any, dtype: DTypeLike) -> Any:
        with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
            length = _scalar(frame_length, "frame_length")
            window = forward_window_fn(length, dtype=dtype)
            steps = -(-length // step)
            squares = shaping.pad(elementwise.square(window), joining.stack([[0, steps * step - length]]))
            sums = reduce_sum(shaping.reshape(squares, joining.stack([steps, step])), 0, keepdims=True)
            repeated = shaping.reshape(shaping.tile(sums, joining.stack([steps, 1])), joining.stack([steps * step]))
            return window / repeated[:length]

    return inverse_window


def inverse_stft(
    stfts: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    fft_length: IntLike | None = None,
    window_fn: _Window | None = _HANN,
    name: str | None = None,
) -> Tensor:
    """Computes signals from the Fourier transforms of overlapping frames.

    Args:
        stfts: Tensor of complex64 or complex128, of shape [..., frames, fft_length / 2 + 1].
        frame_length: int, or Tensor of int32 of shape []: the number of samples of a frame.
        frame_step: int, or Tensor of int32 of shape []: the number of samples from the start of one frame to the next.
        fft_length: int, or Tensor of int32 of shape []: the length of the transforms; None for the least power of two
            that is not below `frame_length`.
        window_fn: function of a length and a `dtype` that makes the window by which frames are multiplied, or
            None.
        name: str, name scope of the operations.

    Returns:
        Tensor of float32 or float64, of shape [..., (frames - 1) * frame_step + frame_length].
    """
    with name_scope(name, "inverse_stft", [stfts]):
        stfts = convert_to_tensor(stfts, name="stfts")
        stfts.shape.with_rank_at_least(2)
        length, step = _scalar(frame_length, "frame_length"), _scalar(frame_step, "frame_step")
        transform = _fft_length(fft_length, length)
        frames = irfft(stfts, joining.stack([transform]))[..., :length]
        missing = maximum(0, length - transform)
        if constant_value(missing) != 0:
            rank = shaping.rank(frames)
            behind = joining.concat([making.zeros(joining.stack([rank - 1]), dtype=dtypes.int32), [missing]], 0)
            frames = shaping.pad(frames, joining.stack([making.zeros_like(behind), behind], axis=1))
        if stfts.shape.ndims is not None:
            frames.set_shape([None] * (stfts.shape.ndims - 1) + [constant_value(length)])
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype.base_dtype)
        return overlap_and_add(frames, step)
