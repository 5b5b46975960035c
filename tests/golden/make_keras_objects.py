"""Writes keras_objects.json: what the programs of keras_object_programs.py find.

Run with TensorFlow 1.15.5 under Python 3.7: `python tests/golden/make_keras_objects.py`.
"""

from __future__ import annotations

import json
import pathlib

import keras_object_programs as programs
import tensorflow as tf

if __name__ == "__main__":
    found = {
        "losses": [programs.loss_values(tf, case) for case in programs.LOSSES],
        "metrics": [programs.metric_values(tf, case) for case in programs.METRICS],
        "training": programs.training(tf),
    }
    out = pathlib.Path(__file__).resolve().with_name("keras_objects.json")
    out.write_text(json.dumps(found, indent=1) + "\n")
