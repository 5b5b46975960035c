"""Timers of hooks: due at first, then after so many steps or seconds, never twice at one step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow._src.supervision.hooks.timers import NeverTriggerTimer


@pytest.mark.parametrize("arguments", [{}, {"every_secs": 1.0, "every_steps": 1}])
def test_seconds_or_steps_are_given(arguments: Any) -> None:
    with pytest.raises(ValueError, match="every_secs"):
        tf.train.SecondOrStepTimer(**arguments)


@given(every=st.integers(1, 7), strides=st.lists(st.integers(0, 5), max_size=30))
def test_steps_that_are_due_are_the_first_of_every_so_many(every: int, strides: list[int]) -> None:
    timer = tf.train.SecondOrStepTimer(every_steps=every)
    step, due = 0, []
    for stride in [0, *strides]:
        step += stride
        if timer.should_trigger_for_step(step):
            timer.update_last_triggered_step(step)
            due.append(step)
    expected = []
    for reached in [sum(strides[:i]) for i in range(len(strides) + 1)]:
        if not expected or reached - expected[-1] >= every:
            expected.append(reached)
    assert due == expected


def test_seconds_are_counted_from_the_last_time(clock: Any) -> None:
    timer = tf.train.SecondOrStepTimer(every_secs=2.0)
    assert timer.last_triggered_step() is None
    assert timer.should_trigger_for_step(1)
    assert timer.update_last_triggered_step(1) == (None, None)
    assert not timer.should_trigger_for_step(2)
    clock.advance(2.5)
    assert not timer.should_trigger_for_step(1)
    assert timer.should_trigger_for_step(5)
    assert timer.update_last_triggered_step(5) == (2.5, 4)
    assert timer.last_triggered_step() == 5
    assert not timer.should_trigger_for_step(6)
    timer.reset()
    assert timer.should_trigger_for_step(5)


def test_never_is_never() -> None:
    timer = NeverTriggerTimer()
    timer.reset()
    assert not timer.should_trigger_for_step(1)
    assert timer.update_last_triggered_step(1) == (None, None)
    assert timer.last_triggered_step() is None
