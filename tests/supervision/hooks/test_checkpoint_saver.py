"""Checkpoints are saved at the beginning, every so often, and at the end; listeners hear of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from supervision.event_files import events_in, statuses_in

import ferroflow as tf


class Listener(tf.train.CheckpointSaverListener):
    """Notes what it is called for; asks to stop after the checkpoint of a step."""

    def __init__(self, last_step: int | None = None) -> None:
        self.calls: list[Any] = []
        self.last_step = last_step

    def begin(self) -> None:
        tf.constant(1, name="from_the_listener")
        self.calls.append("begin")

    def before_save(self, session: Any, global_step_value: int) -> None:
        self.calls.append(("before", int(global_step_value)))

    def after_save(self, session: Any, global_step_value: int) -> Any:
        self.calls.append(("after", int(global_step_value)))
        return self.last_step == global_step_value

    def end(self, session: Any, global_step_value: int) -> None:
        self.calls.append(("end", int(global_step_value)))


@pytest.fixture
def step() -> Any:
    return tf.assign_add(tf.train.get_or_create_global_step(), 1)


def saved_steps(folder: Path) -> list[int]:
    return sorted(int(path.stem.split("-")[1]) for path in folder.glob("*.index"))


def run(hook: Any, step: Any, steps: int, scaffold: Any, clock: Any = None) -> None:
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold), [hook]) as sess:
        for _ in range(steps):
            sess.run(step)
            if clock is not None:
                clock.advance(1)


def test_every_so_many_steps(step: Any, tmp_path: Path) -> None:
    scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=None))
    run(tf.train.CheckpointSaverHook(str(tmp_path), save_steps=3, scaffold=scaffold), step, 8, scaffold)
    assert saved_steps(tmp_path) == [0, 3, 6, 8]
    assert statuses_in(tmp_path) == [(tf.SessionLog.CHECKPOINT, n) for n in (0, 3, 6, 8)]


def test_all_is_on_the_disk_at_the_end(step: Any, tmp_path: Path) -> None:
    scaffold = tf.train.Scaffold()
    run(tf.train.CheckpointSaverHook(str(tmp_path), save_steps=3, scaffold=scaffold), step, 2, scaffold)
    (path,) = tmp_path.glob("events*")
    last = list(tf.train.summary_iterator(str(path)))[-1]
    assert (last.session_log.status, last.step) == (tf.SessionLog.CHECKPOINT, 2)


def test_every_so_many_seconds(step: Any, tmp_path: Path, clock: Any) -> None:
    scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=None))
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_secs=3, scaffold=scaffold)
    run(hook, step, 9, scaffold, clock)
    # A step is over before its second is.
    assert saved_steps(tmp_path) == [0, 4, 7, 9]


def test_a_step_is_saved_once(step: Any, tmp_path: Path) -> None:
    scaffold = tf.train.Scaffold()
    listener = Listener()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, scaffold=scaffold, listeners=[listener])
    run(hook, step, 4, scaffold)
    calls = ["begin", *[(when, n) for n in (0, 2, 4) for when in ("before", "after")], ("end", 4)]
    assert listener.calls == calls


def test_runs_that_count_several_steps_are_seen_ahead(tmp_path: Path) -> None:
    step = tf.assign_add(tf.train.get_or_create_global_step(), 5)
    scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=None))
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=10, scaffold=scaffold, steps_per_run=5)
    run(hook, step, 5, scaffold)
    assert saved_steps(tmp_path) == [0, 10, 20, 25]


def test_the_graph_is_written_before_the_first_step(step: Any, tmp_path: Path, graph: Any) -> None:
    scaffold = tf.train.Scaffold()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=3, scaffold=scaffold)
    run(hook, step, 0, scaffold)
    text = (tmp_path / "graph.pbtxt").read_text(encoding="utf-8")
    assert 'name: "global_step"' in text
    assert (tmp_path / "model.ckpt-0.meta").exists()
    kinds = [event.WhichOneof("what") for event in events_in(tmp_path)]
    assert {"graph_def", "meta_graph_def"} <= set(kinds)


def test_or_not_at_all(step: Any, tmp_path: Path) -> None:
    scaffold = tf.train.Scaffold()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=3, scaffold=scaffold, save_graph_def=False)
    run(hook, step, 0, scaffold)
    assert not list(tmp_path.glob("*.pbtxt"))
    assert not list(tmp_path.glob("*.meta"))


def test_a_listener_may_end_the_training(step: Any, tmp_path: Path) -> None:
    scaffold = tf.train.Scaffold()
    listeners = [Listener(), Listener(last_step=4)]
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, scaffold=scaffold, listeners=listeners)
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold), [hook]) as sess:
        while not sess.should_stop():
            sess.run(step)
    assert listeners[0].calls[-1] == ("end", 4)


def test_the_saver_is_the_one_of_the_collection(step: Any, tmp_path: Path) -> None:
    saver = tf.train.Saver()
    tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, checkpoint_basename="mine")
    run(hook, step, 1, tf.train.Scaffold())
    assert saver.last_checkpoints[-1] == str(tmp_path / "mine-1")


def test_there_must_be_one_saver(step: Any, tmp_path: Path) -> None:
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2)
    with pytest.raises(RuntimeError, match="No items in collection"):
        hook._get_saver()
    for _ in range(2):
        tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
    with pytest.raises(RuntimeError, match="More than one item in collection"):
        hook._get_saver()


@pytest.mark.parametrize("arguments", [{}, {"save_secs": 1, "save_steps": 1}])
def test_seconds_or_steps_are_given(arguments: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="every_secs"):
        tf.train.CheckpointSaverHook(str(tmp_path), **arguments)


def test_a_saver_and_a_scaffold_are_too_much(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="You cannot provide both saver and scaffold"):
        tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1, saver=object(), scaffold=tf.train.Scaffold())


def test_a_global_step_is_needed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Global step should be created to use CheckpointSaverHook"):
        tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1).begin()
