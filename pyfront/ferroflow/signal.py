"""`tf.signal`: signal processing and Fourier transforms."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.signal.framing import (
    frame as frame,
    overlap_and_add as overlap_and_add,
)
from ferroflow._src.ops.signal.mel import (
    linear_to_mel_weight_matrix as linear_to_mel_weight_matrix,
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from ferroflow._src.ops.signal.stft import (
    inverse_stft as inverse_stft,
    inverse_stft_window_fn as inverse_stft_window_fn,
    stft as stft,
)
from ferroflow._src.ops.signal.window import (
    hamming_window as hamming_window,
    hann_window as hann_window,
)
from ferroflow._src.ops.spectral.centered import fftshift as fftshift, ifftshift as ifftshift
from ferroflow._src.ops.spectral.cosine import (
    dct as dct,
    idct as idct,
)
from ferroflow._src.ops.spectral.fourier import (
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
    irfft as irfft,
    irfft2d as irfft2d,
    irfft3d as irfft3d,
    rfft as rfft,
    rfft2d as rfft2d,
    rfft3d as rfft3d,
)

_tell_absent(globals())
