"""Writes version_2.json: what the expressions of version_2_programs.py give on TensorFlow 1.15.

/path/to/tensorflow-1.15/bin/python tests/golden/make_version_2.py
"""

import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as v1
import tensorflow.compat.v2 as v2
from version_2_programs import ERRORS, EXPRESSIONS, NAMED, evaluate

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "version_2.json")
with open(FILE, "w") as golden:
    found = {expression: evaluate(v1, v2, expression) for expression in (*EXPRESSIONS, *NAMED, *ERRORS)}
    rows = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    golden.write("{\n" + ",\n".join(rows) + "\n}\n")
