"""A monitored training session has the services that its arguments ask for, and goes on where it stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from supervision.event_files import scalars_in

import ferroflow as tf


@pytest.fixture
def step() -> Any:
    counter = tf.train.get_or_create_global_step()
    tf.summary.scalar("before", counter)
    return tf.assign_add(counter, 1)


def train(step: Any, steps: int, **arguments: Any) -> list[int]:
    with tf.train.MonitoredTrainingSession(**arguments) as sess:
        return [int(sess.run(step)) for _ in range(steps)]


def saved_steps(folder: Path) -> list[int]:
    return sorted(int(path.stem.split("-")[1]) for path in folder.glob("*.index"))


def test_it_goes_on_from_its_last_checkpoint(step: Any, tmp_path: Path) -> None:
    assert train(step, 3, checkpoint_dir=str(tmp_path)) == [1, 2, 3]
    assert train(step, 2, checkpoint_dir=str(tmp_path)) == [4, 5]
    assert saved_steps(tmp_path) == [0, 3, 5]


def test_without_a_folder_nothing_is_kept(step: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert train(step, 2) == [1, 2]
    assert train(step, 2) == [1, 2]
    assert not list(tmp_path.iterdir())


def test_checkpoints_are_saved_every_ten_minutes(step: Any, tmp_path: Path, clock: Any) -> None:
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path)) as sess:
        for _ in range(14):
            sess.run(step)
            clock.advance(100)
        assert saved_steps(tmp_path) == [0, 7, 13]


def test_or_every_so_many_steps(step: Any, tmp_path: Path) -> None:
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), save_checkpoint_steps=5) as sess:
        for _ in range(12):
            sess.run(step)
        assert saved_steps(tmp_path) == [0, 5, 10]


@pytest.mark.parametrize("never", [None, 0])
def test_or_never(step: Any, tmp_path: Path, never: Any) -> None:
    train(step, 2, checkpoint_dir=str(tmp_path), save_checkpoint_secs=never)
    assert saved_steps(tmp_path) == []


def test_summaries_are_saved_every_hundred_steps(step: Any, tmp_path: Path) -> None:
    train(step, 205, checkpoint_dir=str(tmp_path))
    assert scalars_in(tmp_path, "before") == [(1, 0.0), (101, 100.0), (201, 200.0)]
    assert [n for n, _ in scalars_in(tmp_path, "global_step/sec")] == [101, 201]


def test_or_every_so_many_seconds(step: Any, tmp_path: Path, clock: Any) -> None:
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), save_summaries_secs=30, log_step_count_steps=0
    ) as sess:
        for _ in range(8):
            sess.run(step)
            clock.advance(10)
    assert [n for n, _ in scalars_in(tmp_path, "before")] == [1, 4, 7]
    assert not scalars_in(tmp_path, "global_step/sec")


def test_summaries_may_have_a_folder_of_their_own(step: Any, tmp_path: Path) -> None:
    train(step, 2, checkpoint_dir=str(tmp_path / "a"), summary_dir=str(tmp_path / "b"), save_graph_def=False)
    assert scalars_in(tmp_path / "b", "before") == [(1, 0.0)]
    assert not scalars_in(tmp_path / "a", "before")
    assert not list((tmp_path / "a").glob("*.meta"))


@pytest.mark.parametrize("kind", ["checkpoint", "summaries"])
def test_seconds_and_steps_are_too_much(step: Any, tmp_path: Path, kind: str) -> None:
    both = {f"save_{kind}_secs": 1, f"save_{kind}_steps": 1}
    with pytest.raises(ValueError, match="Can not provide both every_secs and every_steps"):
        tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), **both)


@pytest.mark.parametrize("is_chief", [False, True])
def test_some_hooks_are_the_chiefs_alone(step: Any, is_chief: bool) -> None:
    begun = []

    class Begins(tf.train.SessionRunHook):
        def __init__(self, name: str) -> None:
            self.name = name

        def begin(self) -> None:
            begun.append(self.name)

    # A worker finds the variables initialized, which takes a server but for a graph that has none.
    with tf.Graph().as_default():
        tf.constant(1)
        tf.train.MonitoredTrainingSession(
            is_chief=is_chief, hooks=[Begins("all")], chief_only_hooks=[Begins("chief")]
        ).close()
    assert begun == (["chief", "all"] if is_chief else ["all"])


def test_a_worker_waits_for_the_chief(step: Any, clock: Any) -> None:
    with pytest.raises(tf.errors.DeadlineExceededError, match="Session was not ready after waiting 100 secs"):
        tf.train.MonitoredTrainingSession(is_chief=False, max_wait_secs=100)
    assert clock.sleeps == [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30]


def test_the_scaffold_is_used(step: Any, tmp_path: Path) -> None:
    initialized = []
    scaffold = tf.train.Scaffold(
        saver=tf.train.Saver(max_to_keep=1), init_fn=lambda scaffold, sess: initialized.append(scaffold)
    )
    train(step, 3, checkpoint_dir=str(tmp_path), scaffold=scaffold)
    assert initialized == [scaffold]
    assert saved_steps(tmp_path) == [3]


def test_a_learning_rate_hook_of_a_program_works_as_in_the_guides() -> None:
    rate = tf.placeholder(tf.float32, [], name="rate")
    x = tf.Variable(10.0)
    counter = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(tf.square(x), global_step=counter)

    class Decays(tf.train.SessionRunHook):
        def begin(self) -> None:
            self.rate = 0.5

        def before_run(self, run_context: Any) -> Any:
            return tf.train.SessionRunArgs(counter, feed_dict={rate: self.rate})

        def after_run(self, run_context: Any, run_values: Any) -> None:
            self.rate = 0.25

    hooks = [Decays(), tf.train.StopAtStepHook(last_step=3)]
    values = []
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        while not sess.should_stop():
            values.append(float(sess.run([train_op, x])[1]))
    assert values == [0.0, 0.0, 0.0]
