"""Writes old_ops.json: what TensorFlow 1.15.5 makes of `old_op_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import tensorflow as tf  # noqa: E402
from golden.old_op_programs import CASES, outcome  # noqa: E402

if __name__ == "__main__":
    made = {name: outcome(tf, case) for name, case in CASES.items()}
    with open(os.path.join(HERE, "old_ops.json"), "w") as file:
        json.dump(made, file, indent=None, separators=(",", ":"), sort_keys=True)
        file.write("\n")
