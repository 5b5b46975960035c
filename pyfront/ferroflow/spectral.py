"""`tf.spectral`: Fourier and cosine transforms."""

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
