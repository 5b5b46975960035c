"""Mel spectra and mel-frequency cepstral coefficients."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, IntLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.signal.framing import frame
from ferroflow._src.ops.spectral.cosine import dct

# mel = 1127 ln(1 + hertz / 700): O'Shaughnessy, Speech Communication, 1987, with the natural logarithm.
_BREAK_HERTZ = 700.0
_HIGH_Q = 1127.0


def _mel(hertz: Any) -> Any:
    return _HIGH_Q * elementwise.log(1.0 + hertz / _BREAK_HERTZ)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: IntLike = 129,
    sample_rate: float = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Makes the matrix that turns magnitudes of frequencies in hertz into those of mel bands.

    Args:
        num_mel_bins: int, the number of bands.
        num_spectrogram_bins: int, or Tensor of int32 of shape []: the number of frequencies from 0 to half the sample
            rate.
        sample_rate: float, samples per second.
        lower_edge_hertz: float, where the lowest band begins.
        upper_edge_hertz: float, where the highest band ends.
        dtype: DType of the result, a floating one.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of shape [num_spectrogram_bins, num_mel_bins]: each column a triangle of height 1.

    Raises:
        ValueError: if an argument is not positive, or the edges are not in order or above half the sample rate.
    """
    dtype = dtypes.as_dtype(dtype)
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if sample_rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
    if lower_edge_hertz < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
    if lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(f"lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz {upper_edge_hertz:.1f}")
    if upper_edge_hertz > sample_rate / 2:
        raise ValueError(
            f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got: "
            f"{upper_edge_hertz} for sample_rate: {sample_rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")
    with name_scope(name, "linear_to_mel_weight_matrix"):
        nyquist = convert_to_tensor(sample_rate / 2.0, dtype=dtype)
        zero = convert_to_tensor(0.0, dtype=dtype)
        # The frequency 0 belongs to no band.
        bins = shaping.expand_dims(_mel(making.lin_space(zero, nyquist, num_spectrogram_bins)[1:]), 1)
        lowest, highest = (_mel(convert_to_tensor(e, dtype=dtype)) for e in (lower_edge_hertz, upper_edge_hertz))
        edges = frame(making.lin_space(lowest, highest, num_mel_bins + 2), frame_length=3, frame_step=1)
        lower, center, upper = (shaping.reshape(edges[:, i], [1, num_mel_bins]) for i in range(3))
        rising = (bins - lower) / (center - lower)
        falling = (upper - bins) / (upper - center)
        return shaping.pad(maximum(zero, minimum(rising, falling)), [[1, 0], [0, 0]], name=name)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Tensor:
    """Computes mel-frequency cepstral coefficients.

    Args:
        log_mel_spectrograms: Tensor of float32, of shape [..., num_mel_bins]: logarithms of magnitudes of mel bands.
        name: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape [..., num_mel_bins].

    Raises:
        ValueError: if there are no bands.
    """
    with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        spectra = convert_to_tensor(log_mel_spectrograms, dtype=dtypes.float32)
        known = spectra.get_shape().with_rank_at_least(1)[-1].value
        if known == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {spectra}")
        count = shaping.shape(spectra)[-1] if known is None else known
        # HTK's scale: sqrt(2 / n) of a transform without the factor 2.
        result: Tensor = dct(spectra) * elementwise.rsqrt(cast(count, dtypes.float32) * 2.0)
        return result
