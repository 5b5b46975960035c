"""The speed is reported every so many steps or seconds, and a step that stands still is told of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from supervision.event_files import scalars_in

import ferroflow as tf


def run(hook: Any, steps: int, clock: Any, op: Any = None) -> None:
    step = tf.assign_add(tf.train.get_or_create_global_step(), 1) if op is None else op
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        for _ in range(steps):
            sess.run(step)
            clock.advance(0.25)


def test_every_so_many_steps(tmp_path: Path, clock: Any, logged: list[str]) -> None:
    run(tf.train.StepCounterHook(every_n_steps=10, output_dir=str(tmp_path)), 31, clock)
    assert scalars_in(tmp_path, "global_step/sec") == [(11, 4.0), (21, 4.0), (31, 4.0)]
    assert [line for line in logged if "sec" in line] == ["global_step/sec: 4"] * 3


def test_every_so_many_seconds(tmp_path: Path, clock: Any) -> None:
    writer = tf.summary.FileWriter(str(tmp_path))
    run(tf.train.StepCounterHook(every_n_steps=None, every_n_secs=2.0, summary_writer=writer), 20, clock)
    writer.close()
    assert scalars_in(tmp_path, "global_step/sec") == [(9, 4.0), (17, 4.0)]


def test_the_counter_may_have_another_name(tmp_path: Path, clock: Any) -> None:
    with tf.variable_scope("bar"):
        counter = tf.get_variable(
            "foo",
            initializer=0,
            trainable=False,
            collections=[tf.GraphKeys.GLOBAL_STEP, tf.GraphKeys.GLOBAL_VARIABLES],
        )
    hook = tf.train.StepCounterHook(every_n_steps=1, output_dir=str(tmp_path))
    run(hook, 2, clock, tf.assign_add(counter, 1))
    assert scalars_in(tmp_path, "bar/foo/sec") == [(2, 4.0)]


def test_no_time_at_all_is_an_infinite_speed(tmp_path: Path) -> None:
    hook = tf.train.StepCounterHook(output_dir=str(tmp_path))
    tf.train.create_global_step()
    hook.begin()
    hook._log_and_record(10, 0.0, 10)
    assert scalars_in(tmp_path, "global_step/sec") == [(10, float("inf"))]


def test_a_step_that_stands_still_is_told_of(clock: Any, logged: list[str]) -> None:
    counter = tf.train.get_or_create_global_step()
    run(tf.train.StepCounterHook(), 45, clock, counter)
    assert sum("global step (tf.train.get_global_step) has not been increased" in line for line in logged) == 2


def test_subclasses_may_report_in_their_own_way(clock: Any) -> None:
    reports = []

    class Own(tf.train.StepCounterHook):
        def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
            reports.append((elapsed_steps, elapsed_time, global_step))

    run(Own(every_n_steps=2), 5, clock)
    assert reports == [(2, 0.5, 3), (2, 0.5, 5)]


@pytest.mark.parametrize("arguments", [{"every_n_secs": 1.0}, {"every_n_steps": None}])
def test_one_of_both_is_given(arguments: Any) -> None:
    with pytest.raises(ValueError, match="exactly one of every_n_steps and every_n_secs"):
        tf.train.StepCounterHook(**arguments)


def test_a_global_step_is_needed() -> None:
    with pytest.raises(RuntimeError, match="Global step should be created to use StepCounterHook"):
        tf.train.StepCounterHook().begin()
