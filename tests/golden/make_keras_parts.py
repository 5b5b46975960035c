"""Writes keras_parts.json: the results of the programs in keras_part_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_keras_parts.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from keras_part_programs import programs, results

OUT = pathlib.Path(__file__).with_name("keras_parts.json")


def main() -> None:
    tf.logging.set_verbosity(tf.logging.FATAL)
    made = {name: results(tf, program) for name, program in programs(tf).items()}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in made.items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
