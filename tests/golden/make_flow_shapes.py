"""Writes flow_shapes.json: the static shapes that TensorFlow infers in the programs of flow_shape_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_flow_shapes.py`.
"""

import json
import os

import tensorflow as tf
from flow_shape_programs import COUNT, describe

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flow_shapes.json")


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    lines = [json.dumps(describe(tf, number), separators=(",", ":")) for number in range(COUNT)]
    with open(OUT, "w") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")
