"""Law: a step's products and convolutions have the same bits with every instruction set that the machine has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ferroflow

_PROGRAM = """
import hashlib
import numpy as np
import ferroflow as tf

draw = np.random.RandomState(3)
digest = hashlib.sha256()
with tf.Graph().as_default(), tf.Session() as session:
    for dtype in (np.float32, np.float64):
        a, b = (tf.constant(draw.randn(*size).astype(dtype)) for size in ((37, 611), (611, 53)))
        images, filters = (tf.constant(draw.randn(*size).astype(dtype)) for size in ((2, 14, 14, 17), (3, 3, 17, 19)))
        strided = tf.nn.conv2d(images, filters, [1, 2, 2, 1], "SAME")
        plain = tf.nn.conv2d(images, filters, [1, 1, 1, 1], "SAME")
        loss = tf.reduce_sum(tf.square(strided)) + tf.reduce_sum(tf.tanh(plain))
        fetches = [tf.matmul(a, b), tf.matmul(a, a, transpose_b=True), tf.matmul(b, b, transpose_a=True), a @ b[:, :1]]
        fetches += [strided, plain, tf.nn.softmax(a), *tf.gradients(loss, [images, filters])]
        for value in session.run(fetches):
            digest.update(value.tobytes())
print(digest.hexdigest())
"""


def _run(cpu: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(ferroflow.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env={**os.environ, "PYTHONPATH": root, "FERROFLOW_CPU": cpu},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )


@pytest.mark.parametrize("cpu", ["avx2", "portable"])
def test_bits_are_the_same_with_every_instruction_set(cpu: str) -> None:
    assert _run(cpu).stdout == _run("avx512").stdout


def test_an_unknown_instruction_set_is_reported() -> None:
    done = _run("avx1024")
    assert "FERROFLOW_CPU" in done.stderr
    assert "avx1024" in done.stderr
