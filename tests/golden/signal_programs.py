"""Programs of signal processing and linear algebra whose results TensorFlow and ferroflow are compared by."""

import functools

import numpy as np


def _numbers(*shape):
    n = int(np.prod(shape))
    return np.sin(np.arange(n, dtype=np.float64) * 0.73 + 0.2).reshape(shape).astype(np.float32)


def _complex(*shape):
    return (_numbers(*shape) + 1j * _numbers(*shape[::-1]).reshape(shape)).astype(np.complex64)


def _stable(n):
    return _numbers(n, n) + np.eye(n, dtype=np.float32) * 3


def _there_and_back(tf, length, step):
    forward = functools.partial(tf.signal.hamming_window, periodic=True)
    spectra = tf.signal.stft(_numbers(2, 24), length, step, window_fn=forward)
    return tf.signal.inverse_stft(spectra, length, step, window_fn=tf.signal.inverse_stft_window_fn(step, forward))


CASES = {
    "frame": lambda tf: tf.signal.frame(_numbers(2, 9), 4, 3),
    "frame_end": lambda tf: tf.signal.frame(_numbers(2, 9), 4, 3, pad_end=True, pad_value=7),
    "frame_axis": lambda tf: tf.signal.frame(_numbers(7, 3), 3, 1, axis=0),
    "frame_short": lambda tf: tf.signal.frame(_numbers(2, 3), 5, 2),
    "frame_gaps": lambda tf: tf.signal.frame(_numbers(11), 2, 4, pad_end=True),
    "overlap_and_add": lambda tf: tf.signal.overlap_and_add(_numbers(2, 3, 5), 2),
    "overlap_and_add_even": lambda tf: tf.signal.overlap_and_add(_numbers(4, 6), 3),
    "overlap_and_add_gaps": lambda tf: tf.signal.overlap_and_add(_numbers(3, 2), 5),
    **{f"hann_{n}_{p}": (lambda tf, n=n, p=p: tf.signal.hann_window(n, p)) for n in (1, 4, 5) for p in (True, False)},
    **{f"hamming_{n}": (lambda tf, n=n: tf.signal.hamming_window(n)) for n in (4, 5)},
    "stft": lambda tf: tf.signal.stft(_numbers(2, 20), 8, 3),
    "stft_plain": lambda tf: tf.signal.stft(_numbers(20), 7, 4, fft_length=12, window_fn=None, pad_end=True),
    "stft_cut": lambda tf: tf.signal.stft(_numbers(20), 8, 4, fft_length=6),
    "inverse_stft": lambda tf: tf.signal.inverse_stft(_complex(2, 3, 5), 8, 4),
    "inverse_stft_long": lambda tf: tf.signal.inverse_stft(_complex(3, 4), 9, 5, fft_length=6),
    "there_and_back": lambda tf: _there_and_back(tf, 8, 3),
    "mel_weights": lambda tf: tf.signal.linear_to_mel_weight_matrix(5, 17, 8000, 100.0, 3500.0),
    "mfccs": lambda tf: tf.signal.mfccs_from_log_mel_spectrograms(_numbers(2, 6)),
    "dct1": lambda tf: tf.signal.dct(_numbers(2, 5), type=1),
    "dct2": lambda tf: tf.signal.dct(_numbers(2, 5), type=2, norm="ortho"),
    "dct3": lambda tf: tf.signal.dct(_numbers(2, 6), type=3),
    "dct3_ortho": lambda tf: tf.signal.dct(_numbers(6), type=3, norm="ortho"),
    "idct2": lambda tf: tf.signal.idct(_numbers(2, 5), type=2),
    "rfft_long": lambda tf: tf.signal.rfft(_numbers(2, 5), fft_length=[8]),
    "rfft2d_cut": lambda tf: tf.signal.rfft2d(_numbers(4, 6), fft_length=[3, 5]),
    "irfft_odd": lambda tf: tf.signal.irfft(_complex(2, 4), fft_length=[7]),
    "irfft2d": lambda tf: tf.signal.irfft2d(_complex(4, 3)),
    "irfft3d": lambda tf: tf.signal.irfft3d(_complex(2, 3, 4)),
    "fft3d": lambda tf: tf.signal.fft3d(_complex(2, 3, 4)),
    "qr_tall": lambda tf: tf.linalg.qr(_numbers(5, 3))[1],
    "qr_wide": lambda tf: tf.linalg.qr(_numbers(3, 5))[0],
    "least_squares_deficient": lambda tf: tf.linalg.lstsq(
        np.outer(_numbers(4), _numbers(3)), _numbers(4, 2), fast=False
    ),
    "least_squares": lambda tf: tf.linalg.lstsq(_numbers(6, 3), _numbers(6, 2), l2_regularizer=0.3),
    "expm": lambda tf: tf.linalg.expm(_numbers(2, 3, 3) * 2),
    "logm": lambda tf: tf.linalg.logm(_stable(3).astype(np.complex64)),
    "sqrtm": lambda tf: tf.linalg.sqrtm(_stable(4)),
    "slogdet": lambda tf: tf.linalg.slogdet(-_stable(3))[1],
    "norm_2": lambda tf: tf.norm(_numbers(3, 2, 4), ord=2, axis=(0, 2)),
    "eigh": lambda tf: tf.linalg.eigh(_stable(4) + _stable(4).T)[0],
}


def describe(tf, case):
    """The result of a case: its dtype, shape and elements, a complex one as its parts."""
    with tf.Graph().as_default(), tf.Session() as session:
        value = session.run(CASES[case](tf))
    parts = [value.real, value.imag] if np.iscomplexobj(value) else [value]
    return {
        "dtype": value.dtype.name,
        "shape": list(value.shape),
        "elements": [[float(f"{x:.7g}") for x in part.reshape(-1)] for part in parts],
    }
