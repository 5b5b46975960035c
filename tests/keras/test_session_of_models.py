"""The session of models initializes each variable once, and looks for new ones only where there may be some."""

import pytest

import ferroflow as tf
from ferroflow._src.layers import sessions

K = tf.keras.backend


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield
        K.clear_session()


def test_variables_are_initialized_whenever_they_are_made():
    first = tf.Variable(1.0)
    for _ in range(3):
        assert K.get_session().run(first) == 1.0
    second = tf.Variable(2.0)
    assert K.get_session().run(second) == 2.0


def test_a_variable_that_joins_the_collection_later_is_initialized():
    beside = tf.Variable(3.0, collections=[])
    for _ in range(3):
        session = K.get_session()
    with pytest.raises(tf.errors.FailedPreconditionError):
        session.run(beside)
    tf.add_to_collection(tf.GraphKeys.GLOBAL_VARIABLES, beside)
    assert K.get_session().run(beside) == 3.0


def test_variables_are_not_walked_where_nothing_is_new(monkeypatch):
    tf.Variable(1.0)
    for _ in range(2):
        K.get_session()
    monkeypatch.setattr(sessions, "_initialize", None)
    assert K.get_session() is K.get_session()
