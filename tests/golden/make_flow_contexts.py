"""Writes flow_contexts.json: graphs with conditionals and loops, their contexts and gradients, of TensorFlow.

Run with a Python that has TensorFlow 2.21: `python tests/golden/make_flow_contexts.py`.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import tensorflow.compat.v1 as tf  # noqa: E402
from flow_context_programs import PROGRAMS, results, written  # noqa: E402

if __name__ == "__main__":
    tf.disable_v2_behavior()
    tf.disable_control_flow_v2()
    made = {name: {**written(tf, name), "results": results(tf, name)} for name in PROGRAMS}
    (HERE / "flow_contexts.json").write_text(json.dumps(made, indent=0) + "\n")
