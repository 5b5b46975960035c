"""A training stops at a step, or after so many."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf


def steps_until_stop(hook: Any, start: int) -> int:
    """The value of the counter when the hook has stopped a training that started at a value."""
    counter = tf.train.get_or_create_global_step()
    step = tf.assign_add(counter, 1)
    scaffold = tf.train.Scaffold(init_fn=lambda scaffold, sess: counter.load(start, sess))
    with tf.train.SingularMonitoredSession(hooks=[hook], scaffold=scaffold) as sess:
        while not sess.should_stop():
            sess.run(step)
        return sess.raw_session().run(counter)


@pytest.mark.parametrize(
    ("arguments", "start", "expected"),
    [
        ({"last_step": 5}, 0, 5),
        ({"last_step": 5}, 3, 5),
        ({"last_step": 5}, 7, 8),
        ({"num_steps": 5}, 0, 5),
        ({"num_steps": 5}, 3, 8),
    ],
)
def test_it_stops_there(arguments: Any, start: int, expected: int) -> None:
    assert steps_until_stop(tf.train.StopAtStepHook(**arguments), start) == expected


def test_steps_that_do_not_count_do_not_count() -> None:
    counter = tf.train.get_or_create_global_step()
    step = tf.assign_add(counter, 1)
    with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=1)]) as sess:
        for _ in range(3):
            sess.run(counter)
            assert not sess.should_stop()
        sess.run(step)
        assert sess.should_stop()


def test_the_steps_are_counted_from_the_first_session_also_after_a_recovery() -> None:
    counter = tf.train.get_or_create_global_step()
    hook = tf.train.StopAtStepHook(num_steps=4)
    hook.begin()
    with tf.Session() as sess:
        sess.run(counter.initializer)
        hook.after_create_session(sess, None)
        counter.load(3, sess)
        hook.after_create_session(sess, None)
        for value, stops in ((3, False), (4, True)):
            counter.load(value, sess)
            context = tf.train.SessionRunContext(tf.train.SessionRunArgs(None), sess)
            hook.after_run(context, tf.train.SessionRunValues(value - 1, None, None))
            assert context.stop_requested == stops


@pytest.mark.parametrize("arguments", [{}, {"num_steps": 1, "last_step": 1}])
def test_one_of_both_is_given(arguments: Any) -> None:
    with pytest.raises(ValueError, match="of num_steps or last_step"):
        tf.train.StopAtStepHook(**arguments)


def test_a_global_step_is_needed() -> None:
    with pytest.raises(RuntimeError, match="Global step should be created to use StopAtStepHook"):
        tf.train.StopAtStepHook(last_step=1).begin()
