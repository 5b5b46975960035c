"""Writes keras_applications.json: TensorFlow's networks for pictures, described.

Run with TensorFlow 1.15.5: `python tests/golden/make_keras_applications.py` (20 minutes).
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from keras_application_programs import described, networks

OUT = pathlib.Path(__file__).with_name("keras_applications.json")


def main() -> None:
    lines = [f"{json.dumps(network)}: {json.dumps(described(tf, network))}" for network in networks(tf)]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
