"""Writes ragged.json: what TensorFlow 1.15.5 makes of `ragged_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow as tf  # noqa: E402
from ragged_programs import CASES, outcome  # noqa: E402

if __name__ == "__main__":
    made = {name: outcome(tf, case) for name, case in CASES.items()}
    with open(os.path.join(HERE, "ragged.json"), "w") as file:
        lines = [
            f"{json.dumps(name)}:{json.dumps(found, separators=(',', ':'))}" for name, found in sorted(made.items())
        ]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
