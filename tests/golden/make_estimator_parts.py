"""Writes estimator_parts.json: what the programs in estimator_part_programs.py give.

Run with TensorFlow 1.15.5: `python tests/golden/make_estimator_parts.py`.
"""

import json
import pathlib

import tensorflow as tf
from estimator_part_programs import programs, result_of

OUT = pathlib.Path(__file__).with_name("estimator_parts.json")

if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    found = [f"{json.dumps(name)}: {json.dumps(result_of(p), sort_keys=True)}" for name, p in programs(tf).items()]
    OUT.write_text("{\n" + ",\n".join(found) + "\n}\n", encoding="utf-8")
