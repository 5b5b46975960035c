"""Graphs with loops and conditionals, made here and by TensorFlow, imported and run."""

from __future__ import annotations

import json
import pathlib

from google.protobuf import json_format

import ferroflow as tf

GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "loop_graph.json"


def test_a_graph_of_tensorflow_with_a_loop_computes_what_it_computed_there() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    graph_def = json_format.ParseDict(golden["graph"], tf.GraphDef(), ignore_unknown_fields=True)
    x, z, m = tf.import_graph_def(graph_def, return_elements=["x:0", "z:0", "m:0"])
    with tf.Session() as sess:
        got = sess.run([z, m], {x: golden["x"]})
    assert [v.tolist() for v in got] == [golden["z"], golden["m"]]


def test_a_loop_is_imported_as_often_as_wanted() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        tf.identity(tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, 1.0])[1], name="y")
    graph_def = graph.as_graph_def()
    pairs = [tf.import_graph_def(graph_def, name=name, return_elements=["x:0", "y:0"]) for name in ("a", "b")]
    with tf.Session() as sess:
        feed = {pairs[0][0]: 2.0, pairs[1][0]: 3.0}
        assert sess.run([pair[1] for pair in pairs], feed) == [8.0, 27.0]
