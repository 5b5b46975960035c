"""Gradients through conditionals and loops, of first and second order, against differences in float64."""

from __future__ import annotations

import pathlib
import resource
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

START = np.array([0.3, -0.7, 1.1])
STEP = 1e-5


def differences(function: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    result = np.zeros_like(at)
    for i in np.ndindex(*at.shape):
        step = np.zeros_like(at)
        step[i] = STEP
        result[i] = (function(at + step) - function(at - step)) / (2 * STEP)
    return result


def _two_loops(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        inner = tf.while_loop(lambda j, z: j <= i, lambda j, z: (j + 1, tf.sin(z) * x + y), [0, y])[1]
        return i + 1, inner

    return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1]


def _cond_in_loop(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.sin(y) * x, lambda: y * y)

    return tf.while_loop(lambda i, y: i < 4, body, [0, x])[1]


def _cond_in_cond_in_loop(x: Any) -> Any:
    def choose(i: Any, y: Any) -> Any:
        inner = lambda: tf.cond(i > 1, lambda: tf.exp(-y) * x, lambda: y + x * x)  # noqa: E731
        return tf.cond(tf.equal(i % 2, 0), inner, lambda: tf.tanh(y) * 2.0)

    return tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, choose(i, y)), [0, x])[1]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "branch taken": lambda x: tf.cond(x[0] > 0, lambda: tf.sin(x) * x, lambda: x * x),
    "branch not taken": lambda x: tf.cond(x[1] > 0, lambda: tf.sin(x) * x, lambda: tf.exp(x) * 2.0),
    "value passed through": lambda x: tf.cond(x[0] > 0, lambda: x, lambda: x * x) * x,
    "only one branch depends": lambda x: tf.cond(x[1] > 0, lambda: x, lambda: tf.zeros([3], tf.float64)) + x * x,
    "loop": lambda x: tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.sin(y) * x), [0, x])[1],
    "captured alone": lambda x: tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y + x * x), [0, tf.zeros([3], tf.float64)]
    )[1],
    "as many iterations as data says": lambda x: tf.while_loop(
        lambda y: tf.reduce_sum(y * y) < 50.0, lambda y: y * y * 0.5 + y * 1.5 + x, [x]
    ),
    "no iteration": lambda x: tf.while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, y * y), [0, x * x])[1],
    "two variables": lambda x: tf.add_n(
        tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * b, a + tf.sin(b)), [0, x, x * 2.0])[1:]
    ),
    "conditional in a loop": _cond_in_loop,
    "conditionals in a conditional in a loop": _cond_in_cond_in_loop,
    "loop in a conditional": lambda x: tf.cond(
        x[0] > 0,
        lambda: tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.sin(y) * x), [0, x])[1],
        lambda: x,
    ),
    "loop in a loop": _two_loops,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("threads", [1, 4])
def test_derivatives_of_first_and_second_order_are_the_differences(name: str, threads: int) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [3])
        y = tf.reduce_sum(PROGRAMS[name](x))
        gradient = tf.gradients(y, x)[0]
        squared = tf.reduce_sum(gradient * gradient)
        second = tf.gradients(squared, x)[0]
        with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as sess:
            want = differences(lambda at: float(sess.run(y, {x: at})), START)
            np.testing.assert_allclose(sess.run(gradient, {x: START}), want, rtol=1e-6, atol=1e-7)
            want = differences(lambda at: float(sess.run(squared, {x: at})), START)
            np.testing.assert_allclose(sess.run(second, {x: START}), want, rtol=1e-6, atol=1e-6)


def test_variables_read_in_a_loop_have_gradients() -> None:
    w = tf.Variable([[0.5, -0.2], [0.1, 0.3]], dtype=tf.float64)
    h = tf.while_loop(
        lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [0, tf.ones([1, 2], tf.float64)]
    )
    loss = tf.reduce_sum(h[1])
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(loss)
        for _ in range(5):
            sess.run(train)
        assert sess.run(loss) < before


def test_gradients_taken_inside_a_body() -> None:
    # Gradient descent written as a loop.
    def body(i: Any, x: Any) -> Any:
        return i + 1, x - 0.1 * tf.gradients((x - 3.0) ** 2, x)[0]

    x = tf.while_loop(lambda i, x: i < 100, body, [0, 0.0])[1]
    with tf.Session() as sess:
        assert abs(sess.run(x) - 3.0) < 1e-4


def test_gradients_of_a_gather_in_a_loop() -> None:
    table = tf.Variable(np.arange(6.0).reshape(3, 2))

    def body(i: Any, total: Any) -> Any:
        return i + 1, total + tf.reduce_sum(tf.gather(table, [i % 3, 0]) ** 2)

    total = tf.while_loop(lambda i, t: i < 4, body, [0, tf.constant(0.0, tf.float64)])[1]
    gradient = tf.convert_to_tensor(tf.gradients(total, table)[0])
    with tf.Session() as sess:
        sess.run(table.initializer)
        counts = np.array([[2 + 4], [1], [1]])
        np.testing.assert_allclose(sess.run(gradient), 2 * counts * np.arange(6.0).reshape(3, 2))


def test_a_loop_without_back_prop_passes_no_gradient() -> None:
    x = tf.constant(1.0)
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x], back_prop=False)[1]
    assert tf.gradients(y, x) == [None]


def _loop(body: Callable[[Any, Any], Any], start: Any, count: Any = 3) -> Any:
    return tf.while_loop(lambda i, a: i < count, lambda i, a: (i + 1, body(i, a)), [0, start])[1]


# What TensorFlow gives for [dy/dx, dy/dz] at x = 2, z = 3.
PRESENT: dict[str, tuple[Callable[[Any, Any], Any], list[float | None]]] = {
    "stopped in a body": (lambda x, z: _loop(lambda i, a: a + tf.stop_gradient(x) * z, x), [1.0, 6.0]),
    "only stopped in a body": (lambda x, z: _loop(lambda i, a: a + tf.stop_gradient(x), z), [None, 1.0]),
    "only rounded in a body": (lambda x, z: _loop(lambda i, a: a + tf.floor(x) * z, 1.0), [None, 6.0]),
    "variable stopped": (lambda x, z: _loop(lambda i, a: tf.stop_gradient(a) * z, x), [0.0, 8.0 * 9.0 / 4.0]),
    "stopped in a branch": (lambda x, z: tf.cond(x > 1, lambda: tf.stop_gradient(x) * z, lambda: z), [None, 2.0]),
    "in the branch not taken": (lambda x, z: tf.cond(x > 1, lambda: x * 2.0, lambda: z), [2.0, 0.0]),
    "in the predicate alone": (lambda x, z: tf.cond(x > 1, lambda: z, lambda: z * 2.0), [None, 1.0]),
    "in the condition alone": (
        lambda x, z: tf.while_loop(lambda a, b: b < x, lambda a, b: (a * 2.0, b + 1.0), [z, 0.0])[0],
        [None, 4.0],
    ),
    "no iteration": (lambda x, z: _loop(lambda i, a: a * z, x, 0), [1.0, 0.0]),
}


@pytest.mark.parametrize("name", PRESENT)
def test_a_gradient_is_none_or_zeros_as_in_tensorflow(name: str) -> None:
    build, want = PRESENT[name]
    x, z = tf.constant(2.0), tf.constant(3.0)
    found = tf.gradients(build(x, z), [x, z])
    with tf.Session() as sess:
        assert [None if g is None else pytest.approx(sess.run(g)) for g in found] == want


def test_a_stopped_element_of_a_scan_has_no_gradient() -> None:
    elements, factor = tf.constant([1.0, 2.0, 3.0]), tf.constant(2.0)
    total = tf.scan(lambda a, e: a * factor + tf.stop_gradient(e), elements, initializer=tf.constant(0.0))
    by_factor, by_elements = tf.gradients(total, [factor, elements])
    assert by_elements is None
    with tf.Session() as sess:
        assert sess.run(by_factor) == 7.0


def test_a_variable_that_only_seems_to_matter_has_zeros() -> None:
    a, b = tf.constant(3.0), tf.constant(4.0)
    first, second = tf.scan(lambda state, e: (a, b), tf.zeros([5]), initializer=(0.0, 0.0))
    found = tf.gradients(first + tf.stop_gradient(second), [a, b])
    with tf.Session() as sess:
        assert sess.run(found) == [5.0, 0.0]


def test_what_is_in_a_branch_has_a_gradient_where_it_is_taken() -> None:
    x = tf.placeholder(tf.float32, [])
    inside: list[Any] = []

    def cube() -> Any:
        inside.append(x * 3.0)
        return inside[0] ** 2

    y = tf.cond(x > 1.0, cube, lambda: x)
    (gradient,) = tf.gradients(y, inside)
    with tf.Session() as sess:
        assert sess.run(gradient, {x: 2.0}) == 12.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
            sess.run(gradient, {x: 0.0})


def test_what_is_in_a_body_has_a_gradient_that_stays_there() -> None:
    inside: list[Any] = []

    def body(i: Any, a: Any) -> Any:
        inside.append(a * 3.0)
        return i + 1, inside[0] * a

    y = tf.while_loop(lambda i, a: i < 2, body, [0, 2.0])[1]
    (gradient,) = tf.gradients(y, inside)
    with tf.Session() as sess, pytest.raises(ValueError, match="not fetchable"):
        sess.run(gradient)


def test_slices_stay_slices_through_a_conditional() -> None:
    table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    take = tf.placeholder(tf.bool, [])
    for other, kind in ((lambda: tf.zeros([1, 2]), tf.IndexedSlices), (lambda: table[:1] * 2.0, tf.Tensor)):
        (gradient,) = tf.gradients(tf.cond(take, lambda: tf.gather(table, [2]), other), [table])
        assert isinstance(gradient, kind)
        with tf.Session() as sess:
            dense = tf.convert_to_tensor(gradient)
            assert sess.run(dense, {take: True}).tolist() == [[0, 0], [0, 0], [1, 1]]
            first_row = 0 if kind is tf.IndexedSlices else 2
            assert sess.run(dense, {take: False}).tolist() == [[first_row] * 2, [0, 0], [0, 0]]


def _rows(w: Any, rows: Any) -> Any:
    return tf.reduce_sum(tf.gather(w, rows) ** 3)


# Programs of a table of 5 rows, and whether their gradients consist of slices.
TABLES: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "loop": (lambda w: _loop(lambda i, a: a + _rows(w, [i, 0]), tf.constant(0.0, tf.float64)), True),
    "no iteration": (lambda w: _loop(lambda i, a: a + _rows(w, [i]), tf.constant(0.0, tf.float64), 0), True),
    "more rows each time": (lambda w: _loop(lambda i, a: a * 0.5 + _rows(w, tf.range(i)), _rows(w, [4]), 4), True),
    "conditional in a loop": (
        lambda w: _loop(lambda i, a: tf.cond(i > 0, lambda: a + _rows(w, [i]), lambda: a * 2.0), _rows(w, [1])),
        True,
    ),
    "loop in a loop": (
        lambda w: _loop(
            lambda i, a: tf.while_loop(lambda j, b: j <= i, lambda j, b: (j + 1, b + _rows(w, [i, j])), [0, a])[1],
            tf.constant(0.0, tf.float64),
        ),
        True,
    ),
    "loop in a conditional": (
        lambda w: tf.cond(w[0, 0] > 0.0, lambda: _loop(lambda i, a: a + _rows(w, [i]), w[0, 0]), lambda: w[0, 1]),
        False,
    ),
    "dense, too": (lambda w: _loop(lambda i, a: a + _rows(w, [i]) + tf.reduce_sum(w), w[0, 0]), False),
}


@pytest.mark.parametrize("name", TABLES)
def test_slices_stay_slices_through_loops(name: str) -> None:
    build, are_slices = TABLES[name]
    table = np.arange(1.0, 11.0).reshape(5, 2) / 5.0
    w = tf.placeholder(tf.float64, [5, 2])
    y = build(w)
    (gradient,) = tf.gradients(y, [w])
    assert isinstance(gradient, tf.IndexedSlices) == are_slices
    dense = tf.convert_to_tensor(gradient)
    total = tf.reduce_sum(dense**2)
    second = tf.convert_to_tensor(tf.gradients(total, [w])[0])
    with tf.Session() as sess:
        for function, found in ((y, dense), (total, second)):
            want = differences(lambda at, f=function: float(sess.run(f, {w: at})), table)
            np.testing.assert_allclose(sess.run(found, {w: table}), want, rtol=1e-5, atol=1e-5)


def test_switch_and_merge_without_a_conditional_pass_gradients() -> None:
    x, pred = tf.constant(3.0), tf.placeholder(tf.bool, [])
    when_false, when_true = tf.raw_ops.Switch(data=x, pred=pred)
    y = tf.raw_ops.Merge(inputs=[when_false * when_false, when_true * 5.0]).output
    gradient = tf.gradients(y, x)[0]
    with tf.Session() as sess:
        assert [sess.run(gradient, {pred: value}) for value in (False, True)] == [6.0, 5.0]


def _resident_megabytes() -> float:
    pages = int(pathlib.Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / 2**20


def test_what_the_backward_pass_needed_is_freed() -> None:
    x = tf.placeholder(tf.float32, [256, 1024])
    y = tf.while_loop(lambda i, y: i < 100, lambda i, y: (i + 1, tf.sin(y) * x), [0, x])[1]
    gradient = tf.reduce_sum(tf.gradients(y, x)[0])
    value = np.full([256, 1024], 0.5, np.float32)
    with tf.Session() as sess:
        for _ in range(3):
            sess.run(gradient, {x: value})
        before = _resident_megabytes()
        for _ in range(6):
            sess.run(gradient, {x: value})
        # A step keeps 200 MB or more for its backward pass.
        assert _resident_megabytes() - before < 100


def test_ten_thousand_iterations_backwards() -> None:
    x = tf.placeholder(tf.float64, [])
    y = tf.while_loop(lambda i, y: i < 10_000, lambda i, y: (i + 1, y * 0.9999 + x), [0, x])[1]
    gradient = tf.gradients(y, x)[0]
    with tf.Session() as sess:
        want = 0.9999**10_000 + (1 - 0.9999**10_000) / (1 - 0.9999)
        np.testing.assert_allclose(sess.run(gradient, {x: 1.0}), want, rtol=1e-9)
