"""Writes small_contrib.json: what the programs in small_contrib_programs.py give.

Run with TensorFlow 1.15.5: `python tests/golden/make_small_contrib.py`.
"""

import json
import pathlib
import tempfile

import tensorflow as tf
from small_contrib_programs import programs

OUT = pathlib.Path(__file__).with_name("small_contrib.json")

if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    with tempfile.TemporaryDirectory() as folder:
        made = programs(tf, folder)
        found = [f"{json.dumps(name)}: {json.dumps(program(), sort_keys=True)}" for name, program in made.items()]
    OUT.write_text("{\n" + ",\n".join(found) + "\n}\n", encoding="utf-8")
