"""Frames of signals: splitting a signal into overlapping frames, and adding such frames up."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.reduction import reduce_sum


def _known(x: Any) -> Any:
    """Returns the value as an int if it is constant, else as a tensor."""
    if not isinstance(x, Tensor):
        return int(x)
    found = constant_value(x)
    return x if found is None else int(found)


def _size(x: Tensor, axis: int) -> Any:
    known = x.get_shape()
    if known.ndims is not None and known[axis].value is not None:
        return int(known[axis])
    return shaping.shape(x)[axis]


def _at_least_zero(n: Any) -> Any:
    return maximum(0, n) if isinstance(n, Tensor) else max(0, n)


def frame(
    signal: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Splits a dimension into frames.

    Args:
        signal: Tensor of any dtype, of shape [..., samples, ...].
        frame_length: int, or Tensor of int32 of shape []: the number of samples of a frame.
        frame_step: int, or Tensor of int32 of shape []: the number of samples from the start of one frame to the next.
        pad_end: bool. If True, the end is padded, so that every step begins a frame.
        pad_value: Tensor of the dtype of `signal`, of shape []: the padding value.
        axis: int, the dimension of samples.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `signal`, of shape [..., frames, frame_length, ...].

    Raises:
        ValueError: if `frame_length`, `frame_step` or `pad_value` is not a scalar.
    """
    with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name="signal")
        length, step = (convert_index(x) for x in (frame_length, frame_step))
        length.shape.assert_has_rank(0)
        step.shape.assert_has_rank(0)
        ndims = signal.get_shape().ndims
        if ndims is not None:
            axis = axis % ndims
        length, step = _known(length), _known(step)
        samples = _size(signal, axis)
        if pad_end:
            pad_value = convert_to_tensor(pad_value, dtype=signal.dtype.base_dtype)
            pad_value.shape.assert_has_rank(0)
            frames = _at_least_zero(-(-samples // step))
            missing = _at_least_zero(length + step * (frames - 1) - samples)
            signal = shaping.pad(signal, _paddings(signal, axis, missing), constant_values=pad_value)
        else:
            frames = _at_least_zero(1 + (samples - length) // step)
        begins = shaping.expand_dims(making.range(frames) * step, 1)
        places = begins + shaping.expand_dims(making.range(length), 0)
        return indexing.gather(signal, places, axis=axis)


def _paddings(x: Tensor, axis: int, count: Any) -> Any:
    """Returns the paddings that put `count` values behind one dimension."""
    ndims = x.get_shape().ndims
    if ndims is not None:
        return [[0, count if i == axis else 0] for i in range(ndims)]
    rank = shaping.rank(x)
    behind = making.one_hot(axis % rank, rank, on_value=count, off_value=0, dtype=dtypes.int32)
    return joining.stack([making.zeros_like(behind), behind], axis=1)


def overlap_and_add(signal: TensorLike, frame_step: IntLike, name: str | None = None) -> Tensor:
    """Adds up frames that overlap: the transpose of `frame`.

    Args:
        signal: Tensor of a number dtype, of shape [..., frames, frame_length].
        frame_step: int, or Tensor of int32 of shape []: the number of samples from the start of one frame to the next.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `signal`, of shape [..., (frames - 1) * frame_step + frame_length].

    Raises:
        ValueError: if `signal` has fewer than two dimensions, or `frame_step` is not an integer scalar.
    """
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        step = convert_to_tensor(frame_step, name="frame_step")
        step.shape.assert_has_rank(0)
        if not step.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {step.dtype}")
        step = _known(step)
        frames, length = _size(signal, -2), _size(signal, -1)
        parts = -(-length // step)
        outer = shaping.shape(signal)[:-2]
        # Frames as rows of steps; part r of a frame belongs r steps behind its begin. With as many empty steps as there
        # are parts behind the frames of each part, rows that are one shorter put every part in its place.
        signal = _padded_end(signal, -1, parts * step - length)
        split = shaping.reshape(signal, joining.concat([outer, joining.stack([frames, parts, step])], 0))
        by_part = _exchanged(split)
        by_part = _padded_end(by_part, -2, parts)
        flat = shaping.reshape(by_part, joining.concat([outer, joining.stack([parts * (frames + parts), step])], 0))
        flat = flat[..., : parts * (frames + parts - 1), :]
        moved = shaping.reshape(flat, joining.concat([outer, joining.stack([parts, frames + parts - 1, step])], 0))
        total = reduce_sum(moved, axis=-3)
        result = shaping.reshape(total, joining.concat([outer, joining.stack([(frames + parts - 1) * step])], 0))
        samples = (frames - 1) * step + length
        result = result[..., :samples]
        if signal.get_shape().ndims is not None:
            known = samples if isinstance(samples, int) else None
            result.set_shape(signal.get_shape()[:-2].concatenate([known]))
        return result


def _padded_end(x: Tensor, axis: int, count: Any) -> Tensor:
    """Returns `x` with zeros behind a dimension counted from the end."""
    ndims = x.get_shape().ndims
    behind = [count if i == axis else 0 for i in range(axis, 0)]
    if ndims is not None:
        return shaping.pad(x, [[0, 0]] * (ndims + axis) + [[0, n] for n in behind])
    outer = making.zeros(joining.stack([shaping.rank(x) + axis, 2]), dtype=dtypes.int32)
    return shaping.pad(x, joining.concat([outer, joining.stack([[0, n] for n in behind])], 0))


def _exchanged(x: Tensor) -> Tensor:
    """Returns [..., a, b, c] as [..., b, a, c]."""
    ndims = x.get_shape().ndims
    perm: Any
    if ndims is not None:
        perm = [*range(ndims - 3), ndims - 2, ndims - 3, ndims - 1]
    else:
        rank = shaping.rank(x)
        perm = joining.concat([making.range(rank - 3), joining.stack([rank - 2, rank - 3, rank - 1])], 0)
    return shaping.transpose(x, perm=perm)
