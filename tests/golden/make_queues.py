"""Writes queues.json: what TensorFlow makes of `queue_programs`, run with a Python that has TensorFlow 2."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from queue_programs import CASES, outcome  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    made = {name: outcome(tf, case) for name, case in CASES.items()}
    with open(os.path.join(HERE, "queues.json"), "w") as file:
        json.dump(made, file, indent=None, separators=(",", ":"), sort_keys=True)
        file.write("\n")
