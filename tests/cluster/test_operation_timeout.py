"""`operation_timeout_in_ms` ends no monitored session for a lost task, and ends a step that waits elsewhere."""

import signal
import threading
import time
from pathlib import Path

import pytest
from cluster.task_processes import TaskProcesses, hang

import ferroflow as tf

PROGRAM = Path(__file__).with_name("timed_program.py")
PS, WORKER = ("ps", 0), ("worker", 0)
# Longer than the limit of a step, and than the time in which a part of one is given up.
OUTAGE = 4.0
RECOVERY = 30.0


def test_a_monitored_session_waits_for_a_server_that_is_lost_for_longer(tmp_path):
    pause = threading.Event()
    with TaskProcesses(PROGRAM, tmp_path, PS, ps=1, worker=1) as tasks:
        worker = tasks.task(*WORKER)
        # It is not there yet.
        pause.wait(OUTAGE)
        assert worker.process.poll() is None, tasks.printed()
        tasks.start(*PS)
        tasks.wait_for_progress(time.monotonic(), 60)
        # It is there, and does not answer.
        hang(tasks.task(*PS).process)
        pause.wait(OUTAGE)
        assert worker.process.poll() is None, tasks.printed()
        reached = worker.reports[-1].values["step"]
        tasks.task(*PS).process.send_signal(signal.SIGCONT)
        tasks.wait_for_progress(time.monotonic(), RECOVERY)
        assert worker.reports[-1].values["step"] > reached
        # It is gone, and another one comes.
        tasks.task(*PS).kill()
        pause.wait(OUTAGE)
        assert worker.process.poll() is None, tasks.printed()
        tasks.start(*PS)
        tasks.wait_for_progress(time.monotonic(), RECOVERY)
        # Nothing is lost: an empty queue is the program's own affair.
        (tmp_path / "starve").touch()
        assert worker.wait(60) == 1, tasks.printed()
        assert any("DeadlineExceededError" in line for line in worker.other)
        shown = [line for line in worker.other if line.startswith("ferroflow.errors.")]
        assert shown
        assert not any("does not answer" in line or "cannot be reached" in line for line in shown)


@pytest.mark.parametrize("limit", ["of the step", "of the session"])
@pytest.mark.parametrize("state", ["absent", "silent"])
def test_a_deadline_that_passes_while_a_task_is_lost_is_both_errors(tmp_path, limit, state):
    options = tf.RunOptions(timeout_in_ms=500) if limit == "of the step" else None
    config = tf.ConfigProto(operation_timeout_in_ms=500) if limit == "of the session" else None
    program = Path(__file__).with_name("waiting_program.py")
    later = [PS] if state == "absent" else []
    with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
        fetched = tf.random_uniform([]) + 1.0
        with TaskProcesses(program, tmp_path, WORKER, *later, ps=1, worker=1) as tasks:
            session = tf.Session(tf.train.Server(tasks.cluster, *WORKER).target, config=config)
            if state == "silent":
                session.run(fetched, options=tf.RunOptions(timeout_in_ms=60_000))
                hang(tasks.task(*PS).process)
            with pytest.raises(tf.errors.UnavailableError, match="/job:ps/replica:0/task:0") as raised:
                session.run(fetched, options=options)
            session.close()
    assert isinstance(raised.value, tf.errors.DeadlineExceededError)
    assert raised.value.error_code == tf.errors.DEADLINE_EXCEEDED


def test_a_deadline_that_passes_in_a_queue_of_a_task_that_answers_is_no_loss(tmp_path):
    program = Path(__file__).with_name("waiting_program.py")
    with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(1, tf.float32)
        taken, size = queue.dequeue(), queue.size()
        with TaskProcesses(program, tmp_path, WORKER, ps=1, worker=1) as tasks:
            session = tf.Session(tf.train.Server(tasks.cluster, *WORKER).target)
            # It answers once the task runs.
            session.run(size)
            with pytest.raises(tf.errors.DeadlineExceededError) as raised:
                session.run(taken, options=tf.RunOptions(timeout_in_ms=1000))
            session.close()
    assert not isinstance(raised.value, tf.errors.UnavailableError)
