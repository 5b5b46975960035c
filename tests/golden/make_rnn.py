"""Writes rnn.json: what TensorFlow 2, with tf_keras beside it, makes of these programs."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ["TF_USE_LEGACY_KERAS"] = "1"

import tensorflow.compat.v1 as tf  # noqa: E402
from rnn_programs import CASES, describe  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    made = {}
    for case in CASES:
        content = describe(tf, case)
        del content["names"]
        made[case] = content
    lines = [f"{json.dumps(name)}:{json.dumps(content, separators=(',', ':'))}" for name, content in made.items()]
    with open(os.path.join(HERE, "rnn.json"), "w") as file:
        file.write("{" + ",\n".join(lines) + "}\n")
