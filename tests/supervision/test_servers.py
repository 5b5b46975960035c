"""Supervised sessions of several workers on the variables of one server: who waits, who initializes, who saves."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ferroflow as tf

pytestmark = pytest.mark.filterwarnings("ignore:tf.train.Supervisor is deprecated")

WAIT = 60


@pytest.fixture
def server() -> Any:
    return tf.train.Server.create_local_server()


class Worker(threading.Thread):
    """A worker with a graph of its own; `join` raises what it raised."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        super().__init__(daemon=True)
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            with tf.Graph().as_default(), tf.device("/cpu:0"):
                self.result = self.work(tf.assign_add(tf.train.get_or_create_global_step(), 1))
        except BaseException as error:  # raised again where it is joined
            self.error = error

    def joined(self) -> Any:
        self.join(WAIT)
        assert not self.is_alive()
        if self.error is not None:
            raise self.error
        return self.result


def train(sess: Any, step: Any) -> list[int]:
    """The steps of one worker, which are numbered in common."""
    steps = []
    while not sess.should_stop():
        steps.append(int(sess.run(step)))
    return steps


def test_workers_wait_for_the_chief_and_count_together(server: Any, tmp_path: Path, logged: list[str]) -> None:
    def work(step: Any, is_chief: bool = False) -> list[int]:
        with tf.train.MonitoredTrainingSession(
            server.target,
            is_chief=is_chief,
            checkpoint_dir=str(tmp_path),
            hooks=[tf.train.StopAtStepHook(last_step=300)],
        ) as sess:
            return train(sess, step)

    workers = [Worker(work) for _ in range(2)]
    waiting = threading.Event()
    while not any(line.startswith("Waiting for model to be ready") for line in logged):
        assert not waiting.wait(0.01)
    chief = Worker(lambda step: work(step, is_chief=True))
    steps = [worker.joined() for worker in (chief, *workers)]
    together = sorted(step for own in steps for step in own)
    assert together == list(range(1, len(together) + 1))
    assert len(together) >= 300
    saved = tf.train.latest_checkpoint(str(tmp_path))
    assert tf.train.load_variable(saved, "global_step") >= 300


def test_a_worker_starts_when_the_others_have_come_to_a_step(server: Any) -> None:
    started = threading.Event()

    def chief(step: Any) -> None:
        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(master=server.target)) as sess:
            while not started.is_set():
                sess.run(step)

    def late(step: Any) -> int:
        creator = tf.train.WorkerSessionCreator(master=server.target)
        with tf.train.MonitoredSession(creator, [tf.train.GlobalStepWaiterHook(50)]) as sess:
            first = int(sess.run(step))
            started.set()
            return first

    workers = [Worker(chief), Worker(late)]
    assert workers[1].joined() > 50
    workers[0].joined()


def test_supervisors_share_a_model(server: Any, tmp_path: Path) -> None:
    done = threading.Barrier(2)

    def work(step: Any, is_chief: bool) -> list[int]:
        supervisor = tf.train.Supervisor(
            is_chief=is_chief, logdir=str(tmp_path), save_model_secs=0, save_summaries_secs=0, recovery_wait_secs=0.01
        )
        with supervisor.managed_session(server.target) as sess:
            steps = [int(sess.run(step)) for _ in range(100)]
            done.wait(WAIT)
            if is_chief:
                supervisor.saver.save(sess, supervisor.save_path, global_step=supervisor.global_step)
            return steps

    workers = [Worker(lambda step: work(step, False)), Worker(lambda step: work(step, True))]
    steps = [worker.joined() for worker in workers]
    assert sorted(steps[0] + steps[1]) == list(range(1, 201))
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-200")


def test_a_model_that_is_there_is_not_initialized_again_by_a_session_that_only_looks(server: Any) -> None:
    counter = tf.train.create_global_step()
    step = tf.assign_add(counter, 1)
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(master=server.target)) as sess:
        sess.run(step)
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    assert manager.wait_for_session(server.target).run(counter) == 1
    other, is_restored = manager.recover_session(server.target)
    assert not is_restored
    assert other.run(counter) == 1


class Outage(tf.train.SessionRunHook):
    """Ends a step as the loss of a task does, and calls `meanwhile` before."""

    def __init__(self, at: int, meanwhile: Callable[[], Any]) -> None:
        self.at = at
        self.meanwhile = meanwhile
        self.runs = 0

    def before_run(self, run_context: Any) -> None:
        self.runs += 1
        if self.runs == self.at:
            self.meanwhile()
            raise tf.errors.UnavailableError(None, None, "Socket closed")


@pytest.mark.parametrize("saves", [True, False])
def test_a_chief_that_only_lost_the_connection_takes_no_step_back(server: Any, tmp_path: Path, saves: bool) -> None:
    step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    with tf.train.MonitoredTrainingSession(
        server.target,
        checkpoint_dir=str(tmp_path) if saves else None,
        save_checkpoint_steps=3,
        save_checkpoint_secs=None,
        hooks=[Outage(6, lambda: None)],
    ) as sess:
        assert [int(sess.run(step)) for _ in range(8)] == list(range(1, 9))


def test_a_chief_restores_what_a_task_has_lost(server: Any, tmp_path: Path) -> None:
    step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    with tf.train.MonitoredTrainingSession(
        server.target,
        checkpoint_dir=str(tmp_path),
        save_checkpoint_steps=3,
        save_checkpoint_secs=None,
        hooks=[Outage(7, lambda: tf.Session.reset(server.target))],
    ) as sess:
        before = [int(sess.run(step)) for _ in range(6)]
        saved = int(tf.train.latest_checkpoint(str(tmp_path)).rsplit("-", 1)[1])
        assert 0 < saved <= 6
        assert before == list(range(1, 7))
        assert int(sess.run(step)) == saved + 1


def test_a_chief_that_starts_again_restores_what_others_had_changed(server: Any, tmp_path: Path) -> None:
    counter = tf.train.create_global_step()
    step, elsewhere = tf.assign_add(counter, 1), tf.assign(counter, 77)
    arguments = {"checkpoint_dir": str(tmp_path), "save_checkpoint_steps": 10}
    with tf.train.MonitoredTrainingSession(server.target, **arguments) as sess:
        for _ in range(10):
            sess.run(step)
    with tf.Session(server.target) as meanwhile:
        meanwhile.run(elsewhere)
    with tf.train.MonitoredTrainingSession(server.target, **arguments) as sess:
        assert sess.run(step) == 11
