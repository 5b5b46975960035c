"""Writes keras_layer_results.json: the results of the programs in keras_layer_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_keras_layers.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from keras_layer_programs import programs

OUT = pathlib.Path(__file__).with_name("keras_layer_results.json")


def main() -> None:
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.FATAL)
    lines = [f"{json.dumps(name)}: {json.dumps(program(tf))}" for name, program in programs().items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
