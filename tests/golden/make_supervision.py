"""Writes supervision.json: what TensorFlow 2 gives for the programs in supervision_programs.py."""

import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow.compat.v1 as tf  # noqa: E402
from supervision_programs import results  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = results(tf, folder)
    with open(os.path.join(HERE, "supervision.json"), "w") as file:
        json.dump(found, file, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    tf.disable_v2_behavior()
    main()
