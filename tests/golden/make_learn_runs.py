"""Writes learn_runs.json: what the programs in learn_run_programs.py give.

Run with TensorFlow 1.15.5: `python tests/golden/make_learn_runs.py`.
"""

import json
import pathlib
import tempfile

import tensorflow as tf
from learn_run_programs import PROGRAMS, result_of

OUT = pathlib.Path(__file__).with_name("learn_runs.json")

if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    lines = []
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            lines.append(f"{json.dumps(name)}: {json.dumps(result_of(tf, name, folder), sort_keys=True)}")
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
