"""WAV files of 16 bits."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.handles import Tensor


class DecodeWav(NamedTuple):
    """Result of `decode_wav`.

    Attributes:
        audio: Tensor of float32, of shape [samples, channels], in [-1, 1).
        sample_rate: Tensor of int32, of shape []: samples per second.
    """

    audio: Tensor
    sample_rate: Tensor


def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """Makes the content of a WAV file of 16 bits.

    Args:
        audio: Tensor of float32, of shape [samples, channels]; values are clipped to [-1, 1].
        sample_rate: Tensor of int32, of shape []: samples per second.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape [].

    Raises:
        ValueError: if `audio` is not of rank 2, or `sample_rate` not of rank 0.
        tf.errors.InvalidArgumentError: if a step finds no samples, or a rate that is not positive.
    """
    return tensor_op("EncodeWav", [audio, sample_rate], name=name)


def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """Reads the content of a WAV file of 16 bits.

    Args:
        contents: Tensor of string, of shape [].
        desired_channels: int, the number of channels: more are cut, fewer get copies of the last one; -1 for all.
        desired_samples: int, the number of samples: more are cut, fewer get zeros behind them; -1 for all.
        name: str, name of the operation.

    Returns:
        DecodeWav.

    Raises:
        ValueError: if `contents` is not of rank 0.
        tf.errors.InvalidArgumentError: if a file read in a step is not a WAV file.
    """
    attrs = {"desired_channels": desired_channels, "desired_samples": desired_samples}
    return DecodeWav(*apply_op("DecodeWav", [contents], attrs, name=name).outputs)
