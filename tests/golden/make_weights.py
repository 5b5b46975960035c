"""Writes weights.json: the variables that TensorFlow makes in the programs of weight_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_weights.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from weight_programs import describe, programs

OUT = pathlib.Path(__file__).with_name("weights.json")


def main() -> None:
    tf.logging.set_verbosity(tf.logging.FATAL)
    made = {name: describe(tf, program) for name, program in programs(tf).items()}
    lines = [f"{json.dumps(name)}: {json.dumps(made[name])}" for name in sorted(made)]
    OUT.write_text("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    main()
