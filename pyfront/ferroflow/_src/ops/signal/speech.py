"""Spectrograms and coefficients for speech recognition, as the graphs of TensorFlow's examples compute them."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Tensor


def audio_spectrogram(
    input: TensorLike, window_size: int, stride: int, magnitude_squared: bool = False, name: str | None = None
) -> Tensor:
    """Returns the magnitudes of the frequencies in windows of samples, each times a Hann window.

    Args:
        input: Tensor of float32, of shape [samples, channels].
        window_size: int, the samples of a window; zeros are added up to a power of two.
        stride: int, the samples between the starts of two windows.
        magnitude_squared: bool. If True, the result holds squares.
        name: str, name of the operation.

    Returns:
        Tensor of float32, of shape [channels, windows, frequencies].

    Raises:
        ValueError: if `input` is not of rank 2, `window_size` is below 2 or `stride` is below 1.
    """
    attrs = {"window_size": window_size, "stride": stride, "magnitude_squared": magnitude_squared}
    return tensor_op("AudioSpectrogram", [input], attrs, name=name)


def mfcc(
    spectrogram: TensorLike,
    sample_rate: TensorLike,
    upper_frequency_limit: float = 4000,
    lower_frequency_limit: float = 20,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
    name: str | None = None,
) -> Tensor:
    """Returns the cosine transforms of the logarithms of a spectrogram's bands on the mel scale.

    Args:
        spectrogram: Tensor of float32, of shape [channels, windows, frequencies]: squared magnitudes.
        sample_rate: Tensor of int32, of shape []: samples per second.
        upper_frequency_limit: float, the highest frequency that counts, in hertz.
        lower_frequency_limit: float, the lowest one, in hertz.
        filterbank_channel_count: int, the number of bands.
        dct_coefficient_count: int, the number of coefficients.
        name: str, name of the operation.

    Returns:
        Tensor of float32, of shape [channels, windows, dct_coefficient_count].

    Raises:
        ValueError: if `spectrogram` is not of rank 3 or `sample_rate` not of rank 0.
        tf.errors.InvalidArgumentError: if, in a step, a limit or count is out of range, or the spectrogram ends below
            `upper_frequency_limit`.
    """
    attrs = {
        "upper_frequency_limit": upper_frequency_limit,
        "lower_frequency_limit": lower_frequency_limit,
        "filterbank_channel_count": filterbank_channel_count,
        "dct_coefficient_count": dct_coefficient_count,
    }
    return tensor_op("Mfcc", [spectrogram, sample_rate], attrs, name=name)
