"""Writes what the programs of `keras_seed_programs.py` add and learn with TensorFlow 1.15, to `keras_seeds.json`.

/tmp/tensorflow1/bin/python make_keras_seeds.py
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from keras_seed_programs import histories, operations

path = pathlib.Path(__file__).with_name("keras_seeds.json")
found = {"operations": operations(tf), "histories": histories(tf)}
lines = [
    f"{json.dumps(part)}: {{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in values.items()) + "\n}"
    for part, values in found.items()
]
path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
