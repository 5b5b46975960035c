"""Writes quantize.json.xz: what tf.contrib.quantize makes of the networks of quantize_programs.py on TensorFlow 1.15.

/path/to/tensorflow-1.15/bin/python tests/golden/make_quantize.py
"""

import json
import lzma
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf
from quantize_programs import PROGRAMS, run

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "quantize.json.xz")
with lzma.open(FILE, "wt") as golden:
    json.dump({name: run(tf, name) for name in PROGRAMS}, golden)
    golden.write("\n")
