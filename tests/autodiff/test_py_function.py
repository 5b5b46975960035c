"""`tf.py_function`: tensors with values in a Python function, and gradients through it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf


def _run(*args: Any, **kwargs: Any) -> Any:
    with tf.Session() as session:
        return session.run(*args, **kwargs)


@given(st.lists(st.floats(-4, 4), min_size=1, max_size=5))
@settings(max_examples=10, deadline=None)
def test_gradients_are_those_of_the_same_operations(values: list[float]) -> None:
    def formula(x: Any) -> Any:
        return tf.sin(x) * x + tf.reduce_sum(x**2)

    with tf.Graph().as_default():
        x = tf.constant(values, tf.float64)
        inside, plain = tf.py_function(formula, [x], tf.float64), formula(x)
        got = _run([inside, *tf.gradients(inside, x)])
        want = _run([plain, *tf.gradients(plain, x)])
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, 1e-12)


def test_tensors_have_values() -> None:
    seen: list[Any] = []

    def look(n: Any, word: Any, none: Any) -> Any:
        seen.append((n.numpy().tolist(), word.numpy(), len(n), [int(i) for i in n], f"{n[0]:03d}", bool(n[0] > 1)))
        seen.append((str(n[0]), tf.boolean_mask(n, n > 1).shape.as_list(), np.asarray(n).sum(), len(none)))
        with pytest.raises(TypeError, match="no `len"):
            len(word)
        return n

    with tf.Graph().as_default():
        y = tf.py_function(look, [tf.constant([1, 2, 3]), "word", np.zeros([0, 2])], tf.int32)
        assert y.shape.ndims is None
        assert _run(y).tolist() == [1, 2, 3]
    assert seen[0] == ([1, 2, 3], b"word", 3, [1, 2, 3], "001", False)
    assert seen[1] == ("tf.Tensor(1, shape=(), dtype=int32)", [2], 6, 0)


def test_effects_happen_once_and_in_order(capfd: Any) -> None:
    def act(x: Any) -> Any:
        count = tf.Variable(0.0)
        before = count.read_value()
        count.assign_add(x)
        noise = tf.random_uniform([])
        tf.print("sum", count.read_value())
        return before, count.read_value(), noise.numpy() == noise.numpy(), noise - noise.numpy()

    with tf.Graph().as_default():
        types = [tf.float32, tf.float32, tf.bool, tf.float32]
        assert _run(tf.py_function(act, [tf.constant(2.0)], types)) == [0.0, 2.0, True, 0.0]
    assert capfd.readouterr().err.count("sum 2") == 1


def test_conditionals_and_loops_run_inside() -> None:
    def halve(x: Any) -> Any:
        by_loop = tf.while_loop(lambda v: v > 1.0, lambda v: v / 2.0, [x])
        by_branch = tf.cond(x > 3.0, lambda: x - 3.0, lambda: x)
        return by_loop + by_branch

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        y = tf.py_function(halve, [x], tf.float32)
        gradient = tf.gradients(y, x)[0]
        assert _run([y, gradient], {x: 5.0}) == [2.625, 1.125]


def test_arguments_without_influence_have_zeros_as_gradient() -> None:
    with tf.Graph().as_default():
        x, y, n = tf.constant([1.0, 2.0]), tf.constant([[3.0]]), tf.constant(4)
        z = tf.py_function(lambda x, y, n: x * tf.cast(n, tf.float32), [x, y, n], tf.float32)
        gx, gy = tf.gradients(z, [x, y])
        assert gx.shape.as_list() == [2]
        got = _run([gx, gy])
    assert (got[0].tolist(), got[1].tolist()) == ([4.0, 4.0], [[0.0]])


def test_second_derivatives_are_refused() -> None:
    with tf.Graph().as_default():
        x = tf.constant(2.0)
        y = tf.py_function(lambda x: x**3, [x], tf.float32)
        first = tf.gradients(y, x)[0]
        with pytest.raises(LookupError, match="has no second derivative"):
            tf.gradients(first, first.op.inputs[0])


def test_no_outputs_and_too_few() -> None:
    called: list[float] = []
    with tf.Graph().as_default():
        op = tf.py_function(lambda x: called.append(float(x)), [tf.constant(1.5)], [])
        assert _run(op) is None
        few = tf.py_function(lambda: None, [], [tf.float32])
        with pytest.raises(tf.errors.InvalidArgumentError, match="returns 0 values, but expects to see 1"):
            _run(few)
        with pytest.raises(ValueError, match="Expected func to be callable"):
            tf.py_function(1, [], [])  # type: ignore[arg-type]
    assert called == [1.5]


def test_tensors_from_outside_are_refused() -> None:
    with tf.Graph().as_default():
        outside = tf.constant(1.0)
        y = tf.py_function(lambda x: x + outside, [tf.constant(2.0)], tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="same graph"):
            _run(y)


def test_elements_of_datasets_pass_through_it() -> None:
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(4).map(lambda i: tf.py_function(lambda x: x.numpy() ** 2, [i], tf.int64))
        element = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            assert [session.run(element) for _ in range(4)] == [0, 1, 4, 9]
