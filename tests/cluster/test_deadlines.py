"""A step that needs a task which does not answer fails when its time is over, and goes on when the task answers."""

import signal
import threading
import time
from pathlib import Path

import pytest
from cluster.task_processes import TaskProcesses, hang

import ferroflow as tf

PROGRAM = Path(__file__).with_name("waiting_program.py")
SECONDS = 2.0
# How much later than its deadline an error may come on a busy machine.
LATE = 5.0
PS, WORKER = ("ps", 0), ("worker", 0)
NO_ANSWER = (tf.errors.DeadlineExceededError, tf.errors.UnavailableError)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def variable_on(job):
    with tf.device(f"/job:{job}/task:0"):
        return tf.Variable(1.0, name="v")


@pytest.mark.parametrize("deadline", ["of the step", "of the session"])
def test_a_task_that_cannot_be_reached_is_an_error_within_the_deadline(tmp_path, deadline):
    v = variable_on("ps")
    in_ms = int(1000 * SECONDS)
    of_step = tf.RunOptions(timeout_in_ms=in_ms) if deadline == "of the step" else None
    of_session = tf.ConfigProto(operation_timeout_in_ms=in_ms) if deadline == "of the session" else None
    with TaskProcesses(PROGRAM, tmp_path, WORKER, PS, ps=1, worker=1) as tasks:
        target = tf.train.Server(tasks.cluster, *WORKER).target
        start = time.monotonic()
        with pytest.raises(NO_ANSWER), tf.Session(target, config=of_session) as session:
            session.run(v.initializer, options=of_step)
    assert time.monotonic() - start < SECONDS + LATE


def test_a_session_waits_for_a_task_that_starts_later(tmp_path):
    v = variable_on("ps")
    with TaskProcesses(PROGRAM, tmp_path, WORKER, PS, ps=1, worker=1) as tasks:
        server = tf.train.Server(tasks.cluster, *WORKER)
        values = []

        def work():
            with tf.Session(server.target, graph=v.graph) as session:
                session.run(v.initializer)
                values.append(session.run(v))

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        worker.join(0.5)
        assert worker.is_alive()
        tasks.start(*PS)
        worker.join(60)
        assert values == [1.0]


def test_a_task_that_hangs_is_an_error_within_the_deadline(tmp_path):
    v = variable_on("ps")
    add = v.assign_add(1.0)
    with TaskProcesses(PROGRAM, tmp_path, WORKER, ps=1, worker=1) as tasks:
        server = tf.train.Server(tasks.cluster, *WORKER)
        with tf.Session(server.target) as session:
            session.run(v.initializer)
            hang(tasks.task(*PS).process)
            start = time.monotonic()
            with pytest.raises(NO_ANSWER):
                session.run(add, options=tf.RunOptions(timeout_in_ms=int(1000 * SECONDS)))
            assert time.monotonic() - start < SECONDS + LATE
            tasks.task(*PS).process.send_signal(signal.SIGCONT)
            # The step that was given up may have been made or not.
            assert session.run(add) in (2.0, 3.0)


def test_a_closed_session_does_not_wait_for_a_task_that_hangs(tmp_path):
    v = variable_on("ps")
    with TaskProcesses(PROGRAM, tmp_path, WORKER, ps=1, worker=1) as tasks:
        session = tf.Session(tf.train.Server(tasks.cluster, *WORKER).target)
        session.run(v.initializer)
        hang(tasks.task(*PS).process)
        start = time.monotonic()
        session.close()
        assert time.monotonic() - start < LATE


def test_a_task_that_ends_in_a_step_is_unavailable(tmp_path):
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(1, tf.float32, shared_name="q")
        taken, size = queue.dequeue(), queue.size()
    with TaskProcesses(PROGRAM, tmp_path, WORKER, ps=1, worker=1) as tasks:
        session = tf.Session(tf.train.Server(tasks.cluster, *WORKER).target)
        assert session.run(size) == 0
        threading.Timer(0.5, tasks.task(*PS).process.kill).start()
        start = time.monotonic()
        with pytest.raises(tf.errors.UnavailableError):
            session.run(taken)
        assert time.monotonic() - start < LATE
        session.close()
