"""`map_fn`, `scan`, `foldl`, `foldr` and TensorArray against Python, with their gradients."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

VALUES = np.array([1.0, 2.0, 3.0, 0.5])


def run(fetches: Any, feed: Any = None) -> Any:
    with tf.Session() as sess:
        return sess.run(fetches, feed)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6), st.booleans())
def test_folds_and_scans_are_pythons(values: list[int], known: bool) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [len(values) if known else None])
        step = lambda a, e: a * 2 - e  # noqa: E731
        got = run(
            [
                tf.foldl(step, x),
                tf.foldl(step, x, initializer=5),
                tf.foldr(step, x),
                tf.scan(step, x),
                tf.scan(step, x, initializer=5),
                tf.scan(step, x, reverse=True),
                tf.map_fn(lambda e: e * e, x),
            ],
            {x: values},
        )
    scanned = [values[0]]
    for e in values[1:]:
        scanned.append(step(scanned[-1], e))
    from_five = [step(5, values[0])]
    for e in values[1:]:
        from_five.append(step(from_five[-1], e))
    backwards = [values[-1]]
    for e in values[-2::-1]:
        backwards.append(step(backwards[-1], e))
    want = [
        functools.reduce(step, values),
        functools.reduce(step, values, 5),
        functools.reduce(step, values[::-1]),
        scanned,
        from_five,
        backwards[::-1],
        [v * v for v in values],
    ]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)


def test_structures_and_types_of_map_and_scan() -> None:
    elems = (tf.constant([1, 2, 3]), tf.constant([-1, 1, -1]))
    product = tf.map_fn(lambda e: e[0] * e[1], elems, dtype=tf.int32)
    pair = tf.map_fn(lambda e: (e, tf.cast(-e, tf.float32)), tf.constant([1, 2]), dtype=(tf.int32, tf.float32))
    fibonacci = tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.zeros([6]), initializer=(0, 1))
    assert product.shape.as_list() == [3]
    got = run([product, pair, fibonacci])
    assert got[0].tolist() == [-1, 2, -3]
    assert [v.tolist() for v in got[1]] == [[1, 2], [-1.0, -2.0]]
    assert got[2][0].tolist() == [1, 1, 2, 3, 5, 8]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.map_fn(lambda e: e * e * x[0], x),
        lambda x: tf.scan(lambda a, e: a * e, x),
        lambda x: tf.foldl(lambda a, e: a * tf.sin(e), x, initializer=x[1]),
        lambda x: tf.foldr(lambda a, e: a * a + e, x),
        lambda x: tf.TensorArray(tf.float64, 4).unstack(x * x).stack() * x,
        lambda x: tf.TensorArray(tf.float64, 2, infer_shape=False).split(x * x, [3, 1]).concat() * x,
        lambda x: tf.TensorArray(tf.float64, 4, clear_after_read=False).unstack(x).read(2) ** 3,
    ],
    ids=["map_fn", "scan", "foldl", "foldr", "stack", "concat", "read"],
)
def test_gradients_of_both_orders_are_the_differences(function: Any) -> None:
    x = tf.placeholder(tf.float64, [4])
    y = tf.reduce_sum(function(x))
    gradient = tf.gradients(y, x)[0]
    squared = tf.reduce_sum(gradient * gradient)
    second = tf.gradients(squared, x)[0]
    steps = np.eye(4) * 1e-5
    with tf.Session() as sess:

        def differences(value: Any) -> Any:
            return [(sess.run(value, {x: VALUES + s}) - sess.run(value, {x: VALUES - s})) / 2e-5 for s in steps]

        np.testing.assert_allclose(sess.run(gradient, {x: VALUES}), differences(y), rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(sess.run(second, {x: VALUES}), differences(squared), rtol=1e-6, atol=1e-6)


def test_two_gradients_of_one_array_do_not_mix() -> None:
    x = tf.placeholder(tf.float64, [4])
    y = tf.TensorArray(tf.float64, 4).unstack(x).stack()
    first, second = tf.gradients(y, x)[0], tf.gradients(y * 10.0, x)[0]
    a, b = run([first, second], {x: VALUES})
    assert a.tolist() == [1.0] * 4
    assert b.tolist() == [10.0] * 4


def test_an_array_is_a_loop_variable() -> None:
    def body(i: Any, array: Any) -> Any:
        return i + 1, array.write(i, tf.cast(i * i, tf.float32))

    _, array = tf.while_loop(lambda i, _: i < 4, body, (0, tf.TensorArray(tf.float32, 0, dynamic_size=True)))
    assert run(array.stack()).tolist() == [0.0, 1.0, 4.0, 9.0]


def test_empty_elements() -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    assert run(tf.map_fn(lambda e: e * 2.0, x), {x: np.zeros((0, 2))}).shape == (0, 2)


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda a: a.read(0), "fully defined"),
        (lambda a: a.write(5, 1.0).read(5), "not resizeable"),
        (lambda a: a.write(0, 1.0).write(0, 2.0).read(0), "already been written"),
        (lambda a: a.write(-1, 1.0).flow, "not resizeable"),
        (lambda a: a.write(0, "text").flow, "but Op is trying to write dtype string"),
        (lambda a: a.unstack(tf.constant([1, 2])).flow, "but Op is trying to write dtype int32"),
    ],
    ids=["unwritten", "behind the end", "twice", "negative", "string", "int"],
)
def test_what_an_array_refuses_in_the_step(use: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(use(tf.TensorArray(tf.float32, 2, infer_shape=False)))


def test_the_gradient_of_a_split_is_of_what_was_split() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    array = tf.TensorArray(tf.float32, 3, dynamic_size=True).split(x, [1, 1, 1]).write(3, [4.0])
    joined = array.concat()
    assert run([joined, tf.gradients(joined, x)[0]]) == [pytest.approx([1, 2, 3, 4]), pytest.approx([1, 1, 1])]


def test_arrays_are_told_apart_by_their_names() -> None:
    array = tf.TensorArray(tf.float32, 1, tensor_array_name="kept", infer_shape=False)
    array.mark_used()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"TensorArray kept_\d+: Could not write"):
        run(array.write(0, 1.0).write(0, 2.0).flow)


def test_an_element_read_twice_is_gone() -> None:
    array = tf.TensorArray(tf.float32, 1).write(0, 1.0)
    first = array.read(0)
    with tf.control_dependencies([first]):
        again = array.read(0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="clear_after_read = false"):
        run(again)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: tf.map_fn(1, [1]), TypeError, "fn must be callable"),
        (lambda: tf.map_fn(lambda e: e, tf.constant(1)), ValueError, "not a scalar"),
        (lambda: tf.map_fn(lambda e: (e, e), tf.constant([1])), (TypeError, ValueError), "structure"),
        (lambda: tf.TensorArray(tf.float32), ValueError, "Size must be provided"),
        (
            lambda: tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]),
            ValueError,
            "Inconsistent shapes",
        ),
    ],
)
def test_what_is_refused_while_building(build: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        build()


def test_an_array_whose_shape_is_not_inferred_takes_all_that_fit_its_element_shape() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, 2, infer_shape=False, element_shape=[None])
        array = array.write(0, [1.0]).write(1, [2.0, 3.0])
        assert session.run(array.concat()).tolist() == [1.0, 2.0, 3.0]
        assert array.read(0).shape.as_list() == [None]
        with pytest.raises(ValueError, match="Inconsistent shapes"):
            array.write(0, 1.0)
