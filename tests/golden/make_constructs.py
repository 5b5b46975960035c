"""Writes constructs.json.xz: the operations that TensorFlow makes of the constructs in construct_programs.py.

Run with TensorFlow 1.15.5: `python tests/golden/make_constructs.py`.
"""

from __future__ import annotations

import json
import lzma
import pathlib

import tensorflow as tf
from construct_programs import nodes, programs

OUT = pathlib.Path(__file__).with_name("constructs.json.xz")


def main() -> None:
    tf.logging.set_verbosity(tf.logging.FATAL)
    made = {name: nodes(tf, program) for name, program in programs(tf).items()}
    OUT.write_bytes(lzma.compress(json.dumps(made, sort_keys=True).encode(), preset=9))


if __name__ == "__main__":
    main()
