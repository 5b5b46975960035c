"""Loops that compute with scalars alone, which run on registers: values, errors and ends are those of all loops.

A step that is traced runs every loop node by node: what it gives is what must come out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

FULL_TRACE = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)


def both_ways(fetches: Any, feed: Any = None) -> Any:
    """The values of the fetches, which have the same bits in a traced step."""
    with tf.Session() as sess:
        values = sess.run(fetches, feed)
        metadata = tf.RunMetadata()
        by_nodes = sess.run(fetches, feed, options=FULL_TRACE, run_metadata=metadata)
        assert metadata.step_stats.dev_stats
    for value, other in zip(values, by_nodes, strict=True):
        assert value.dtype == other.dtype
        assert value.shape == other.shape
        assert value.tobytes() == other.tobytes()
    return values


UNARY = [tf.negative, tf.abs, tf.square, tf.sign]
FLOAT = [tf.sin, tf.tanh, tf.sigmoid, tf.exp, tf.nn.relu, tf.floor]
BINARY = [tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.squared_difference]
DIVISIONS = [tf.floordiv, tf.floormod, tf.truncatediv]
CONDITIONS = [tf.less, tf.less_equal, tf.greater, tf.greater_equal, tf.equal, tf.not_equal]


@given(st.sampled_from(["float32", "float64", "int32", "int64"]), st.lists(st.integers(0, 2**20), max_size=12))
def test_a_body_of_any_functions_gives_the_bits_of_its_nodes(dtype: str, choices: list[int]) -> None:
    functions = UNARY + (FLOAT if dtype.startswith("float") else [])

    def body(i: Any, x: Any, y: Any, flag: Any) -> Any:
        values = [x, y, tf.cast(i, dtype), tf.constant(3, dtype)]
        flags = [flag]
        for choice in choices:
            kind, a, b = choice % 7, values[choice // 7 % len(values)], values[choice // 63 % len(values)]
            p = flags[choice // 31 % len(flags)]
            if kind < 2:
                values.append(functions[choice // 7 % len(functions)](a))
            elif kind < 4:
                values.append(BINARY[choice // 7 % len(BINARY)](a, b))
            elif kind == 4:
                flags.append(CONDITIONS[choice // 7 % len(CONDITIONS)](a, b))
                flags.append(tf.logical_or(tf.logical_not(p), flags[-1]))
            elif kind == 5:
                values.append(tf.where(p, a, b))
            else:
                values.append(tf.cond(p, lambda a=a: a + 1, lambda a=a, b=b: tf.add_n([a, b, a])))
        return i + 1, values[-1], values[len(values) // 2], flags[-1]

    with tf.Graph().as_default():
        start = [0, tf.constant(2, dtype), tf.placeholder(dtype, []), True]
        loop = tf.while_loop(lambda i, x, y, flag: i < 9, body, start)
        both_ways(loop, {start[2]: -3})


@given(st.integers(-50, 50), st.integers(-5, 5), st.sampled_from(["int32", "int64"]))
def test_divisions_fail_where_they_have_no_result_and_nowhere_else(start: int, divisor: int, dtype: str) -> None:
    with tf.Graph().as_default():
        given_divisor = tf.placeholder(dtype, [])

        def body(i: Any, x: Any, d: Any) -> Any:
            return i + 1, tf.add_n([f(x, d, name="divided") for f in DIVISIONS]) + i, d - 1

        first = [tf.constant(0, dtype), tf.constant(start, dtype), given_divisor]
        loop = tf.while_loop(lambda i, x, d: i < 4, body, first)
        if 0 <= divisor < 4:
            for options in [None, FULL_TRACE]:
                with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
                    sess.run(loop, {given_divisor: divisor}, options=options, run_metadata=tf.RunMetadata())
                assert "Integer division by zero" in caught.value.message
                assert caught.value.op is not None
                assert "divided" in caught.value.op.name
        else:
            both_ways(loop, {given_divisor: divisor})


def test_a_side_that_is_not_taken_may_have_no_result() -> None:
    def body(i: Any, x: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i, 2), lambda: x, lambda: x + 12 // (i - 2))

    assert both_ways(tf.while_loop(lambda i, x: i < 5, body, [0, 0])) == (5, -6 - 12 + 12 + 6)


def test_what_is_known_to_be_a_scalar_only_when_it_runs() -> None:
    x = tf.placeholder(tf.float32)
    loop = tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0 + x), [0, x], shape_invariants=[tf.TensorShape([]), None]
    )
    for value in [np.float32(1.5), np.float32([1.0, 2.0]), np.zeros([1], np.float32), np.zeros([0], np.float32)]:
        i, y = both_ways(loop, {x: value})
        assert i == 3
        np.testing.assert_array_equal(y, value * 15)
        assert y.shape == np.shape(value)


def test_values_leave_a_loop_changed_on_the_way() -> None:
    i, y, z = tf.while_loop(lambda i, y, z: y < 100.0, lambda i, y, z: (i + 1, y * 3.0, y), [0, 1.0, -1.0])
    assert both_ways([i, y, z, i * 2]) == [5, 243.0, 81.0, 10]
    third = tf.constant(0.0, tf.float64)
    last = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.cast(i, tf.float64) / 3.0), [0, third])[1]
    assert both_ways([last]) == [1.0]


def test_variables_that_exchange_their_values() -> None:
    loop = tf.while_loop(lambda i, a, b, c: i < 4, lambda i, a, b, c: (i + 1, b, c, a), [0, 1, 2, 3])
    assert both_ways(loop) == (4, 2, 3, 1)


def test_the_gradient_of_a_loop_is_a_loop_of_lists_which_runs_as_all_do() -> None:
    x = tf.placeholder(tf.float64, [])
    y = tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, tf.sin(y) * x), [0, x])[1]
    (dy,) = tf.gradients(y, x)
    value, slope = both_ways([y, dy], {x: 1.25})
    step = 1e-6
    with tf.Session() as sess:
        above, below = (sess.run(y, {x: 1.25 + s}) for s in (step, -step))
    assert sess.graph is y.graph
    np.testing.assert_allclose(slope, (above - below) / (2 * step), rtol=1e-7)
    assert value.dtype == np.float64


def test_a_loop_of_scalars_in_a_loop_of_tensors() -> None:
    def body(i: Any, x: Any) -> Any:
        j = tf.while_loop(lambda j: j * j < i + 5, lambda j: j + 1, [0])
        return i + 1, x * tf.cast(j, tf.float32)

    i, x = both_ways(tf.while_loop(lambda i, x: i < 3, body, [0, tf.ones([2, 2])]))
    assert i == 3
    np.testing.assert_array_equal(x, np.full([2, 2], 3.0 * 3.0 * 3.0))


def test_the_trace_names_the_nodes_of_every_iteration() -> None:
    loop = tf.while_loop(lambda i: i < 6, lambda i: tf.add(i, 1, name="increment"), [0])
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        sess.run(loop, options=FULL_TRACE, run_metadata=metadata)
    names = [node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats]
    assert sum(name.endswith("increment") for name in names) == 6
