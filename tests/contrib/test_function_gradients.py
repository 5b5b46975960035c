"""Gradients in functions and of their calls; the values are those of TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ferroflow as tf

X = [1.0, 2.0]
V = [3.0, 4.0]


def variable(**options: Any) -> Any:
    return tf.get_variable("v", initializer=V, **options)


def values(fetches: Any) -> Any:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return tf.nest.map_structure(lambda x: x.tolist(), sess.run(fetches))


def repeated(x: Any, v: Any) -> Any:
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v), [0, x])[1]


@pytest.mark.parametrize("make", [tf.constant, lambda _: variable(), lambda _: variable(use_resource=True)])
def test_a_function_differentiates_by_what_it_takes_from_around(make: Any) -> None:
    v = make(V)
    assert values(tf.function(lambda x: tf.gradients(x * v * v, [v, v, x]))(tf.constant(X))) == [
        [6.0, 16.0],
        [6.0, 16.0],
        [9.0, 16.0],
    ]


def test_stops_and_unconnected_tensors_may_be_around() -> None:
    v, u = variable(use_resource=True), tf.get_variable("u", initializer=[1.0, 1.0], use_resource=True)
    x = tf.constant(X)
    assert values(tf.function(lambda x: tf.gradients(x * v * v, [v, x], stop_gradients=[v]))(x)) == [[6, 16], [9, 16]]
    found: list[Any] = []
    tf.function(lambda x: found.extend(tf.gradients(x * v, [u, x])) or x)(x)
    assert found[0] is None
    assert found[1] is not None
    assert values(tf.function(lambda x: tf.gradients(x * v, [u], unconnected_gradients="zero"))(x)) == [[0.0, 0.0]]


def test_a_value_read_around_a_function_is_that_of_the_variable() -> None:
    v = variable(use_resource=True)
    read = v.read_value()
    assert values(tf.function(lambda x: tf.gradients(x * v * read, v))(tf.constant(X))) == [[6.0, 16.0]]


@pytest.mark.parametrize("is_target", [True, False])
def test_values_computed_around_a_function_are_refused(is_target: bool) -> None:
    v = variable(use_resource=True)
    twice = v * 2.0
    function = tf.function(lambda x: tf.gradients(twice if is_target else x * twice, v))
    with pytest.raises(NotImplementedError, match=r"takes 'mul:0' from around it, which depends on 'v:0'"):
        function(tf.constant(X))


def test_a_tape_and_an_optimizer_train_in_a_function() -> None:
    v = variable(use_resource=True)
    optimizer = tf.train.AdamOptimizer(0.1)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * v * v)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return loss

    loss = step(tf.constant(X))
    with tf.control_dependencies([loss]):
        after = v.read_value()
    assert values(loss) == 41.0
    np.testing.assert_allclose(values([loss, after])[1], [2.9, 3.9], rtol=1e-5)


def test_loops_of_a_function_have_gradients_of_variables() -> None:
    v, x = variable(use_resource=True), tf.constant(X)
    rows = tf.get_variable("rows", initializer=np.ones([3, 2], np.float32), use_resource=True)
    looked_up = tf.function(
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * tf.gather(rows, i)), [0, x])[1]
    )
    expected = [[27.0, 64.0], [27.0, 96.0]]
    assert values(tf.gradients(tf.function(lambda x: repeated(x, v))(x), [x, v])) == expected
    assert values(tf.function(lambda x: tf.gradients(repeated(x, v), [x, v]))(x)) == expected
    found = tf.gradients(looked_up(x), [x, rows])
    by_row = tf.unsorted_segment_sum(found[1].values, found[1].indices, 3)
    assert values([found[0], by_row]) == [[1.0, 1.0], [[1.0, 2.0]] * 3]


def test_effects_keep_their_order_around_gradients_of_loops() -> None:
    v = variable(use_resource=True)

    def body(x: Any) -> Any:
        y = repeated(x, v)
        v.assign_add(x)
        z = repeated(y, v)
        return tf.gradients(z, [x, v]), z, v * 1.0

    found = values(tf.function(body)(tf.constant(X)))
    after = np.array([4.0, 6.0])
    before = np.array(V)
    np.testing.assert_allclose(found[1], np.array(X) * before**3 * after**3)
    np.testing.assert_allclose(found[2], after)
    np.testing.assert_allclose(found[0][0], before**3 * after**3)


def conditional(x: Any, v: Any, t: Any) -> Any:
    v.assign_add(x)
    return tf.cond(x[0] > 0.0, lambda: tf.exp(x) * t, lambda: x)


def conditional_behind_an_effect(x: Any, v: Any, t: Any) -> Any:
    with tf.control_dependencies([v.assign_add(x)]):
        y = tf.identity(x)
    return tf.cond(y[0] > 0.0, lambda: tf.cond(y[1] > 0.0, lambda: y * t * y, lambda: x), lambda: x)


def conditional_that_reads(x: Any, v: Any, t: Any) -> Any:
    v.assign_add(x)
    return tf.cond(x[0] > 0.0, lambda: x * v * t, lambda: x)


@pytest.mark.parametrize(
    ("body", "by_x", "by_t"),
    [
        (conditional, np.exp(X) * V, np.exp(X)),
        (conditional_behind_an_effect, 2 * np.multiply(X, V), np.square(X)),
        (conditional_that_reads, np.multiply(X, V), np.square(X)),
    ],
)
def test_effects_before_a_conditional_occur_once(body: Any, by_x: Any, by_t: Any) -> None:
    v = tf.get_variable("v", initializer=[0.0, 0.0], use_resource=True)
    x, t = tf.constant(X), tf.constant(V)
    y = tf.function(lambda x: body(x, v, t))(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = sess.run(tf.gradients(y, [x, t]))
        np.testing.assert_allclose(found[0], by_x, rtol=1e-6)
        np.testing.assert_allclose(found[1], by_t, rtol=1e-6)
        assert sess.run(v).tolist() == X


def test_conditionals_have_gradients_of_variables() -> None:
    v, x = variable(use_resource=True), tf.constant(X)
    y = tf.function(lambda x: tf.cond(x[0] > 0.0, lambda: x * v, lambda: x))(x)
    assert values(tf.gradients(y, [x, v])) == [V, X]


def test_the_gradient_of_a_variable_has_its_static_shape() -> None:
    v = variable(use_resource=True)
    (gradient,) = tf.gradients(tf.function(lambda x: x * v)(tf.constant(X)), [v])
    assert gradient.shape.as_list() == [2]
