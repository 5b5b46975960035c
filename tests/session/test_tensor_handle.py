"""Values that a session keeps between steps."""

from __future__ import annotations

import gc

import pytest

import ferroflow as tf


def test_a_kept_value_is_used_in_later_steps() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        h = session.run(tf.get_session_handle(tf.constant(50)))
        holder, x = tf.get_session_tensor(h.handle, tf.int32)
        assert session.run(x * 10, {holder: h.handle}) == 500
        assert h.eval() == 50


def test_a_handle_may_be_fed_for_any_tensor() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        c = tf.constant(5.0)
        h, value = session.run([tf.get_session_handle(c * 2), c])
        assert value == 5.0
        assert session.run(c * c, {c: h}) == 100.0
        assert session.run([c, tf.identity(c)], {c: h}) == [10.0, 10.0]


def test_a_deleted_value_is_gone() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        h = session.run(tf.get_session_handle(tf.constant(1)))
        raw = h.get_raw_handle()
        holder, deleter = tf.delete_session_tensor(raw)
        session.run(deleter, {holder: raw})
        with pytest.raises(TypeError, match="may have already been deleted"):
            h.eval()
        holder, x = tf.get_session_tensor(raw, tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
            session.run(x, {holder: raw})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Failed to delete"):
            session.run(deleter, {deleter.inputs[0]: raw})


def test_values_are_forgotten_some_time_after_their_handles() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        keep = tf.get_session_handle(tf.constant(1.0))
        names = []
        for _ in range(30):
            names.append(session.run(keep).handle)
            gc.collect()
        last = session.run(keep)
        holder, x = tf.get_session_tensor("", tf.float32)
        assert session.run(x, {holder: last.handle}) == 1.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
            session.run(x, {holder: names[0]})


def test_a_callable_gives_handles_too() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        keep = session.make_callable(tf.get_session_handle(x * 2), [x])
        assert keep(3.0).eval() == 6.0


def test_only_tensors_are_kept() -> None:
    with pytest.raises(TypeError, match="must be of type Tensor"):
        tf.get_session_handle(1.0)
