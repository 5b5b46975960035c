"""`tf.contrib.layers.rev_block` and `recompute_grad`: the values and gradients of plain layers."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf


def _dense(x, side=None):
    y = tf.layers.dense(x, 3, activation=tf.nn.tanh)
    return y if side is None else y + side[0]


@pytest.mark.parametrize("with_side", [False, True])
def test_gradients_of_reversible_layers_are_those_of_plain_ones(with_side):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        x = tf.constant(np.random.RandomState(1).randn(5, 6), tf.float32)
        side = [tf.constant(np.random.RandomState(2).randn(5, 3), tf.float32)] if with_side else None
        halves = tf.split(x, 2, axis=1)

        def block(is_training):
            return tf.contrib.layers.rev_block(*halves, _dense, _dense, 3, side, side, is_training=is_training)

        with tf.variable_scope("block") as scope:
            fast = tf.concat(block(True), 1)
        with tf.variable_scope(scope, reuse=True):
            plain = tf.concat(block(False), 1)
        wanted = [x, *scope.trainable_variables(), *(side or [])]
        assert len(scope.trainable_variables()) == 12
        session.run(tf.global_variables_initializer())
        values = session.run([fast, plain])
        np.testing.assert_allclose(*values, rtol=1e-6)
        for got, want in zip(
            *session.run([tf.gradients(tf.reduce_sum(y**2), wanted) for y in (fast, plain)]), strict=True
        ):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_the_inputs_of_a_block_follow_from_its_outputs():
    with tf.Graph().as_default(), tf.Session() as session:
        x = [tf.random_uniform([4, 3], seed=i) for i in (1, 2)]
        block = tf.contrib.layers.RevBlock(_dense, _dense, num_layers=2)
        before = [tf.identity(half) for half in x]
        after = block.backward(*block.forward(*before))
        session.run(tf.global_variables_initializer())
        got, want = session.run([after, before])
        np.testing.assert_allclose(got, want, atol=1e-5)
        with pytest.raises(ValueError, match="one for each of the 3 layers"):
            tf.contrib.layers.RevBlock([_dense], _dense, num_layers=3)


@pytest.mark.parametrize("options", [{}, {"use_data_dep": True}, {"tupleize_grads": True}])
def test_recomputed_functions_have_the_same_gradients(options):
    def function(x):
        return tf.layers.dense(tf.layers.dense(x, 4, tf.nn.tanh, name="first"), 2, name="second")

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.random.RandomState(1).randn(5, 3), tf.float32)
        with tf.variable_scope("again", use_resource=True) as scope:
            recomputed = tf.contrib.layers.recompute_grad(**options)(function)(x)
        with tf.variable_scope(scope, reuse=True):
            plain = function(x)
        wanted = [x, *scope.trainable_variables()]
        session.run(tf.global_variables_initializer())
        pairs = session.run([tf.gradients(tf.reduce_sum(y**2), wanted) for y in (recomputed, plain)])
        for got, want in zip(*pairs, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6)
        with pytest.raises(ValueError, match="All inputs to function must be Tensors"):
            tf.contrib.layers.recompute_grad(function)(1.0)


def test_a_function_called_twice_in_one_scope_is_refused():
    function = tf.contrib.layers.recompute_grad(lambda x: tf.layers.dense(x, 2))
    with tf.Graph().as_default(), tf.variable_scope("layer", use_resource=True):
        x = tf.ones([2, 2])
        y = function(x) + function(x)
    with pytest.raises(ValueError, match="called twice in the same enclosing scope"):
        tf.gradients(y, [x, *y.graph.get_collection("trainable_variables")])
