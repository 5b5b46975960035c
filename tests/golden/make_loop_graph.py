"""Writes loop_graph.json: a graph with a loop and a conditional as TensorFlow makes it, and what it computes there.

Run with a Python that has TensorFlow 2.21: `python tests/golden/make_loop_graph.py`.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow.compat.v1 as tf
from google.protobuf import json_format

tf.disable_v2_behavior()
tf.disable_control_flow_v2()

HERE = pathlib.Path(__file__).parent


def main() -> None:
    """Builds the graph, runs it, and writes both."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")

        def body(i: tf.Tensor, a: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return i + 1, tf.cond(tf.less(i % 2, 1), lambda: a * x, lambda: a + 1.0)

        y = tf.while_loop(lambda i, a: i < 4, body, [0, x])[1]
        z = tf.identity(y, name="z")
        m = tf.identity(tf.map_fn(lambda e: e * x[0], x), name="m")
        with tf.Session() as sess:
            values = sess.run([z, m], {x: [3.0, -2.0]})
        message = json_format.MessageToDict(graph.as_graph_def())
    text = json.dumps({"graph": message, "x": [3.0, -2.0], "z": values[0].tolist(), "m": values[1].tolist()}, indent=0)
    (HERE / "loop_graph.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
