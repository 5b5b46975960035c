"""Laws of GraphDef messages: they hold each node as the node itself does."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import ferroflow as tf

_WRITTEN_WHILE_IT_GROWS = """
import faulthandler, sys, threading
import ferroflow as tf

faulthandler.dump_traceback_later(100, exit=True)
sys.setswitchinterval(1e-5)
graph = tf.Graph()
writer = threading.Thread(target=lambda: [graph.as_graph_def() for _ in range(100)])
with graph.as_default():
    tf.constant(1.0)
    writer.start()
    while writer.is_alive():
        tf.no_op()
"""


def _graph():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        tf.placeholder(tf.int32, name="unknown")
        with tf.device("/cpu:0"), tf.name_scope("inner"):
            v = tf.get_variable("v", initializer=np.ones([3, 2], np.float32))
        parts = tf.split(tf.matmul(x, v), 2, axis=1, name="parts")
        with tf.control_dependencies([parts[0]]), tf.colocate_with(v):
            tf.concat(parts, 0, name="joined")
        tf.constant([b"text", b"more"], name="strings")
        tf.constant(np.zeros([300], np.float64), name="large")
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        tf.data.Dataset.range(3).map(lambda i: i + 1).make_one_shot_iterator().get_next()
        tf.parse_example([b""], {"a": tf.FixedLenFeature([], tf.float32, 1.0), "b": tf.VarLenFeature(tf.int64)})
        tf.nn.max_pool(tf.zeros([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    return graph


def test_a_graph_def_has_the_nodes_as_they_are():
    graph = _graph()
    nodes = graph.as_graph_def().node
    operations = graph.get_operations()
    assert len(nodes) == len(operations) > 40
    for node, op in zip(nodes, operations, strict=True):
        assert node == op.node_def


def test_a_part_of_a_graph_def_begins_where_it_is_asked_to():
    graph = _graph()
    whole = graph.as_graph_def(add_shapes=True)
    later = graph.as_graph_def(from_version=7, add_shapes=True)
    assert list(later.node) == list(whole.node)[7:]
    shapes = {n.name: n.attr["_output_shapes"].list.shape for n in later.node}
    assert [[d.size for d in s.dim] for s in shapes["parts"]] == [[-1, 1], [-1, 1]]


def test_a_graph_is_written_while_another_thread_adds_to_it():
    # In a process of its own: threads that wait for each other for ever take the interpreter with them.
    arguments = [sys.executable, "-c", _WRITTEN_WHILE_IT_GROWS]
    ran = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=False, timeout=200)
    assert ran.returncode == 0, ran.stderr[-3000:]
