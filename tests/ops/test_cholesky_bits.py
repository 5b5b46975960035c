"""Cholesky factors of small real matrices have TensorFlow's bits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden.cholesky_programs import digests

import ferroflow as tf

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "cholesky.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("dtype", EXPECTED)
def test_the_bits_are_tensorflows(dtype):
    assert digests(tf, dtype) == EXPECTED[dtype]
