"""`batch_sequences_with_states`: segments in order, with the states that were saved for them."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf


def _batches(length, count, **options):
    """The batches of `count` sequences whose elements and states are known."""
    with tf.Graph().as_default(), tf.Session() as session:
        number = tf.train.range_input_producer(count, 1, shuffle=False).dequeue()
        steps = tf.range(length)
        batch = tf.contrib.training.batch_sequences_with_states(
            input_key=tf.as_string(number),
            input_sequences={"x": steps + 100 * number},
            input_context={"c": number},
            input_length=None,
            initial_states={"s": tf.zeros([])},
            num_unroll=2,
            batch_size=2,
            num_threads=1,
            **options,
        )
        saved = batch.save_state("s", batch.state("s") + 1.0)
        fetches = (batch.key, batch.sequences["x"], batch.context["c"], batch.length, batch.state("s"), saved)
        coordinator = tf.train.Coordinator()
        session.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(session, coordinator)
        found = []
        for _ in range(3 * count // 2):
            found.append(session.run(fetches)[:-1])
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(fetches)
        coordinator.request_stop()
        coordinator.join(threads, ignore_live_threads=True)
        return found


def test_segments_come_in_order_with_their_states():
    seen = {}
    for keys, x, context, lengths, states in _batches(5, 4):
        for i, key in enumerate(keys):
            place, _, name = key.decode().partition(":")
            number, total = map(int, place.split("_of_"))
            assert (total, states[i], context[i]) == (3, number, int(name))
            assert lengths[i] == (2 if number < 2 else 1)
            want = [100 * int(name) + 2 * number + j if 2 * number + j < 5 else 0 for j in range(2)]
            np.testing.assert_array_equal(x[i], want)
            seen.setdefault(name, []).append(number)
    assert seen == {str(i): [0, 1, 2] for i in range(4)}


def test_wrong_states_and_sparse_sequences_are_refused():
    with tf.Graph().as_default():
        options = dict(input_key="k", input_context={}, input_length=2, num_unroll=2, batch_size=2)
        states = {"s": tf.zeros([])}
        sparse = tf.SparseTensor([[0]], [1.0], [2])
        with pytest.raises(NotImplementedError, match="sequence x is a SparseTensor"):
            tf.contrib.training.batch_sequences_with_states(
                input_sequences={"x": sparse}, initial_states=states, **options
            )
        with pytest.raises(ValueError, match="initial_states may not be empty"):
            tf.contrib.training.batch_sequences_with_states(
                input_sequences={"x": tf.zeros([2])}, initial_states={}, **options
            )
        with pytest.raises(ValueError, match="capacity 1 needs to be >= batch_size 2"):
            tf.contrib.training.batch_sequences_with_states(
                input_sequences={"x": tf.zeros([2])}, initial_states=states, capacity=1, **options
            )
        batch = tf.contrib.training.batch_sequences_with_states(
            input_sequences={"x": tf.zeros([2])}, initial_states=states, **options
        )
        with pytest.raises(KeyError, match="state was not declared: t"):
            batch.save_state("t", 1.0)
        with pytest.raises(ValueError, match=r"Rank check failed for .*convert_s"):
            batch.save_state("s", np.zeros((2, 2), np.float32))
