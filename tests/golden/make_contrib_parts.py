"""Writes contrib_parts.json: what the programs of contrib_part_programs.py give on TensorFlow 1.15.

/path/to/tensorflow-1.15/bin/python tests/golden/make_contrib_parts.py
"""

import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf
from contrib_part_programs import PROGRAMS, run

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contrib_parts.json")
with open(FILE, "w") as golden:
    json.dump({name: run(tf, program) for name, program in PROGRAMS.items()}, golden)
    golden.write("\n")
