"""Random nested programs compute what Python does, and their gradients of both orders are right, after import too."""

from __future__ import annotations

import numpy as np
from control_flow.nested_programs import SIZE, InGraph, InPython, Program, programs, run
from hypothesis import given, settings, strategies as st

import ferroflow as tf

values = st.lists(st.integers(-12, 12), min_size=SIZE, max_size=SIZE).map(lambda v: np.array(v) / 10.0 + 0.03)


def scalar(program: Program, x: np.ndarray) -> complex:
    with np.errstate(all="ignore"):
        return complex((run(program, InPython(), x, x, 1) * np.array([1.0, -0.5, 2.0])).sum())


def derivative(program: Program, x: np.ndarray) -> np.ndarray:
    """By steps so small, into the imaginary, that nothing cancels."""
    step = 1e-30
    return np.array([scalar(program, x + 1j * step * row).imag / step for row in np.eye(SIZE)])


def built(program: Program) -> tuple[tf.Tensor, tf.Tensor]:
    x = tf.placeholder(tf.float64, [SIZE], name="x")
    result = run(program, InGraph(), x, x, tf.constant(1))
    y = tf.reduce_sum(result * tf.constant([1.0, -0.5, 2.0], tf.float64))
    return x, tf.identity(y, name="y")


def is_tame(*arrays: np.ndarray) -> bool:
    return all(np.all(np.isfinite(a)) and np.all(np.abs(a) < 1e3) for a in arrays)


@settings(max_examples=60, deadline=None)
@given(program=programs, at=values)
def test_values_and_gradients_are_pythons(program: Program, at: np.ndarray) -> None:
    want, slope = scalar(program, at).real, derivative(program, at)
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = built(program)
        (gradient,) = tf.gradients(y, x)
        got = [sess.run(y, {x: at}), np.zeros(SIZE) if gradient is None else sess.run(gradient, {x: at})]
    if is_tame(np.array(want), slope):
        np.testing.assert_allclose(got[0], want, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(got[1], slope, rtol=1e-8, atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(program=programs, at=values)
def test_second_derivatives_are_differences_of_the_first(program: Program, at: np.ndarray) -> None:
    step = 1e-6
    slopes = [(derivative(program, at + step * r), derivative(program, at - step * r)) for r in np.eye(SIZE)]
    want = np.array([((up**2).sum() - (down**2).sum()) / (2 * step) for up, down in slopes])
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = built(program)
        (gradient,) = tf.gradients(y, x)
        (second,) = [None] if gradient is None else tf.gradients(tf.reduce_sum(gradient**2), x)
        got = np.zeros(SIZE) if second is None else sess.run(second, {x: at})
    if is_tame(want):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(program=programs, at=values)
def test_gradients_pass_through_graphs_that_came_without_contexts(program: Program, at: np.ndarray) -> None:
    with tf.Graph().as_default() as graph:
        built(program)
        graph_def = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.import_graph_def(graph_def, return_elements=["x:0", "y:0"])
        (gradient,) = tf.gradients(y, x)
        got = np.zeros(SIZE) if gradient is None else sess.run(gradient, {x: at})
    slope = derivative(program, at)
    if is_tame(slope):
        np.testing.assert_allclose(got, slope, rtol=1e-8, atol=1e-8)


def test_nested_loops_have_gradients_of_any_order() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(1.5, tf.float64)

        def outer(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            inner = tf.while_loop(lambda j, _: j < 2, lambda j, z: (j + 1, z * x), [0, y])
            return i + 1, inner[1]

        y = tf.while_loop(lambda i, _: i < 2, outer, [0, x])[1]
        found = [y]
        for _ in range(5):
            found += tf.gradients(found[-1], x)
        factors, powers = (1, 5, 20, 60, 120, 120), (5, 4, 3, 2, 1, 0)
        want = [factor * 1.5**power for factor, power in zip(factors, powers, strict=True)]
        np.testing.assert_allclose(sess.run(found), want, rtol=1e-12)
