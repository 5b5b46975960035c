"""Writes keras_names.json: what the programs of keras_name_programs.py find.

Run with TensorFlow 1.15.5 under Python 3.7: `python tests/golden/make_keras_names.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from keras_name_programs import results

if __name__ == "__main__":
    out = pathlib.Path(__file__).resolve().with_name("keras_names.json")
    out.write_text(json.dumps(results(tf), indent=1) + "\n")
