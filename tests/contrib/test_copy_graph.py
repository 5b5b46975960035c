"""`tf.contrib.copy_graph`: copies compute what the originals do."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

OPS = [tf.add, tf.multiply, tf.subtract, tf.maximum]


@given(
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 9)), max_size=8),
    scope=st.sampled_from(["", "a", "a/b"]),
)
@settings(max_examples=10)
def test_copies_compute_what_the_originals_do(steps, scope):
    source, target = tf.Graph(), tf.Graph()
    with source.as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        variable = tf.Variable([3.0, -1.0], name="v")
        tensors = [x, variable * 1.0]
        for op, first, second in steps:
            tensors.append(OPS[op](tensors[first % len(tensors)], tensors[second % len(tensors)]))
        with tf.control_dependencies([tensors[-1]]):
            out = tf.identity(tensors[-1], name="out")
        tf.add_to_collection("outputs", out)
    nodes = len(source.get_operations())
    copied = tf.contrib.copy_graph.copy_variable_to_graph(variable, target, scope)
    twin = tf.contrib.copy_graph.copy_op_to_graph(out, target, [copied], scope)
    prefix = f"{scope}/" if scope else ""
    assert twin.graph is target
    assert twin.name == f"{prefix}out:0"
    assert tf.contrib.copy_graph.get_copied_op(out, target, scope) is twin
    assert target.get_collection(f"{prefix}outputs") == [twin]
    assert target.get_collection("trainable_variables") == [copied]
    assert [op.name for op in twin.op.control_inputs] == [prefix + op.name for op in out.op.control_inputs]
    assert len(source.get_operations()) == nodes
    # A second copy is the first one.
    before = len(target.get_operations())
    assert tf.contrib.copy_graph.copy_op_to_graph(out, target, [copied], scope) is twin
    assert len(target.get_operations()) == before
    fed = np.array([0.5, -2.0], np.float32)
    with tf.Session(graph=source) as session:
        session.run(variable.initializer)
        expected = session.run(out, {x: fed})
    feeds = {f"{prefix}x:0": fed} if f"{prefix}x" in [op.name for op in target.get_operations()] else {}
    with tf.Session(graph=target) as session:
        session.run(copied.initializer)
        np.testing.assert_array_equal(session.run(twin, feeds), expected)


def test_a_resource_variable_stays_one():
    source, target = tf.Graph(), tf.Graph()
    with source.as_default():
        variable = tf.Variable(2.0, name="v", use_resource=True, trainable=False)
        out = tf.square(variable)
    copied = tf.contrib.copy_graph.copy_variable_to_graph(variable, target)
    twin = tf.contrib.copy_graph.copy_op_to_graph(out, target, [copied])
    assert not target.get_collection("trainable_variables")
    with tf.Session(graph=target) as session:
        session.run(copied.initializer)
        assert session.run(twin) == 4.0


def test_gradients_are_copied_with_their_forward_operations():
    source, target = tf.Graph(), tf.Graph()
    with source.as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        (gradient,) = tf.gradients(tf.exp(x), x)
    twin = tf.contrib.copy_graph.copy_op_to_graph(gradient.op, target, [])
    assert twin._original_op.type == "Exp"
    with tf.Session(graph=target) as session:
        assert session.run(twin.outputs[0], {"x:0": 0.0}) == 1.0


def test_a_long_chain_is_copied():
    source, target = tf.Graph(), tf.Graph()
    with source.as_default():
        x = tf.constant(0.0)
        for _ in range(1200):
            x = x + 1.0
    twin = tf.contrib.copy_graph.copy_op_to_graph(x, target, [])
    with tf.Session(graph=target) as session:
        assert session.run(twin) == 1200.0


def test_what_cannot_be_copied_raises():
    target = tf.Graph()
    with pytest.raises(TypeError, match="is not a Variable"):
        tf.contrib.copy_graph.copy_variable_to_graph(tf.constant(1.0), target)
    with pytest.raises(TypeError, match="Could not copy instance"):
        tf.contrib.copy_graph.copy_op_to_graph("x", target, [])
    with pytest.raises(TypeError, match="to_graph must be a Graph"):
        tf.contrib.copy_graph.copy_op_to_graph(tf.constant(1.0), 3, [])
    loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    with pytest.raises(NotImplementedError, match="depends on itself, as in a while loop"):
        tf.contrib.copy_graph.copy_op_to_graph(loop, target, [])
    with pytest.raises(KeyError):
        tf.contrib.copy_graph.get_copied_op(tf.constant(1.0, name="absent"), target)
