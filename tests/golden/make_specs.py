"""Writes specs.json: what the programs of spec_programs.py give on TensorFlow 1.15.

/path/to/tensorflow-1.15/bin/python tests/golden/make_specs.py
"""

import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf
from spec_programs import programs

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "specs.json")
with open(FILE, "w") as golden:
    json.dump({name: program() for name, program in programs(tf).items()}, golden, indent=1)
    golden.write("\n")
