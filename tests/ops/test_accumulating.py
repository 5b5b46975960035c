"""Accumulators give the mean of the gradients that came in time, once enough of them came."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import ferroflow as tf


def test_the_mean_of_gradients_is_taken_and_a_new_step_begins() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sums = tf.ConditionalAccumulator(tf.float32, shape=[2], name="sums")
        gradient, step = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int64, [])
        apply, take, count = sums.apply_grad(gradient, step), sums.take_grad(2), sums.num_accumulated()
        assert (take.shape.as_list(), sums.name, count.op.name) == ([2], "sums", "sums_NumAccumulated")
        for value in ([1.0, 2.0], [2.0, 3.0], [6.0, 7.0]):
            session.run(apply, {gradient: value, step: 0})
        assert session.run(count) == 3
        np.testing.assert_array_equal(session.run(take), [3, 4])
        session.run(apply, {gradient: [1, 1], step: 0})
        assert session.run(count) == 0
        session.run(sums.set_global_step(7))
        session.run(apply, {gradient: [1, 1], step: 6})
        session.run(apply, {gradient: [1, 1], step: 7})
        assert session.run(count) == 1


def test_the_sum_is_taken_where_asked() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sums = tf.ConditionalAccumulator(tf.float64, reduction_type="SUM")
        session.run([sums.apply_grad([1.0]), sums.apply_grad([5.0])])
        np.testing.assert_array_equal(session.run(sums.take_grad(1)), [6])
        with pytest.raises(ValueError, match="reduction_type"):
            tf.ConditionalAccumulator(tf.float32, reduction_type="MAX")


def test_each_slice_has_the_mean_of_the_gradients_that_had_it() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sums = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
        first = tf.IndexedSlices(tf.constant([[1.0, 2.0], [4.0, 6.0]]), tf.constant([0, 2]), tf.constant([4, 2]))
        session.run(sums.apply_indexed_slices_grad(first))
        session.run(sums.apply_grad([2, 3], [[2.0, 2.0], [5.0, 5.0]]))
        taken = session.run(sums.take_indexed_slices_grad(2))
        np.testing.assert_array_equal(taken.indices, [0, 2, 3])
        np.testing.assert_array_equal(taken.values, [[1, 2], [3, 4], [5, 5]])
        np.testing.assert_array_equal(taken.dense_shape, [4, 2])


def test_a_take_waits_in_its_thread_until_enough_gradients_came() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sums = tf.ConditionalAccumulator(tf.float32, shape=[])
        apply, take, count = sums.apply_grad(3.0), sums.take_grad(3), sums.num_accumulated()
        taken: list[Any] = []
        waiting = threading.Thread(target=lambda: taken.append(session.run(take)))
        waiting.start()
        for i in range(3):
            assert (session.run(count), taken) == (i, [])
            session.run(apply)
        waiting.join(20)
        assert taken == [3.0]


def test_a_blocked_take_ends_with_its_session_or_its_time() -> None:
    with tf.Graph().as_default():
        sums = tf.ConditionalAccumulator(tf.float32, shape=[])
        take = sums.take_grad(1)
        session = tf.Session()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(take, options=tf.RunOptions(timeout_in_ms=100))
        raised: list[BaseException] = []

        def run() -> None:
            try:
                session.run(take)
            except tf.errors.OpError as e:
                raised.append(e)

        waiting = threading.Thread(target=run)
        waiting.start()
        # Not before the thread is inside its step, which then is what keeps it alive.
        waiting.join(0.2)
        assert waiting.is_alive()
        session.close()
        waiting.join(20)
        assert [type(e) for e in raised] == [tf.errors.CancelledError]


def test_gradients_that_do_not_fit_are_refused() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dense = tf.ConditionalAccumulator(tf.float32, shape=[2])
        with pytest.raises(ValueError, match="compatible"):
            dense.apply_grad([1.0])
        fed = tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape mismatch: expected \[2\], got \[3\]"):
            session.run(dense.apply_grad(fed), {fed: [1, 2, 3]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_required must be positive, but was 0"):
            session.run(dense.take_grad(0))
        sparse = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match="index is 4 exceeded 4"):
            session.run(sparse.apply_grad([4], [[1.0, 2.0]]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="expected values dim 1 to be 2, got 1"):
            session.run(sparse.apply_grad([0], [[1.0]]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="shape dim 0 to be 4, got 5"):
            session.run(sparse.apply_grad([0], [[1.0, 1.0]], [5, 2]))
