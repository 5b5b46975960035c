"""Writes adversarial.json: the results of the programs in adversarial_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_adversarial.py SOURCES`. SOURCES is a folder that holds
`tensorflow/contrib/gan` of TensorFlow 1.8, which 1.15 has dropped.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import sys
from typing import Any

import tensorflow as tf
from adversarial_programs import programs, results
from tensorflow import contrib

OUT = pathlib.Path(__file__).with_name("adversarial.json")


def main(sources: str) -> None:
    package: Any = contrib
    package.__path__.append(str(pathlib.Path(sources) / "tensorflow" / "contrib"))
    package.gan = importlib.import_module(f"{package.__name__}.gan")
    tf.logging.set_verbosity(tf.logging.FATAL)
    lines = [f"{json.dumps(name)}: {json.dumps(results(tf, program))}" for name, program in programs(tf).items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
