"""Steps are traced into files that Chrome reads, and into the event file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from supervision.event_files import events_in

import ferroflow as tf


@pytest.fixture
def step() -> Any:
    return tf.assign_add(tf.train.get_or_create_global_step(), 1, name="count")


def test_every_so_many_steps(step: Any, tmp_path: Path) -> None:
    with tf.train.MonitoredSession(hooks=[tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))]) as sess:
        for _ in range(4):
            sess.run(step)
    assert sorted(path.name for path in tmp_path.glob("timeline*")) == ["timeline-1.json", "timeline-3.json"]
    events = json.loads((tmp_path / "timeline-3.json").read_text(encoding="utf-8"))["traceEvents"]
    assert "count" in [event["args"]["name"] for event in events if event["ph"] == "X"]
    tagged = [event.tagged_run_metadata for event in events_in(tmp_path) if event.HasField("tagged_run_metadata")]
    assert [entry.tag for entry in tagged] == ["step_1", "step_3"]
    assert tf.RunMetadata.FromString(tagged[0].run_metadata).step_stats.dev_stats


def test_every_so_many_seconds(step: Any, tmp_path: Path, clock: Any) -> None:
    with tf.train.MonitoredSession(hooks=[tf.train.ProfilerHook(save_secs=2, output_dir=str(tmp_path))]) as sess:
        for _ in range(6):
            sess.run(step)
            clock.advance(1)
    assert sorted(path.name for path in tmp_path.glob("timeline*")) == [f"timeline-{n}.json" for n in (1, 3, 5)]


def test_other_steps_are_not_traced(step: Any, tmp_path: Path) -> None:
    traced = []

    class Looks(tf.train.SessionRunHook):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            traced.append(bool(run_values.run_metadata.step_stats.dev_stats))

    hooks = [tf.train.ProfilerHook(save_steps=3, output_dir=str(tmp_path)), Looks()]
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        for _ in range(4):
            sess.run(step)
    assert traced == [True, False, False, True]


@pytest.mark.parametrize("arguments", [{}, {"save_secs": 1, "save_steps": 1}])
def test_seconds_or_steps_are_given(arguments: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="every_secs"):
        tf.train.ProfilerHook(output_dir=str(tmp_path), **arguments)


def test_a_global_step_is_needed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Global step should be created to use ProfilerHook"):
        tf.train.ProfilerHook(save_steps=1, output_dir=str(tmp_path)).begin()
