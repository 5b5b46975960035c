"""Writes layers.json: what TensorFlow 2, with the package tf_keras beside it, makes of `layer_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ["TF_USE_LEGACY_KERAS"] = "1"

import tensorflow.compat.v1 as tf  # noqa: E402
from layer_programs import PROGRAMS, describe  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    made = {program.__name__: describe(tf, program) for program in PROGRAMS}
    lines = [f"{json.dumps(name)}:{json.dumps(content, separators=(',', ':'))}" for name, content in made.items()]
    with open(os.path.join(HERE, "layers.json"), "w") as file:
        file.write("{" + ",\n".join(lines) + "}\n")
