"""Summaries are written at the first step and every so often."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from supervision.event_files import scalars_in, statuses_in

import ferroflow as tf


@pytest.fixture
def step() -> Any:
    """The operation that counts, of which summaries show the value before it."""
    counter = tf.train.get_or_create_global_step()
    tf.summary.scalar("before", counter)
    return tf.assign_add(counter, 1)


def run(hook: Any, step: Any, steps: int, scaffold: Any = None, clock: Any = None) -> None:
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold), [hook]) as sess:
        for _ in range(steps):
            sess.run(step)
            if clock is not None:
                clock.advance(1)


def test_every_so_many_steps(step: Any, tmp_path: Path) -> None:
    scaffold = tf.train.Scaffold()
    run(tf.train.SummarySaverHook(save_steps=3, output_dir=str(tmp_path), scaffold=scaffold), step, 8, scaffold)
    assert scalars_in(tmp_path, "before") == [(1, 0.0), (4, 3.0), (7, 6.0)]
    assert statuses_in(tmp_path) == [(tf.SessionLog.START, 1)]


def test_every_so_many_seconds(step: Any, tmp_path: Path, clock: Any) -> None:
    hook = tf.train.SummarySaverHook(save_secs=2, output_dir=str(tmp_path), summary_op=tf.summary.merge_all())
    run(hook, step, 6, clock=clock)
    assert scalars_in(tmp_path, "before") == [(1, 0.0), (3, 2.0), (5, 4.0)]


def test_several_summaries_and_a_writer_may_be_given(step: Any, tmp_path: Path) -> None:
    summaries = [tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 2.0)]
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        run(tf.train.SummarySaverHook(save_steps=10, summary_writer=writer, summary_op=summaries), step, 2)
    assert scalars_in(tmp_path, "a") == [(1, 1.0)]
    assert scalars_in(tmp_path, "b") == [(1, 2.0)]


def test_without_summaries_only_the_start_is_noted(tmp_path: Path) -> None:
    step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    scaffold = tf.train.Scaffold()
    run(tf.train.SummarySaverHook(save_steps=1, output_dir=str(tmp_path), scaffold=scaffold), step, 3, scaffold)
    assert statuses_in(tmp_path) == [(tf.SessionLog.START, 1)]


def test_without_a_writer_nothing_is_written(step: Any) -> None:
    run(tf.train.SummarySaverHook(save_steps=1, summary_op=tf.summary.merge_all()), step, 2)


def test_subclasses_may_look_at_the_summaries(step: Any) -> None:
    seen = []

    class Looks(tf.train.SummarySaverHook):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            seen.extend(run_values.results["summary"])
            super().after_run(run_context, run_values)

    run(Looks(save_steps=1, summary_op=tf.summary.merge_all()), step, 2)
    assert [tf.Summary.FromString(text).value[0].simple_value for text in seen] == [0.0, 1.0]


@pytest.mark.parametrize("both", [False, True])
def test_a_scaffold_or_summaries_are_given(both: bool) -> None:
    arguments = {"scaffold": tf.train.Scaffold(), "summary_op": tf.constant("")} if both else {}
    with pytest.raises(ValueError, match="Exactly one of scaffold or summary_op must be provided"):
        tf.train.SummarySaverHook(save_steps=1, **arguments)


def test_a_global_step_is_needed() -> None:
    with pytest.raises(RuntimeError, match="Global step should be created to use SummarySaverHook"):
        tf.train.SummarySaverHook(save_steps=1, summary_op=tf.constant("")).begin()
