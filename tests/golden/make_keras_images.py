"""Writes keras_images.json.xz: what TensorFlow gives for the programs of keras_image_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_keras_images.py`.
"""

from __future__ import annotations

import json
import lzma
import pathlib

import tensorflow as tf
from keras_image_programs import programs

OUT = pathlib.Path(__file__).with_name("keras_images.json.xz")


def main() -> None:
    found = {}
    for name, program in programs(tf).items():
        found[name] = [[list(v.shape), [float(f"{x:.7g}") for x in v.reshape(-1)]] for v in program()]
    OUT.write_bytes(lzma.compress(json.dumps(found).encode()))


if __name__ == "__main__":
    main()
