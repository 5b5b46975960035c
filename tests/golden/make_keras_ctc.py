"""Writes keras_ctc.json: what TensorFlow gives for the programs of keras_ctc_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_keras_ctc.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from keras_ctc_programs import programs

OUT = pathlib.Path(__file__).with_name("keras_ctc.json")


def main() -> None:
    found = {}
    for name, program in programs(tf).items():
        with tf.Graph().as_default(), tf.Session() as session:
            found[name] = [[v.dtype.name, list(v.shape), v.reshape(-1).tolist()] for v in session.run(program())]
    lines = [json.dumps(name) + ": " + json.dumps(values) for name, values in found.items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
