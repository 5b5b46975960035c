"""Writes normalization_layers.json: what TensorFlow 2, with tf_keras beside it, makes of these programs."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ["TF_USE_LEGACY_KERAS"] = "1"

import tensorflow.compat.v1 as tf  # noqa: E402
from normalization_layer_programs import CASES, POOLINGS, describe, describe_pooling  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    made = {case: describe(tf, case) for case in CASES}
    made.update({case: describe_pooling(tf, case) for case in POOLINGS})
    lines = [f"{json.dumps(name)}:{json.dumps(content, separators=(',', ':'))}" for name, content in made.items()]
    with open(os.path.join(HERE, "normalization_layers.json"), "w") as file:
        file.write("{" + ",\n".join(lines) + "}\n")
