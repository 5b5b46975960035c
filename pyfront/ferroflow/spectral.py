"""`tf.spectral`: Fourier and cosine transforms."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
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
