"""`tf.signal`: signal processing and Fourier transforms."""

from ferroflow._src.ops.signal.framing import (
    frame as frame,
)
from ferroflow._src.ops.signal.framing import (
    overlap_and_add as overlap_and_add,
)
from ferroflow._src.ops.signal.mel import (
    linear_to_mel_weight_matrix as linear_to_mel_weight_matrix,
)
from ferroflow._src.ops.signal.mel import (
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from ferroflow._src.ops.signal.stft import (
    inverse_stft as inverse_stft,
)
from ferroflow._src.ops.signal.stft import (
    inverse_stft_window_fn as inverse_stft_window_fn,
)
from ferroflow._src.ops.signal.stft import (
    stft as stft,
)
from ferroflow._src.ops.signal.window import (
    hamming_window as hamming_window,
)
from ferroflow._src.ops.signal.window import (
    hann_window as hann_window,
)
from ferroflow._src.ops.spectral.cosine import (
    dct as dct,
)
from ferroflow._src.ops.spectral.cosine import (
    idct as idct,
)
from ferroflow._src.ops.spectral.fourier import (
    fft as fft,
)
from ferroflow._src.ops.spectral.fourier import (
    fft2d as fft2d,
)
from ferroflow._src.ops.spectral.fourier import (
    fft3d as fft3d,
)
from ferroflow._src.ops.spectral.fourier import (
    ifft as ifft,
)
from ferroflow._src.ops.spectral.fourier import (
    ifft2d as ifft2d,
)
from ferroflow._src.ops.spectral.fourier import (
    ifft3d as ifft3d,
)
from ferroflow._src.ops.spectral.fourier import (
    irfft as irfft,
)
from ferroflow._src.ops.spectral.fourier import (
    irfft2d as irfft2d,
)
from ferroflow._src.ops.spectral.fourier import (
    irfft3d as irfft3d,
)
from ferroflow._src.ops.spectral.fourier import (
    rfft as rfft,
)
from ferroflow._src.ops.spectral.fourier import (
    rfft2d as rfft2d,
)
from ferroflow._src.ops.spectral.fourier import (
    rfft3d as rfft3d,
)
