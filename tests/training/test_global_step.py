"""The global step: found, made, checked."""

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_there_is_none_at_first():
    assert tf.train.get_global_step() is None


def test_it_is_an_integer_that_starts_at_zero_and_is_not_trained():
    with tf.name_scope("somewhere"):
        step = tf.train.create_global_step()
    assert step.op.name == "global_step"
    assert step.dtype.base_dtype == tf.int64
    assert step.shape == []
    assert step not in tf.trainable_variables()
    assert tf.get_collection(tf.GraphKeys.GLOBAL_STEP) == [step]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert tf.train.global_step(session, step) == 0
        assert isinstance(tf.train.global_step(session, step), int)


def test_it_is_made_once():
    step = tf.train.get_or_create_global_step()
    assert tf.train.get_or_create_global_step() is step
    assert tf.train.get_global_step() is step
    with pytest.raises(ValueError, match='"global_step" already exists'):
        tf.train.create_global_step()


def test_it_is_found_by_name_too():
    step = tf.Variable(0, name="global_step", trainable=False)
    assert tf.train.get_global_step() is step._ref()


def test_it_belongs_to_its_graph(graph):
    with tf.Graph().as_default():
        step = tf.train.create_global_step(graph)
        assert tf.train.get_global_step() is None
    assert step.graph is graph


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: np.int64(0), "must be a Variable or Tensor"),
        (lambda: tf.constant(0.5), "does not have integer type"),
        (lambda: tf.constant([1, 2]), "is not scalar"),
    ],
)
def test_what_cannot_count_is_refused(make, message):
    with pytest.raises(TypeError, match=message):
        tf.train.assert_global_step(make())


def test_more_than_one_is_none():
    for _ in range(2):
        tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, tf.constant(0))
    assert tf.train.get_global_step() is None
