"""Queue runners fill queues by threads, close them at the end of their input, and report failures."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from typing import Any

import pytest

import ferroflow as tf
from ferroflow._src.base import proto


def drained(session: tf.Session, take: Any) -> list[int]:
    """All elements until the end."""
    found = []
    while True:
        try:
            found.append(int(session.run(take)))
        except tf.errors.OutOfRangeError:
            return found


def test_the_queue_is_closed_when_the_input_of_all_threads_has_ended() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        counters = [tf.Variable(0, name=f"counter_{i}") for i in range(3)]
        queue = tf.FIFOQueue(2, tf.int32, shapes=[()])
        ops = [queue.enqueue(counter.count_up_to(5)) for counter in counters]
        runner = tf.train.QueueRunner(queue, ops)
        session.run(tf.global_variables_initializer())
        take = queue.dequeue()
        threads = runner.create_threads(session, start=True, daemon=True)
        assert len(threads) == 3
        assert runner.create_threads(session) == []
        assert sorted(drained(session, take)) == sorted(list(range(5)) * 3)
        for thread in threads:
            thread.join(30)
        assert runner.exceptions_raised == []
        assert session.run(queue.is_closed())
        assert len(runner.create_threads(session)) == 3


def test_a_coordinator_stops_threads_that_wait() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(1, tf.int32, shapes=[()])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)] * 4))
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        assert len(threads) == 5
        assert all(t.daemon for t in threads)
        assert session.run(queue.dequeue()) == 1
        coord.request_stop()
        # The threads that wait for room fail with CancelledError, which is no news once a stop was asked for.
        coord.join(threads, stop_grace_period_secs=30)


def test_a_failure_reaches_the_coordinator_or_is_kept() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(1, tf.float32, shapes=[()])
        bad = queue.enqueue(tf.check_numerics(tf.log(tf.constant(-1.0)), "no number"))
        runner = tf.train.QueueRunner(queue, [bad])
        coord = tf.train.Coordinator()
        threads = runner.create_threads(session, coord, start=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="no number"):
            coord.join(threads)
        before, threading.excepthook = threading.excepthook, lambda args: None
        try:
            for thread in runner.create_threads(session, start=True):
                thread.join(30)
        finally:
            threading.excepthook = before
        assert [type(e) for e in runner.exceptions_raised] == [tf.errors.InvalidArgumentError]


def test_a_runner_is_described_by_a_message() -> None:
    with tf.Graph().as_default() as graph:
        with tf.name_scope("input"):
            queue = tf.FIFOQueue(1, tf.int32, name="q")
            types = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
            runner = tf.train.QueueRunner(queue, [queue.enqueue(1)], queue_closed_exception_types=types)
        message = runner.to_proto()
        assert isinstance(message, proto.QueueRunnerDef)
        assert message.queue_name == "input/q"
        assert list(message.enqueue_op_name) == ["input/q_enqueue"]
        assert (message.close_op_name, message.cancel_op_name) == ("input/q_Close", "input/q_Close_1")
        assert runner.to_proto("input").queue_name == "q"
        assert runner.to_proto("other") is None
        again = tf.train.QueueRunner.from_proto(runner.to_proto("input"), import_scope="input")
        assert again.queue is graph.get_operation_by_name("input/q")
        assert again.name == "input/q"
        assert again.enqueue_ops == runner.enqueue_ops
        assert again.close_op is runner.close_op
        assert again.cancel_op is runner.cancel_op
        assert again.queue_closed_exception_types == types
        with pytest.raises(ValueError, match="mutually exclusive"):
            tf.train.QueueRunner(queue, queue_runner_def=message)
        with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
            tf.train.QueueRunner(queue)
        with pytest.raises(TypeError, match=r"must be a tuple of tf\.error types"):
            tf.train.QueueRunner(queue, [queue.enqueue(1)], queue_closed_exception_types=(ValueError,))  # type: ignore[arg-type]


def test_runners_start_in_the_default_session_or_the_one_given() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="No default session"):
            tf.train.start_queue_runners()
        with pytest.raises(TypeError, match=r"must be a `tf.Session` object"):
            tf.train.start_queue_runners("session")
        with tf.Session():
            assert tf.train.start_queue_runners() == []


def test_a_program_may_end_while_threads_wait_and_run() -> None:
    program = """
        import threading
        import ferroflow as tf

        full, empty = (tf.FIFOQueue(20, tf.float32, shapes=[(10,)]) for _ in range(2))
        busy = tf.FIFOQueue(1000000, tf.float32, shapes=[(10,)])
        value = tf.random_normal([10])
        for queue in (full, busy):
            tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(value)] * 3))
        wait, take = empty.dequeue(), full.dequeue_many(5)
        session = tf.Session()
        for _ in range(3):
            threading.Thread(target=lambda: session.run(wait), daemon=True).start()
        tf.train.start_queue_runners(session)
        for _ in range(20):
            session.run(take)
        print("ended")
    """
    source = textwrap.dedent(program)
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", source], capture_output=True, encoding="utf-8", timeout=120, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")


def test_runners_are_in_a_meta_graph_and_come_back() -> None:
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        batch = tf.train.batch([number], 2)
        meta_graph = tf.train.export_meta_graph()
        name = batch.name
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(meta_graph)
        session.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        take = graph.get_tensor_by_name(name)
        assert [session.run(take).tolist() for _ in range(2)] == [[0, 1], [2, 3]]
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=30)
