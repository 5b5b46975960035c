"""Writes later_ops.json: what TensorFlow 1.15.5 makes of `later_op_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from later_op_programs import CASES, outcome  # noqa: E402

if __name__ == "__main__":
    made = {name: outcome(tf, case) for name, case in CASES.items()}
    with open(os.path.join(HERE, "later_ops.json"), "w") as file:
        json.dump(made, file, indent=None, separators=(",", ":"), sort_keys=True)
        file.write("\n")
