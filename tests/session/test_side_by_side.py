"""Steps of many small operations: after some steps they run side by side, and their values stay what they were."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import ferroflow as tf
from ferroflow import _core

# More than a session needs to measure a plan and to try its groups.
_STEPS = 30


def _losses(config):
    """Trains twelve embeddings with an optimizer that has slots; returns the losses and the final values."""
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        tf.set_random_seed(3)
        ids = tf.placeholder(tf.int32, [None, 12])
        tables = [tf.get_variable(f"table{k}", [50, 8], initializer=tf.random_normal_initializer()) for k in range(12)]
        looked_up = [tf.nn.embedding_lookup(table, ids[:, k]) for k, table in enumerate(tables)]
        noise = tf.random_normal([5, 8 * 12], seed=7)
        loss = tf.reduce_mean(tf.square(tf.concat(looked_up, 1) - noise))
        train = tf.train.FtrlOptimizer(0.1).minimize(loss)
        sess.run(tf.global_variables_initializer())
        rng = np.random.RandomState(0)
        losses = [sess.run([loss, train], {ids: rng.randint(50, size=(5, 12))})[0] for _ in range(_STEPS)]
        return losses, sess.run(tf.global_variables())


@pytest.mark.parametrize("assumed", [0, 50_000])
def test_values_are_those_of_steps_in_order(assumed):
    in_order = _losses(tf.ConfigProto(inter_op_parallelism_threads=1))
    _core.assume_time(assumed)
    try:
        side_by_side = _losses(tf.ConfigProto(intra_op_parallelism_threads=3))
    finally:
        _core.assume_time(0)
    assert side_by_side[0] == in_order[0]
    for got, want in zip(side_by_side[1], in_order[1], strict=True):
        np.testing.assert_array_equal(got, want)


def test_an_error_names_the_operation_that_fails_first():
    _core.assume_time(50_000)
    try:
        with tf.Graph().as_default(), tf.Session() as sess:
            index = tf.placeholder(tf.int32, [])
            counts = [tf.get_variable(f"count{k}", [], initializer=tf.zeros_initializer()) for k in range(4)]
            picked = [tf.gather([1.0, 2.0], index + k, name=f"pick{k}") for k in range(4)]
            added = [count.assign_add(value) for count, value in zip(counts, picked, strict=True)]
            sess.run(tf.global_variables_initializer())
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"\{\{node pick2|node pick2"):
                sess.run(added, {index: 0})
            assert sess.run(counts) == [1.0, 2.0, 0.0, 0.0]
    finally:
        _core.assume_time(0)


def _counters(count, size, amount):
    """Returns variables, and the updates that add an amount to each through an operation on one thread."""
    counters = [tf.get_variable(f"counter{k}", [size], initializer=tf.zeros_initializer()) for k in range(count)]
    return counters, [counter.assign_add(tf.reverse(tf.fill([size], amount), [0])) for counter in counters]


def test_steps_of_several_threads_lose_no_update_while_groups_are_found():
    threads, steps = 4, 50
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=3)) as sess:
        amount = tf.placeholder(tf.float32, [])
        counters, added = _counters(40, 3000, amount)
        update = tf.group(*added)
        sess.run(tf.global_variables_initializer())

        def run():
            for _ in range(steps):
                sess.run(update, {amount: 1.0})

        workers = [threading.Thread(target=run) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for value in sess.run(counters):
            np.testing.assert_array_equal(value, np.full(3000, threads * steps))


def test_a_step_that_is_too_late_leaves_every_variable_whole():
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=3)) as sess:
        amount = tf.placeholder(tf.float32, [])
        counters, added = _counters(60, 100_000, amount)
        update = tf.group(*added)
        sess.run(tf.global_variables_initializer())
        ended = 0
        for step in range(_STEPS):
            options = tf.RunOptions(timeout_in_ms=1 + step % 8) if step >= _STEPS // 2 else None
            try:
                sess.run(update, {amount: 1.0}, options=options)
                ended += 1
            except tf.errors.DeadlineExceededError:
                pass
        for value in sess.run(counters):
            assert ended <= value[0] <= _STEPS
            np.testing.assert_array_equal(value, np.full(100_000, value[0]))


def test_what_comes_after_a_dequeue_waits_for_it():
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=3)) as sess:
        queue = tf.FIFOQueue(_STEPS, [tf.float32], shapes=[[]])
        enqueue = queue.enqueue_many(tf.range(_STEPS, dtype=tf.float32))
        counters, added = _counters(30, 2000, queue.dequeue())
        sess.run([enqueue, tf.global_variables_initializer()])
        for _ in range(_STEPS):
            sess.run(added)
        for value in sess.run(counters):
            np.testing.assert_array_equal(value, np.full(2000, sum(range(_STEPS))))
