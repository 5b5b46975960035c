"""Writes gradient_names.json: what TensorFlow makes of `gradient_programs`, run with a Python that has TensorFlow 2."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from gradient_programs import PROGRAMS, describe  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    made = {program.__name__: describe(tf, program) for program in PROGRAMS}
    with open(os.path.join(HERE, "gradient_names.json"), "w") as file:
        json.dump(made, file, indent=None, separators=(",", ":"), sort_keys=True)
        file.write("\n")
