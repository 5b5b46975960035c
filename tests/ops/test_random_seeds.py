"""Random ops give TensorFlow's bits under every combination of graph and op seeds."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
from golden import make_random_seeds

import ferroflow as tf

GOLDEN = json.loads((pathlib.Path(__file__).parents[1] / "golden" / "random_seeds.json").read_text(encoding="utf-8"))
OURS = make_random_seeds.values(tf)


@pytest.mark.parametrize("number", range(len(make_random_seeds.CASES)))
def test_two_runs_have_the_bits_of_tensorflow(number):
    assert OURS[number] == GOLDEN[number], make_random_seeds.CASES[number]


def test_without_seeds_two_sessions_differ():
    with tf.Graph().as_default():
        x = tf.random_uniform([100])
        with tf.Session() as a, tf.Session() as b:
            assert not np.array_equal(a.run(x), b.run(x))


def test_a_new_session_starts_the_stream_again_and_other_fetches_do_not():
    with tf.Graph().as_default():
        x = tf.random_normal([5], seed=3)
        y = x + 1.0
        with tf.Session() as sess:
            first, second = sess.run(x), sess.run(y)
        with tf.Session() as sess:
            np.testing.assert_array_equal(sess.run(x), first)
            np.testing.assert_array_equal(sess.run(y), second)
            assert not np.array_equal(second - 1, first)


def test_two_nodes_of_equal_seeds_give_equal_values_in_one_run():
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = tf.random_uniform([9], seed=5), tf.random_uniform([9], seed=5)
        x, y = sess.run([a, b])
        np.testing.assert_array_equal(x, y)
