"""Writes heads.json: what the heads in head_programs.py give.

Run with TensorFlow 1.15.5: `python tests/golden/make_heads.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from head_programs import cases, public_cases, result_of

OUT = pathlib.Path(__file__).with_name("heads.json")

if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    lines = [f"{json.dumps(name)}: {json.dumps(result_of(tf, case))}" for name, case in cases(tf).items()]
    lines += [
        f"{json.dumps(f'public {name}')}: {json.dumps(result_of(tf, case, True))}"
        for name, case in public_cases(tf).items()
    ]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
