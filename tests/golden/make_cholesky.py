"""Writes cholesky.json: digests of TensorFlow's Cholesky factors of small matrices.

Run with TensorFlow 1.15.5, which uses AVX: `python tests/golden/make_cholesky.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from cholesky_programs import digests

OUT = pathlib.Path(__file__).with_name("cholesky.json")


def main() -> None:
    found = {dtype: digests(tf, dtype) for dtype in ("float32", "float64")}
    OUT.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
