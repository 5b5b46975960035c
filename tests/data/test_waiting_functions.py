"""Functions of elements may take from queues and put into them: they wait as operations of steps do."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

import ferroflow as tf

LIMIT = 30.0


def _in_thread(function: Any) -> tuple[threading.Thread, list[Any]]:
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(function())
        except Exception as e:
            results.append(e)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, results


def _join(thread: threading.Thread) -> None:
    thread.join(LIMIT)
    assert not thread.is_alive(), "it hangs"


AHEAD = {
    "in the step": lambda d, f: d.map(f),
    "ahead": lambda d, f: d.map(f).prefetch(1),
    "in parallel": lambda d, f: d.map(f, num_parallel_calls=2),
}


@pytest.mark.parametrize("way", AHEAD)
def test_a_function_waits_for_an_element_of_a_queue(way: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(10, tf.int64, shapes=[()])
        iterator = AHEAD[way](tf.data.Dataset.range(3), lambda x: x * 0 + queue.dequeue()).make_initializable_iterator()
        element, value = iterator.get_next(), tf.placeholder(tf.int64, [])
        put = queue.enqueue(value)
        session.run(iterator.initializer)
        thread, results = _in_thread(lambda: sorted(int(session.run(element)) for _ in range(3)))
        for number in (5, 7, 9):
            session.run(put, {value: number})
        _join(thread)
        assert results == [[5, 7, 9]]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_a_function_waits_for_room_and_its_effects_come_in_order() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(1, tf.int64, shapes=[()])

        def put(x: Any) -> Any:
            with tf.control_dependencies([queue.enqueue(x)]):
                return tf.identity(x)

        iterator = tf.data.Dataset.range(4).map(put).prefetch(4).make_initializable_iterator()
        element, taken = iterator.get_next(), queue.dequeue()
        session.run(iterator.initializer)
        thread, results = _in_thread(lambda: [int(session.run(element)) for _ in range(4)])
        assert [session.run(taken) for _ in range(4)] == [0, 1, 2, 3]
        _join(thread)
        assert results == [[0, 1, 2, 3]]


@pytest.mark.parametrize("way", AHEAD)
def test_closing_the_queue_or_the_session_ends_the_wait(way: str) -> None:
    with tf.Graph().as_default():
        session = tf.Session()
        queue, other = (tf.FIFOQueue(1, tf.int64, shapes=[()]) for _ in range(2))
        # That the queue has ended is no end of the dataset: the function says so, and the dataset ends (TF 1.x).
        iterators = [
            AHEAD[way](tf.data.Dataset.range(1), lambda x, q=q: x + q.dequeue()).make_initializable_iterator()
            for q in (queue, other)
        ]
        elements = [iterator.get_next() for iterator in iterators]
        close = queue.close()
        session.run([iterator.initializer for iterator in iterators])
        thread, results = _in_thread(lambda: session.run(elements[0]))
        session.run(close)
        _join(thread)
        assert isinstance(results[0], tf.errors.OutOfRangeError)
        thread, results = _in_thread(lambda: session.run(elements[1]))
        time.sleep(0.05)
        session.close()
        _join(thread)
        assert isinstance(results[0], (tf.errors.CancelledError, RuntimeError))


@pytest.mark.parametrize("way", AHEAD)
def test_a_time_limit_ends_the_wait_and_no_element_of_the_queue_is_lost(way: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(4, tf.int64, shapes=[()])
        iterator = AHEAD[way](tf.data.Dataset.range(2), lambda x: x * 0 + queue.dequeue()).make_initializable_iterator()
        element, put = iterator.get_next(), queue.enqueue_many([tf.constant([3, 4], tf.int64)])
        session.run(iterator.initializer)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=tf.RunOptions(timeout_in_ms=50))
        session.run(put)
        found = []
        try:
            while True:
                found.append(int(session.run(element)))
        except tf.errors.OutOfRangeError:
            pass
        left = session.run(queue.dequeue_many(queue.size())).tolist()
        assert sorted(found + left) == [3, 4]
