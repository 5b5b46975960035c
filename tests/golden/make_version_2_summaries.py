"""Writes version_2_summaries.json: the events that TensorFlow 1.15 writes for version_2_summary_programs.py.

/path/to/tensorflow-1.15/bin/python tests/golden/make_version_2_summaries.py
"""

import json
import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf
import tensorflow.compat.v2 as v2
from version_2_summary_programs import written

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "version_2_summaries.json")
with tempfile.TemporaryDirectory() as folder, open(FILE, "w") as golden:
    json.dump(written(tf, v2, folder), golden, sort_keys=True)
    golden.write("\n")
