"""A train operation updates, trains and gives the loss; gradients are clipped, scaled and summarized."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

training = tf.contrib.training
learning = tf.contrib.slim.learning


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def model() -> Any:
    """Two variables, and a loss whose gradients are 6 and 8."""
    a, b = tf.Variable(3.0, name="a"), tf.Variable(4.0, name="b")
    return a, b, tf.square(a) + tf.square(b)


def trained(train_op: Any, fetches: Any) -> Any:
    """What a session has after one step."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(train_op) == 25
        return sess.run(fetches)


@pytest.mark.parametrize("create", [training.create_train_op, learning.create_train_op])
def test_computing_it_trains_and_counts(model: Any, create: Any) -> None:
    a, b, loss = model
    train_op = create(loss, tf.train.GradientDescentOptimizer(0.5))
    assert train_op in tf.get_collection(tf.GraphKeys.TRAIN_OP)
    assert trained(train_op, [a, b, tf.train.get_global_step()]) == [0, 0, 1]


def test_steps_need_not_be_counted(model: Any) -> None:
    training.create_train_op(model[2], tf.train.GradientDescentOptimizer(0.5), global_step=None)
    assert tf.train.get_global_step() is None


def test_updates_come_before_the_gradients(model: Any) -> None:
    a, b, loss = model
    seen = tf.Variable(0.0)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign(seen, a + b))
    train_op = training.create_train_op(loss, tf.train.GradientDescentOptimizer(0.5))
    assert trained(train_op, seen) == 7


def test_only_some_variables_may_be_trained(model: Any) -> None:
    a, b, loss = model
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    assert trained(training.create_train_op(loss, optimizer, variables_to_train=[a]), [a, b]) == [0, 4]
    with pytest.raises(AssertionError):
        training.create_train_op(loss, optimizer, variables_to_train=[tf.Variable(1.0, trainable=False)])


def test_gradients_may_be_transformed(model: Any) -> None:
    a, b, loss = model
    train_op = training.create_train_op(
        loss,
        tf.train.GradientDescentOptimizer(1.0),
        transform_grads_fn=training.clip_gradient_norms_fn(2.0),
        summarize_gradients=True,
    )
    assert trained(train_op, [a, b]) == [1, 2]
    tags = [op.name for op in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    assert [tag.split("/")[-1] for tag in tags] == [
        "a_gradient:0",
        "a_gradient_norm:0",
        "b_gradient:0",
        "b_gradient_norm:0",
    ]


def test_slim_multiplies_then_clips(model: Any) -> None:
    a, b, loss = model
    train_op = learning.create_train_op(
        loss, tf.train.GradientDescentOptimizer(1.0), clip_gradient_norm=2, gradient_multipliers={"a": 0.25, b: 0.125}
    )
    assert trained(train_op, [a, b]) == [1.5, 3]


def test_a_loss_that_is_no_number_fails() -> None:
    v = tf.Variable(-1.0)
    train_op = training.create_train_op(tf.log(v), tf.train.GradientDescentOptimizer(1.0))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
            sess.run(train_op)


def test_rows_are_clipped_and_scaled_as_rows() -> None:
    v = tf.Variable(tf.zeros([4, 2]))
    slices = tf.IndexedSlices(tf.constant([[3.0, 4.0], [0.0, 0.0]]), tf.constant([2, 0]), tf.constant([4, 2]))
    ((clipped, variable),) = training.clip_gradient_norms([(slices, v)], 1.0)
    ((scaled, _),) = training.multiply_gradients([(slices, v)], {v: tf.constant(0.5)})
    assert variable is v
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(clipped.values), [[0.6, 0.8], [0, 0]], rtol=1e-6)
        np.testing.assert_array_equal(sess.run(scaled.values), [[1.5, 2], [0, 0]])
    assert clipped.indices is scaled.indices is slices.indices


def test_variables_without_gradient_are_passed_on(model: Any) -> None:
    a = model[0]
    assert training.clip_gradient_norms([(None, a)], 1.0) == [(None, a)]
    assert training.add_gradients_summaries([(None, a)]) == []
    with pytest.raises(ValueError, match="Requested multiple of `None` gradient"):
        training.multiply_gradients([(None, a)], {a: 2.0})


@pytest.mark.parametrize(
    ("gradients", "multipliers", "message"),
    [((), {"a": 1}, "must be a list"), ([], {}, "is empty"), ([], [1], "must be a dict")],
)
def test_arguments_of_other_types_are_refused(gradients: Any, multipliers: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        training.multiply_gradients(gradients, multipliers)
