"""Tensors are logged at the first step, every so often, and at the end if asked to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ferroflow as tf


def logs(hook: Any, steps: int, logged: list[str], clock: Any = None, op: Any = None) -> list[str]:
    """What a hook logs in a training of so many steps."""
    step = tf.assign_add(tf.train.get_or_create_global_step(), 1) if op is None else op
    lines = []
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        for _ in range(steps):
            del logged[:]
            sess.run(step)
            lines += logged
            if clock is not None:
                clock.advance(1)
        del logged[:]
    return lines + [line for line in logged if "=" in line]


def test_every_so_many_steps(logged: list[str], clock: Any) -> None:
    t = tf.constant(42.0, name="foo")
    lines = logs(tf.train.LoggingTensorHook([t.name], every_n_iter=2), 5, logged, clock)
    assert lines == ["foo:0 = 42.0", "foo:0 = 42.0 (2.000 sec)", "foo:0 = 42.0 (2.000 sec)"]


def test_every_so_many_seconds(logged: list[str], clock: Any) -> None:
    t = tf.constant(42.0, name="foo")
    lines = logs(tf.train.LoggingTensorHook({"t": t}, every_n_secs=3.0), 7, logged, clock)
    assert lines == ["t = 42.0", "t = 42.0 (3.000 sec)", "t = 42.0 (3.000 sec)"]


@pytest.mark.parametrize(("often", "count"), [({}, 1), ({"every_n_iter": 3}, 3)])
def test_at_the_end(logged: list[str], clock: Any, often: Any, count: int) -> None:
    t = tf.constant(42.0, name="foo")
    lines = logs(tf.train.LoggingTensorHook([t], at_end=True, **often), 5, logged, clock)
    assert len(lines) == count


def test_values_are_in_the_order_of_the_tensors_and_in_plain_notation(logged: list[str]) -> None:
    before = np.get_printoptions()
    tensors = [tf.constant([1e-9, 1.0], name="z"), tf.constant(b"text", name="a")]
    lines = logs(tf.train.LoggingTensorHook(["z", "a"], every_n_iter=10), 1, logged)
    assert lines == ["z = [0. 1.], a = b'text'"]
    assert np.get_printoptions() == before
    del tensors


def test_numbers_have_the_digits_of_their_dtype(logged: list[str]) -> None:
    tf.constant(0.1, name="foo")
    assert logs(tf.train.LoggingTensorHook(["foo"], every_n_iter=1), 1, logged) == ["foo = 0.1"]


def test_a_formatter_makes_the_line(logged: list[str]) -> None:
    tf.constant(42.0, name="foo")
    hook = tf.train.LoggingTensorHook(["foo"], every_n_iter=1, formatter=lambda values: f"got {values['foo']:.0f}")
    assert logs(hook, 2, logged) == ["got 42", "got 42"]


@pytest.mark.parametrize(
    "arguments", [{}, {"every_n_iter": 1, "every_n_secs": 1.0}, {"every_n_iter": 0}, {"every_n_iter": -1}]
)
def test_illegal_intervals_are_refused(arguments: Any) -> None:
    with pytest.raises(ValueError, match="every_n_iter"):
        tf.train.LoggingTensorHook(["t"], **arguments)


def test_names_must_say_which_tensor_is_meant() -> None:
    tf.split(tf.constant([1, 2]), 2, name="two")
    with pytest.raises(ValueError, match="Name two is ambiguous, as this `Operation` has multiple outputs"):
        tf.train.LoggingTensorHook(["two"], every_n_iter=1).begin()
    tf.train.LoggingTensorHook(["two:1"], every_n_iter=1).begin()
    with pytest.raises(KeyError):
        tf.train.LoggingTensorHook(["three"], every_n_iter=1).begin()
    with tf.Graph().as_default():
        other = tf.constant(1)
    with pytest.raises(ValueError, match="should have graph attribute that is equal to current graph"):
        tf.train.LoggingTensorHook([other], every_n_iter=1).begin()
