"""Writes slim_nets.json.xz: what TensorFlow 1.15.5 makes of `slim_net_programs`."""

import json
import lzma
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow as tf  # noqa: E402
from slim_net_programs import CASES, describe  # noqa: E402

if __name__ == "__main__":
    found = {case: describe(tf, case) for case in CASES}
    with lzma.open(os.path.join(HERE, "slim_nets.json.xz"), "wt") as file:
        json.dump(found, file, sort_keys=True)
