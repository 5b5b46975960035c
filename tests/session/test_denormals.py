"""Law: denormal numbers count as zero while a step computes, as in TensorFlow, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf

_TINY = {"float32": 1e-39, "float64": 1e-310}
_LEAST = {name: float(np.finfo(name).tiny) for name in _TINY}


@pytest.mark.parametrize("dtype", _TINY)
def test_results_and_inputs_are_zero(dtype: str) -> None:
    x = tf.placeholder(dtype, [None])
    fetches = [
        x * 0.5,
        x + 0.0,
        tf.nn.relu(x),
        tf.cast(x > 0, dtype),
        tf.reduce_sum(x, keepdims=True),
        tf.matmul(x[None], tf.ones([2, 1], dtype))[0],
        tf.reduce_prod(x * 2.0**40, keepdims=True),
    ]
    feed = np.array([_TINY[dtype], _LEAST[dtype]], dtype)
    with tf.Session() as session:
        half, same, relu, positive, total, product, denormal_product = session.run(fetches, {x: feed})
    assert half.tolist() == [0, 0]
    assert same.tolist() == relu.tolist() == [0, _LEAST[dtype]]
    assert positive.tolist() == [0, 1]
    assert total.tolist() == product.tolist() == [_LEAST[dtype]]
    assert denormal_product.tolist() == [0]


def test_copies_and_signs_keep_them() -> None:
    x = tf.placeholder(tf.float32, [None])
    feed = np.array([1e-39, -3e-39], np.float32)
    with tf.Session() as session:
        for fetch, expected in ((tf.identity(x), feed), (-x, -feed), (tf.reverse(x, [0]), feed[::-1])):
            np.testing.assert_array_equal(session.run(fetch, {x: feed}), expected)


def test_a_constant_that_is_folded_equals_a_fed_one() -> None:
    value = np.full([3], 1e-39, np.float32)
    x = tf.placeholder(tf.float32, [3])
    with tf.Session() as session:
        fed = session.run(x * 1.0 + 0.0, {x: value})
        np.testing.assert_array_equal(session.run(tf.constant(value) * 1.0 + 0.0), fed)
    assert fed.tolist() == [0, 0, 0]


@pytest.mark.parametrize("threads", [1, 4])
def test_every_thread_flushes(threads: int) -> None:
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Session(config=config) as session:
        large = tf.fill([1 << 20], tf.placeholder_with_default(np.float32(1e-39), []))
        assert not session.run(tf.sqrt(large + large)).any()
        parts = tf.data.Dataset.range(64).map(lambda _: tf.constant(2e-38) * tf.constant([0.1]), num_parallel_calls=3)
        batch = parts.prefetch(2).batch(64).make_one_shot_iterator().get_next()
        assert not session.run(batch).any()


def test_a_loop_and_a_moment_that_fades_reach_zero() -> None:
    """A moment of a gradient that is zero falls below the least number, and is exactly zero from then on."""
    weight = tf.Variable([1.0])
    optimizer = tf.train.MomentumOptimizer(0.1, 0.5)
    train = optimizer.apply_gradients([(tf.placeholder_with_default([0.0], [1]), weight)])
    (moment,) = [optimizer.get_slot(weight, name) for name in optimizer.get_slot_names()]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.assign(moment, [2e-38]))
        session.run(train)
        assert session.run(moment).tolist() == [0.0]
        loop = tf.while_loop(lambda i, _: i < 200, lambda i, v: (i + 1, v * 0.5), [0, 1.0], back_prop=False)
        assert session.run(loop)[1] == 0.0


def test_functions_of_python_compute_with_them() -> None:
    def halve(x: np.ndarray) -> np.ndarray:
        return x * np.float32(0.5)

    with tf.Session() as session:
        x = tf.constant([2e-38])
        assert session.run(tf.py_func(halve, [x], tf.float32)).tolist() == [np.float32(2e-38) * np.float32(0.5)]
    assert halve(np.array([2e-38], np.float32)) != 0


def test_a_failed_step_leaves_the_caller_with_them() -> None:
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(tf.check_numerics(tf.constant([np.nan]), "on purpose"))
    assert np.float32(2e-38) * np.float32(0.5) != 0
    assert np.array([1e-310]) * 1.0 != 0


def test_halves_keep_theirs() -> None:
    halves = np.arange(0, 0x7C00, dtype=np.uint16).view(np.float16)
    x = tf.placeholder(tf.float16, [None])
    with tf.Session() as session:
        wide, back = session.run([tf.cast(x, tf.float32), tf.cast(tf.cast(x, tf.float32), tf.float16)], {x: halves})
        np.testing.assert_array_equal(wide, halves.astype(np.float32))
        np.testing.assert_array_equal(back, halves)
        np.testing.assert_array_equal(session.run(x * np.float16(0.5), {x: halves}), halves * np.float16(0.5))
