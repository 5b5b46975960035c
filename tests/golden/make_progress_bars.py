"""Writes progress_bars.json: what TensorFlow 1.15's Progbar prints for `progress_bar_programs`."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import tensorflow as tf  # noqa: E402
from progress_bar_programs import CASES, drawn  # noqa: E402
from tensorflow.python.keras.utils import generic_utils  # noqa: E402

if __name__ == "__main__":
    made = {case: drawn(tf.keras.utils.Progbar, generic_utils, case) for case in CASES}
    with open(os.path.join(HERE, "progress_bars.json"), "w") as file:
        json.dump(made, file, indent=0, sort_keys=True)
        file.write("\n")
