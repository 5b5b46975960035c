"""WAV files of 16 bits, made and read by Python as the step runs."""

from __future__ import annotations

import io
import wave
from typing import Any, NamedTuple

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.script.py_func import py_func

_SCALE = 32768.0


class DecodeWav(NamedTuple):
    """Result of `decode_wav`.

    Attributes:
        audio: Tensor of float32, of shape [samples, channels], in [-1, 1).
        sample_rate: Tensor of int32, of shape []: samples per second.
    """

    audio: Tensor
    sample_rate: Tensor


def _encoded(audio: np.ndarray[Any, Any], rate: np.ndarray[Any, Any]) -> bytes:
    if not audio.size:
        raise ValueError("audio is null")
    if not rate > 0:
        raise ValueError(f"sample_rate must be in (0, 2^32), got: {rate}")
    scaled = np.clip(audio.astype(np.float64) * _SCALE, -32768, 32767)
    # Halves go away from zero.
    samples = np.trunc(scaled + np.copysign(0.5, scaled)).astype("<i2")
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(audio.shape[1])
        file.setsampwidth(2)
        file.setframerate(int(rate))
        file.writeframes(samples.tobytes())
    return written.getvalue()


def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """Makes the content of a WAV file of 16 bits.

    Args:
        audio: Tensor of float32, of shape [samples, channels]; values are clipped to [-1, 1].
        sample_rate: Tensor of int32, of shape []: samples per second.
        name: str, name scope of the operations.

    Returns:
        Tensor of string, of shape [].

    Raises:
        ValueError: if `audio` is not of rank 2, or `sample_rate` not of rank 0.
        tf.errors.InvalidArgumentError: if a step finds no samples, or a rate that is not positive.
    """
    with name_scope(name, "EncodeWav", [audio, sample_rate]):
        audio = convert_to_tensor(audio, dtypes.float32, name="audio")
        sample_rate = convert_to_tensor(sample_rate, dtypes.int32, name="sample_rate")
        audio.get_shape().assert_has_rank(2)
        sample_rate.get_shape().assert_has_rank(0)
        content: Tensor = py_func(_encoded, [audio, sample_rate], dtypes.string, stateful=False)
        content.set_shape([])
        return content


def _decoded(content: bytes, channels: int, samples: int) -> tuple[np.ndarray[Any, Any], np.int32]:
    try:
        with wave.open(io.BytesIO(content)) as file:
            if file.getsampwidth() != 2:
                raise ValueError(f"Can only read 16-bit WAV files, but received {8 * file.getsampwidth()}")
            found = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
            rate = np.int32(file.getframerate())
    except (wave.Error, EOFError) as failure:
        raise ValueError(f"the content is not a WAV file: {failure or 'it is cut short'}") from failure
    audio = found.astype(np.float32) / np.float32(_SCALE)
    if channels > audio.shape[1]:
        # The last channel stands for those that are missing.
        audio = np.concatenate([audio, *[audio[:, -1:]] * (channels - audio.shape[1])], 1)
    if channels > 0:
        audio = audio[:, :channels]
    if samples > 0:
        audio = np.pad(audio[:samples], [(0, max(0, samples - len(audio))), (0, 0)])
    return np.ascontiguousarray(audio), rate


def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """Reads the content of a WAV file of 16 bits.

    Args:
        contents: Tensor of string, of shape [].
        desired_channels: int, the number of channels: more are cut, fewer get copies of the last one; -1 for all.
        desired_samples: int, the number of samples: more are cut, fewer get zeros behind them; -1 for all.
        name: str, name scope of the operations.

    Returns:
        DecodeWav.

    Raises:
        ValueError: if `contents` is not of rank 0.
        tf.errors.InvalidArgumentError: if a file read in a step is not a WAV file.
    """
    with name_scope(name, "DecodeWav", [contents]):
        contents = convert_to_tensor(contents, dtypes.string, name="contents")
        contents.get_shape().assert_has_rank(0)

        def decoded(content: bytes) -> tuple[np.ndarray[Any, Any], np.int32]:
            return _decoded(content, desired_channels, desired_samples)

        audio, rate = py_func(decoded, [contents], [dtypes.float32, dtypes.int32], stateful=False)
        audio.set_shape(
            [desired_samples if desired_samples > 0 else None, desired_channels if desired_channels > 0 else None]
        )
        rate.set_shape([])
        return DecodeWav(audio, rate)
