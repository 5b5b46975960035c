"""Writes contrib_distributions.json: what TensorFlow 1.15.5 makes of `contrib_distribution_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow as tf  # noqa: E402
from contrib_distribution_programs import CASES, describe  # noqa: E402

if __name__ == "__main__":
    lines = ["{}:{}".format(json.dumps(case), json.dumps(describe(tf, case), separators=(",", ":"))) for case in CASES]
    with open(os.path.join(HERE, "contrib_distributions.json"), "w") as file:
        file.write("{" + ",\n".join(lines) + "}\n")
