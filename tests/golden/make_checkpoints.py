"""Writes the checkpoints of checkpoint_programs.py.

Run with TensorFlow 2.21: `python tests/golden/make_checkpoints.py`.
"""

from __future__ import annotations

import pathlib

import checkpoint_programs
import tensorflow.compat.v1 as tf

OUT = pathlib.Path(__file__).with_name("checkpoints")

if __name__ == "__main__":
    tf.disable_v2_behavior()
    OUT.mkdir(exist_ok=True)
    for file in OUT.iterdir():
        file.unlink()
    checkpoint_programs.save(tf, str(OUT))
