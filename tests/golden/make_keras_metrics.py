"""Writes keras_metrics.json: the results of the programs in keras_metric_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_keras_metrics.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from keras_metric_programs import programs, results

OUT = pathlib.Path(__file__).with_name("keras_metrics.json")


def main() -> None:
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.FATAL)
    lines = [f"{json.dumps(name)}: {json.dumps(results(tf, name))}" for name in programs()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
