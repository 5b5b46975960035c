"""Writes learn.json.xz: what the heads and models in learn_programs.py give.

Run with TensorFlow 1.15.5: `python tests/golden/make_learn.py`.
"""

import json
import lzma
import pathlib
import tempfile

import tensorflow as tf
from learn_programs import results

OUT = pathlib.Path(__file__).with_name("learn.json.xz")

if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    with tempfile.TemporaryDirectory() as folder:
        found = {name: compute() for name, compute in results(tf, folder).items()}
    OUT.write_bytes(lzma.compress(json.dumps(found, sort_keys=True).encode(), preset=9))
