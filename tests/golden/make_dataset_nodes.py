"""Writes dataset_nodes.json: the operations that TensorFlow makes of input pipelines.

Run with TensorFlow 1.15.5: `python tests/golden/make_dataset_nodes.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from dataset_node_programs import nodes, programs

OUT = pathlib.Path(__file__).with_name("dataset_nodes.json")


def main() -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(nodes(tf, program))}" for name, program in programs(tf).items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
