"""Writes training.json: the losses that TensorFlow 2 has in the runs of `training_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from training_programs import PROGRAMS, losses  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    lines = [f"{json.dumps(name)}:{json.dumps(losses(tf, name), separators=(',', ':'))}" for name in PROGRAMS]
    with open(os.path.join(HERE, "training.json"), "w") as file:
        file.write("{" + ",\n".join(lines) + "}\n")
