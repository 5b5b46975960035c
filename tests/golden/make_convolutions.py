"""Writes convolutions.json: what TensorFlow computes for `convolution_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from convolution_programs import programs, run  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    lines = []
    for name in programs():
        found = {key: [round(float(v), 6) for v in value.ravel()] for key, value in run(tf, name).items()}
        lines.append(f"{json.dumps(name)}:{json.dumps(found, separators=(',', ':'))}")
    with open(os.path.join(HERE, "convolutions.json"), "w") as file:
        file.write("{" + ",\n".join(lines) + "}\n")
