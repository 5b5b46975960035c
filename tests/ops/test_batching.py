"""Steps that run at the same time share one batch: Batch, Unbatch, UnbatchGrad, BatchFunction."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.contrib.batching.batch_functions import batch_function_v1

_LONG = 30_000_000


def _together(session: Any, fetches: Any, feeds: Sequence[dict[Any, Any]]) -> list[Any]:
    """The results of steps that begin one behind the other, or the errors that they raise."""
    results: list[Any] = [None] * len(feeds)

    def run(i: int) -> None:
        try:
            results[i] = session.run(fetches, feeds[i])
        except tf.errors.OpError as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(feeds))]
    for thread in threads:
        thread.start()
        time.sleep(0.03)
    for thread in threads:
        thread.join()
    return results


def _batch(inputs: Sequence[Any], **attrs: Any) -> Any:
    given = {
        "num_batch_threads": 1,
        "max_batch_size": 2,
        "batch_timeout_micros": _LONG,
        "grad_timeout_micros": _LONG,
        **attrs,
    }
    return tf.raw_ops.Batch(in_tensors=list(inputs), **given)


def test_the_last_step_of_a_full_batch_has_all_rows() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.string, [None, 2])
        (rows, words), index, number = _batch([x, y])
        assert rows.get_shape().as_list() == [None]
        assert (words.get_shape().as_list(), index.get_shape().as_list()) == ([None, 2], [None, 3])
        feeds = [{x: [i], y: [[b"a", b"b"]]} for i in (1, 2)]
        first, last = _together(session, [rows, words, index, number], feeds)
    assert [first[0].shape, first[1].shape, first[2].shape] == [(0,), (0, 2), (0, 3)]
    assert last[0].tolist() == [1, 2]
    assert last[1].tolist() == [[b"a", b"b"]] * 2
    assert last[2].tolist() == [[first[3], 0, 1], [last[3], 1, 2]]


def test_a_batch_ends_with_its_time_and_is_padded_with_its_first_row() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None])
        (rows,), _, _ = _batch([x], max_batch_size=10, batch_timeout_micros=300_000, allowed_batch_sizes=[5, 10])
        first, last = _together(session, rows, [{x: [1, 3]}, {x: [2, 4]}])
    assert (first.tolist(), last.tolist()) == ([], [1, 3, 2, 4, 1])


def test_a_batch_without_room_is_followed_by_another() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None])
        (rows,), _, _ = _batch([x], max_batch_size=3, batch_timeout_micros=200_000)
        got = _together(session, rows, [{x: [1, 2]}, {x: [3, 4]}])
    assert [r.tolist() for r in got] == [[1, 2], [3, 4]]


def test_inputs_that_do_not_fit_are_refused() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
        batched, _, _ = _batch([x, y], batch_timeout_micros=1000)
        for feeds, message in (
            ({x: [1], y: [2, 3]}, "equal 0th-dimension size"),
            ({x: 1, y: 2}, "at least one dimension"),
            ({x: [1, 2, 3], y: [1, 2, 3]}, "Task size 3 is larger than maximum batch size 2"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(batched, feeds)
        for attrs in ({"max_batch_size": 0}, {"allowed_batch_sizes": [2, 1]}, {"allowed_batch_sizes": [1]}):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(_batch([[1]], **attrs)[0])


def test_a_full_queue_is_unavailable() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None])
        (rows,), _, _ = _batch([x], max_enqueued_batches=1, batch_timeout_micros=300_000)
        got = _together(session, rows, [{x: [1, 2][:1]}, {x: [1, 2]}])
    assert got[0].tolist() == [1]
    assert isinstance(got[1], tf.errors.UnavailableError)


def test_each_step_gets_its_rows_back_and_its_gradient() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        (rows,), index, number = _batch([x], max_batch_size=3)
        y = tf.raw_ops.Unbatch(batched_tensor=rows * rows, batch_index=index, id=number, timeout_micros=_LONG)
        (gradient,) = tf.gradients(y, x)
        assert [op.type for op in tf.get_default_graph().get_operations() if "nbatch" in op.type] == [
            "Unbatch",
            "UnbatchGrad",
            "Unbatch",
        ]
        got = _together(session, [y, gradient], [{x: [1.0]}, {x: [3.0]}, {x: [5.0]}])
    assert [[v.tolist() for v in pair] for pair in got] == [[[1.0], [2.0]], [[9.0], [6.0]], [[25.0], [10.0]]]


def test_rows_that_do_not_come_are_a_deadline_exceeded() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.raw_ops.Unbatch(
            batched_tensor=tf.zeros([0], tf.int32),
            batch_index=tf.zeros([0, 3], tf.int64),
            id=tf.constant(7, tf.int64),
            timeout_micros=1000,
        )
        with pytest.raises(tf.errors.DeadlineExceededError, match="did not arrive within timeout window"):
            session.run(y)


def test_an_interrupted_step_leaves_its_batch() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None])
        (rows,), _, _ = _batch([x], max_batch_size=2)
        options = tf.RunOptions(timeout_in_ms=200)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(rows, {x: [9]}, options=options)
        got = _together(session, rows, [{x: [1]}, {x: [2]}])
    assert [r.tolist() for r in got] == [[], [1, 2]]


@pytest.mark.parametrize("decorate", [tf.contrib.batching.batch_function, batch_function_v1])
def test_a_decorated_function_computes_once_for_all_steps(decorate: Any) -> None:
    sizes = []
    with tf.Graph().as_default(), tf.Session() as session:
        x, factor = tf.placeholder(tf.float32, [None, 2]), tf.constant(3.0)

        @decorate(1, 4, 400_000, allowed_batch_sizes=[3, 4])
        def computed(rows: Any) -> Any:
            count = tf.py_func(lambda r: sizes.append(len(r)) or r, [rows], tf.float32)
            count.set_shape(rows.get_shape())
            return count * factor, tf.reduce_sum(rows, 1)

        y = computed(x)
        got = _together(session, list(y), [{x: [[1, 2]]}, {x: [[3, 4]]}])
    assert [[v.tolist() for v in pair] for pair in got] == [[[[3.0, 6.0]], [3.0]], [[[9.0, 12.0]], [7.0]]]
    assert max(sizes) == 3


def test_results_without_the_rows_of_the_batch_are_errors() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None])
        for reduce, message in ((tf.reduce_sum, "0 dimensions"), (lambda r: tf.zeros([5]), "0th dimension")):
            y = tf.contrib.batching.batch_function(1, 10, 1000)(reduce)(x)
            with pytest.raises(tf.errors.FailedPreconditionError, match=message):
                session.run(y, {x: [1, 2]})


def test_arguments_are_tensors() -> None:
    with pytest.raises(ValueError, match="supposed to be Tensors"):
        tf.contrib.batching.batch_function(1, 10, 1000)(lambda x: x)(np.zeros(3))


def test_many_steps_each_get_their_own_rows() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int64, [None])
        y = tf.contrib.batching.batch_function(2, 8, 2000, max_enqueued_batches=100)(lambda r: r * r)(x)
        wrong = []

        def run(k: int) -> None:
            for i in range(30):
                rows = np.arange(k, k + i % 3 + 1)
                if session.run(y, {x: rows}).tolist() != (rows * rows).tolist():
                    wrong.append((k, i))

        threads = [threading.Thread(target=run, args=(100 * k,)) for k in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_the_interrupt_of_one_step_does_not_end_the_others_of_its_batch() -> None:
    calls = []

    def slow(rows: np.ndarray) -> np.ndarray:
        calls.append(len(rows))
        if len(calls) == 1:
            time.sleep(1)
        return 2 * rows

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])

        @tf.contrib.batching.batch_function(1, 2, _LONG)
        def doubled(rows: Any) -> Any:
            return tf.py_func(slow, [rows], tf.float32)

        y = doubled(x)
        late: list[Any] = []

        def run_late() -> None:
            try:
                late.append(session.run(y, {x: [1]}, options=tf.RunOptions(timeout_in_ms=500)))
            except tf.errors.DeadlineExceededError as error:
                late.append(error)

        thread = threading.Thread(target=run_late)
        thread.start()
        time.sleep(0.1)
        # The full batch is computed by the first step, which is late. The second one then computes its own rows once
        # a third one fills the batch.
        other = threading.Thread(target=lambda: session.run(y, {x: [7]}))
        threading.Timer(1.5, other.start).start()
        assert session.run(y, {x: [5]}).tolist() == [10]
        thread.join()
        other.join()
    assert isinstance(late[0], tf.errors.DeadlineExceededError)
    assert calls == [2, 2]
