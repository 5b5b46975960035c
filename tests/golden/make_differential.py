"""Writes differential.txt: what TensorFlow computes for the programs of differential_programs.py.

Run with TensorFlow 2.21: `TF_ENABLE_ONEDNN_OPTS=0 python tests/golden/make_differential.py`.
"""

from __future__ import annotations

import base64
import pathlib

import numpy as np
import tensorflow.compat.v1 as tf
from differential_programs import BATCH, COUNT, program, results

OUT = pathlib.Path(__file__).with_name("differential.txt")


def line(number: int, value: object) -> str:
    """`number dtype shape bytes`, the bytes in base64."""
    array = np.asarray(value)
    shape = ",".join(map(str, array.shape)) or "-"
    content = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode() or "-"
    return f"{number} {array.dtype.name} {shape} {content}"


def main() -> None:
    tf.disable_v2_behavior()
    lines = ["# Results by TensorFlow 2.21, one program a line: number, dtype, shape, bytes in base64."]
    for start in range(0, COUNT, BATCH):
        numbers = range(start, min(start + BATCH, COUNT))
        try:
            values = results(tf, numbers)
        except Exception as error:
            for number in numbers:
                try:
                    results(tf, range(number, number + 1))
                except Exception as cause:
                    raise RuntimeError(f"program {number} ({program(number).name}): {cause}") from error
            raise
        lines += [line(number, value) for number, value in zip(numbers, values, strict=True)]
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
