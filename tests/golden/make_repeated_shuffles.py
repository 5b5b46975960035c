"""Writes repeated_shuffles.json: the elements of repeated shuffles by the way in which they are read.

Run with TensorFlow 1.15.5: `python tests/golden/make_repeated_shuffles.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from repeated_shuffle_programs import WHOLE, elements, programs, ways

OUT = pathlib.Path(__file__).with_name("repeated_shuffles.json")


def main() -> None:
    lines = []
    for name, program in programs(tf).items():
        found = {way: elements(tf, program, read, way in WHOLE) for way, read in ways(tf).items()}
        lines.append(f"{json.dumps(name)}: {json.dumps(found)}")
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
