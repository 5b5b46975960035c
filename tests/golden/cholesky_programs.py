"""Positive definite matrices whose elements no version of NumPy rounds otherwise."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

SIDES = range(1, 32)


def matrices(side: int, dtype: str) -> np.ndarray:
    """Returns 8 matrices of `side` rows: integers divided by 7."""
    x = np.random.RandomState(side).randint(-8, 9, (8, side, side)).astype("float64")
    products = np.stack([one.dot(one.T) for one in x]) + np.eye(side)
    return products.astype(dtype) / np.dtype(dtype).type(7)


def digests(tf: Any, dtype: str) -> list[str]:
    """Returns the SHA-256 digests of the factors' bytes, one for each side."""
    with tf.Graph().as_default(), tf.Session() as session:
        factors = session.run([tf.cholesky(tf.constant(matrices(side, dtype))) for side in SIDES])
    return [hashlib.sha256(np.ascontiguousarray(factor).tobytes()).hexdigest()[:16] for factor in factors]
