"""Writes static_shapes.json: the static shapes that TensorFlow infers in the programs of static_shape_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_static_shapes.py`.
"""

import json
import os

import tensorflow as tf
from static_shape_programs import describe, programs

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static_shapes.json")


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    found = {name: describe(tf, program) for name, program in programs(tf).items()}
    with open(OUT, "w") as file:
        lines = [json.dumps(name) + ": " + json.dumps(shapes, separators=(",", ":")) for name, shapes in found.items()]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
