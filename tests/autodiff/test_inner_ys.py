"""A y within a conditional or loop adds its gradient wherever the step computes it, beside ys outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

X = np.array([2.0, 3.0])
Build = Callable[[tf.Tensor, tf.Tensor], list[tf.Tensor]]


def _branch(x: tf.Tensor, pred: tf.Tensor) -> list[tf.Tensor]:
    inner = []

    def taken() -> tf.Tensor:
        inner.append(x * x)
        return inner[0] * 2.0

    return [tf.cond(pred, taken, lambda: x + 0.0), *inner]


def _beside_the_result(x: tf.Tensor, pred: tf.Tensor) -> list[tf.Tensor]:
    return [x * 3.0, _branch(x, pred)[1]]


def _not_in_the_result(x: tf.Tensor, pred: tf.Tensor) -> list[tf.Tensor]:
    inner = []

    def taken() -> tf.Tensor:
        inner.append(x * x * x)
        return x * 2.0

    return [tf.cond(pred, taken, lambda: x + 0.0), *inner]


def _both_branches(x: tf.Tensor, pred: tf.Tensor) -> list[tf.Tensor]:
    inner = []

    def branch(y: tf.Tensor) -> tf.Tensor:
        inner.append(y)
        return y * 2.0

    return [tf.cond(pred, lambda: branch(x * x), lambda: branch(x * x * x)), *inner]


def _nested(x: tf.Tensor, pred: tf.Tensor) -> list[tf.Tensor]:
    inner: list[tf.Tensor] = []

    def outer() -> tf.Tensor:
        result, *ys = _branch(x, x[0] > 0.0)
        inner.extend(ys)
        return result

    return [tf.cond(pred, outer, lambda: x + 0.0), *inner]


def _unchanged(x: tf.Tensor, pred: tf.Tensor) -> list[tf.Tensor]:
    inner = []

    def taken() -> tf.Tensor:
        inner.append(tf.identity(x))
        return inner[0] * 2.0

    return [tf.cond(pred, taken, lambda: x + 0.0), *inner]


def _loop(x: tf.Tensor, pred: tf.Tensor) -> list[tf.Tensor]:
    inner = []

    def body(i: tf.Tensor, v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        inner.append(v * x)
        return i + 1, inner[0]

    return [tf.while_loop(lambda i, v: i < 2, body, [0, x])[1], *inner]


def _branch_of_a_loop(x: tf.Tensor, pred: tf.Tensor) -> list[tf.Tensor]:
    inner: list[tf.Tensor] = []

    def body(i: tf.Tensor, v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        result, *ys = _branch(v, tf.equal(i, 1))
        inner.extend(ys)
        return i + 1, result

    return [tf.while_loop(lambda i, v: i < 3, body, [0, x])[1], *inner]


# TensorFlow 1.15.5's gradients, where the branch is taken and where it is not.
@pytest.mark.parametrize(
    ("build", "taken", "left"),
    [
        (_branch, 4 * X + 2 * X, [1.0, 1.0]),
        (_beside_the_result, 3 + 2 * X, [3.0, 3.0]),
        (_not_in_the_result, 2 + 3 * X**2, [1.0, 1.0]),
        (_both_branches, 4 * X + 2 * X, 6 * X**2 + 3 * X**2),
        (_nested, 4 * X + 2 * X, [1.0, 1.0]),
        (_unchanged, [3.0, 3.0], [1.0, 1.0]),
        (_loop, 3 * X**2 + 3 * X**2 + 2 * X, 3 * X**2 + 3 * X**2 + 2 * X),
        (_branch_of_a_loop, 4 * X + 2 * X, 4 * X + 2 * X),
    ],
)
def test_gradients_of_ys_within_are_added(build: Build, taken: Any, left: Any) -> None:
    x, pred = tf.placeholder(tf.float64, [2]), tf.placeholder(tf.bool, [])
    (gradient,) = tf.gradients(build(x, pred), x)
    with tf.Session() as session:
        for value, want in ((True, taken), (False, left)):
            np.testing.assert_allclose(session.run(gradient, {x: X, pred: value}), want, rtol=1e-12)


def test_given_gradients_reach_ys_within() -> None:
    x, pred = tf.placeholder(tf.float64, [2]), tf.placeholder(tf.bool, [])
    ys = _branch(x, pred)
    (gradient,) = tf.gradients(ys, x, grad_ys=[None, tf.constant([10.0, 100.0], tf.float64)])
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(gradient, {x: X, pred: True}), 4 * X + 2 * X * [10.0, 100.0])


def test_a_y_of_a_loop_needs_a_known_shape() -> None:
    x = tf.placeholder(tf.float64, [None])
    ys = _loop(x, x)
    with pytest.raises(ValueError, match="whose shape is not known, is within a loop"):
        tf.gradients(ys, x)
