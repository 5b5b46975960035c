"""Writes shuffle.json: the elements of random datasets as TensorFlow gives them.

Run with TensorFlow 1.15.5: `python tests/golden/make_shuffle.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from shuffle_programs import programs

OUT = pathlib.Path(__file__).with_name("shuffle.json")


def main() -> None:
    found = {}
    for name, program in programs(tf).items():
        with tf.Graph().as_default():
            element = tf.data.make_one_shot_iterator(program()).get_next()
            values = found[name] = []
            with tf.Session() as session:
                while True:
                    try:
                        values.append(int(session.run(element)))
                    except tf.errors.OutOfRangeError:
                        break
    lines = [f"{json.dumps(name)}: {json.dumps(values)}" for name, values in found.items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
