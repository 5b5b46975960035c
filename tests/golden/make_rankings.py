"""Writes rankings.json: what TensorFlow 2 makes of `ranking_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from ranking_programs import CASES, describe  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    lines = [f"{json.dumps(case)}:{json.dumps(describe(tf, case), separators=(',', ':'))}" for case in CASES]
    with open(os.path.join(HERE, "rankings.json"), "w") as file:
        file.write("{" + ",\n".join(lines) + "}\n")
