"""Writes mode_exports.json: what the programs in mode_export_programs.py give.

Run with TensorFlow 1.15.5: `python tests/golden/make_mode_exports.py`.
"""

import json
import pathlib
import tempfile

import tensorflow as tf
from mode_export_programs import PROGRAMS, result_of

OUT = pathlib.Path(__file__).with_name("mode_exports.json")

if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    lines = []
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            lines.append(f"{json.dumps(name)}: {json.dumps(result_of(tf, name, folder), sort_keys=True)}")
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
