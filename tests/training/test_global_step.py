"""The global step: found, made, checked."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.training.global_step import (
    GLOBAL_STEP_READ_KEY,
    get_or_create_global_step_read,
    increment_global_step,
)


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


def test_a_vector_of_one_counts_as_a_number():
    step = tf.Variable([123], name="global_step")
    with tf.Session() as session:
        session.run(step.initializer)
        assert tf.train.global_step(session, step) == 123


class TestTheReadOfHooks:
    def test_there_is_one_per_graph(self):
        step = tf.train.create_global_step()
        with tf.name_scope("somewhere"):
            read = get_or_create_global_step_read()
        assert get_or_create_global_step_read() is read
        assert read.op.name.startswith("global_step/")
        assert read.dtype == step.dtype.base_dtype
        tf.add_to_collection(GLOBAL_STEP_READ_KEY, read)
        with pytest.raises(RuntimeError, match="multiple items in collection"):
            get_or_create_global_step_read()

    def test_it_is_read_where_the_step_is(self):
        with tf.device(tf.train.replica_device_setter(ps_tasks=1)):
            tf.train.create_global_step()
        with tf.device("/job:worker"):
            assert get_or_create_global_step_read().device == "/job:ps/task:0"

    def test_without_a_step_there_is_none(self):
        assert get_or_create_global_step_read() is None
        with pytest.raises(ValueError, match="Global step tensor should be created"):
            increment_global_step(1)

    def test_it_has_the_value_from_before_the_step(self):
        step = tf.train.create_global_step()
        count = tf.assign_add(step, 1)
        read = get_or_create_global_step_read()
        with tf.Session() as session:
            session.run(step.initializer)
            for i in range(50):
                assert session.run([count, read]) == [i + 1, i]

    def test_it_has_the_initial_value_before_there_is_one(self):
        tf.train.create_global_step()
        read = get_or_create_global_step_read()
        with tf.Session() as session:
            assert session.run(read) == 0

    def test_increments_come_after_it(self):
        step = tf.train.create_global_step()
        more = increment_global_step(5)
        read = get_or_create_global_step_read()
        with tf.Session() as session:
            session.run(step.initializer)
            assert session.run([read, more, read]) == [0, 5, 0]


def test_a_plain_variable_that_is_found_by_name_counts():
    tf.Variable(0, name="global_step", trainable=False)
    step = tf.train.get_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(tf.Variable(2.0)), global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        sess.run(train)
        assert tf.train.global_step(sess, step) == 2
        assert sess.run(tf.train.exponential_decay(1.0, step, 1, 0.5)) == 0.25
