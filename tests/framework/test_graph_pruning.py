"""GraphDefs cut down compute what the whole graph computes."""

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture
def model():
    """A session with an initialized linear model, its graph and its output's name."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.Variable([[2.0], [3.0]], name="w")
        b = tf.Variable([1.0], name="b")
        tf.identity(tf.matmul(x, w) + b, name="y")
        tf.reduce_mean(x, name="unused")
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            yield sess, graph


def run(graph_def, feed):
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    with tf.Session(graph=graph) as sess:
        return sess.run("y:0", feed)


def test_a_frozen_graph_computes_the_same_without_variables(model):
    sess, graph = model
    frozen = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["y"])
    assert not {"VariableV2", "Assign"} & {node.op for node in frozen.node}
    feed = {"x:0": np.array([[1.0, 1.0], [0.0, 2.0]])}
    np.testing.assert_array_equal(run(frozen, feed), sess.run("y:0", feed))


def test_variables_that_are_not_to_be_frozen_stay(model):
    sess, graph = model
    whole = graph.as_graph_def()
    for choice in ({"variable_names_whitelist": ["b"]}, {"variable_names_blacklist": ["w"]}):
        frozen = tf.graph_util.convert_variables_to_constants(sess, whole, ["y"], **choice)
        assert {n.name: n.op for n in frozen.node if n.name in "wb"} == {"w": "VariableV2", "b": "Const"}


def test_a_sub_graph_has_what_its_ends_need_in_order(model):
    _, graph = model
    part = tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["w/read"])
    assert [node.name for node in part.node] == ["w", "w/read"]


def test_a_sub_graph_of_an_absent_node_or_a_bare_name_is_refused(model):
    _, graph = model
    with pytest.raises(AssertionError, match="absent is not in graph"):
        tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["absent"])
    with pytest.raises(TypeError, match="dest_nodes must be a list"):
        tf.graph_util.extract_sub_graph(graph.as_graph_def(), "y")


def test_identities_that_order_nothing_are_spliced_out(model):
    sess, graph = model
    frozen = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["y"])
    lean = tf.graph_util.remove_training_nodes(frozen, protected_nodes=["y"])
    assert [n.name for n in lean.node if n.op == "Identity"] == ["y"]
    feed = {"x:0": np.ones([1, 2])}
    np.testing.assert_array_equal(run(lean, feed), run(frozen, feed))


def test_shapes_are_found_by_a_node_defs_input(model):
    _, graph = model
    for name in ("w/read", "w/read:0"):
        assert tf.graph_util.tensor_shape_from_node_def_name(graph, name).as_list() == [2, 1]


def test_a_spec_knows_what_its_tensor_knows():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        spec = tf.TensorSpec.from_tensor(x)
        assert (spec.shape.as_list(), spec.dtype, spec.name) == ([None, 2], tf.float32, "x")
        assert spec.is_compatible_with(tf.zeros([5, 2]))
        assert not spec.is_compatible_with(tf.zeros([5, 3]))
        assert not spec.is_compatible_with(tf.zeros([5, 2], tf.int32))
