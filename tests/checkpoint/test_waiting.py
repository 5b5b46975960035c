"""Who waits for checkpoints sees each new one once, and can stop waiting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ferroflow as tf
from ferroflow._src.base import tf_logging
from ferroflow._src.checkpoint import waiting


class Clock:
    """A clock that stands still but for sleeping, during which things may happen."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.at: dict[float, Callable[[], Any]] = {}

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for moment in sorted(self.at):
            if moment <= self.now:
                self.at.pop(moment)()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(waiting, "time", clock)
    return clock


@pytest.fixture
def save(tmp_path: Path) -> Callable[[int], str]:
    """A function that saves a checkpoint of a step."""

    def save(step: int) -> str:
        with tf.Graph().as_default(), tf.Session() as sess:
            sess.run(tf.Variable(step, name="v").initializer)
            return tf.train.Saver().save(sess, str(tmp_path / "model"), global_step=step)

    return save


def test_a_new_checkpoint_is_waited_for(clock: Clock, save: Any, tmp_path: Path) -> None:
    first = save(1)
    clock.at[1005.0] = lambda: save(2)
    assert tf.contrib.training.wait_for_new_checkpoint(str(tmp_path)) == first
    assert clock.now == 1000
    found = tf.contrib.training.wait_for_new_checkpoint(str(tmp_path), first, seconds_to_sleep=2)
    assert found == str(tmp_path / "model-2")
    assert clock.now == 1006


def test_the_wait_has_an_end(clock: Clock, tmp_path: Path) -> None:
    assert tf.contrib.training.wait_for_new_checkpoint(str(tmp_path), timeout=10) is None
    assert clock.now == 1010


def test_each_checkpoint_comes_once_and_not_too_soon(clock: Clock, save: Any, tmp_path: Path) -> None:
    save(1)
    clock.at = {1003.0: lambda: save(2), 1008.0: lambda: save(3), 1040.0: lambda: save(4)}
    seen = [
        (clock.now, path.rsplit("-", 1)[1])
        for path in tf.train.checkpoints_iterator(str(tmp_path), min_interval_secs=20, timeout=30)
    ]
    assert seen == [(1000.0, "1"), (1020.0, "3"), (1040.0, "4")]


def test_who_waits_may_be_asked_whether_to_go_on(clock: Clock, save: Any, tmp_path: Path) -> None:
    answers = [False, False, True]
    clock.at = {1015.0: lambda: save(1)}
    seen = list(tf.train.checkpoints_iterator(str(tmp_path), timeout=10, timeout_fn=lambda: answers.pop(0)))
    assert [Path(path).name for path in seen] == ["model-1"]
    assert not answers


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(tf_logging, "info", lambda message, *args: lines.append(message % args))
    return lines


def test_the_log_has_when_a_checkpoint_is_waited_for_and_found(
    clock: Clock, logged: list[str], save: Any, tmp_path: Path
) -> None:
    clock.at = {1002.0: lambda: save(1)}
    found = tf.contrib.training.wait_for_new_checkpoint(str(tmp_path), timeout=10)
    saving = [line for line in logged if "checkpoint at" in line]
    assert saving == [f"Waiting for new checkpoint at {tmp_path}", f"Found new checkpoint at {found}"]
    assert tf.contrib.training.wait_for_new_checkpoint(str(tmp_path), found, timeout=3) is None
    assert "Found" not in logged[-1]


def test_the_log_has_that_the_time_is_over_where_no_function_decides_it(
    clock: Clock, logged: list[str], tmp_path: Path
) -> None:
    over = "Timed-out waiting for a checkpoint."
    assert list(tf.train.checkpoints_iterator(str(tmp_path), timeout=3, timeout_fn=lambda: True)) == []
    assert over not in logged
    assert list(tf.train.checkpoints_iterator(str(tmp_path), timeout=3)) == []
    assert logged[-1] == over
