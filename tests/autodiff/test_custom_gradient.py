"""Functions that bring their own gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ferroflow as tf


def test_the_gradient_is_the_functions_own() -> None:
    @tf.custom_gradient
    def log1pexp(x: Any) -> Any:
        e = tf.exp(x)
        return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(100.0)
        assert session.run(tf.gradients(log1pexp(x), x)) == [1.0]


def test_several_arguments_and_a_nest_of_results() -> None:
    @tf.custom_gradient
    def function(x: Any, y: Any) -> Any:
        return {"sum": x + y, "product": [x * y]}, lambda a, b: (10.0 * a, 100.0 * b)

    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.constant(2.0), tf.constant(3.0)
        result = function(x, y)
        assert session.run(result) == {"sum": 5.0, "product": [6.0]}
        gradients = session.run(tf.gradients([result["product"][0], result["sum"]], [x, y]))
        assert sorted(gradients) == [10.0, 100.0]


def test_variables_have_gradients_from_the_function() -> None:
    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        w = tf.get_variable("w", initializer=2.0)

        def grad(dy: Any, variables: Any = None) -> Any:
            assert [v.op.name for v in variables] == ["w"]
            return dy * 7.0, [dy * 11.0]

        return x * w, grad

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(3.0)
        y = scaled(x)
        (w,) = tf.trainable_variables()
        session.run(tf.global_variables_initializer())
        assert session.run([y, *tf.gradients(y, [x, w])]) == [6.0, 7.0, 11.0]


def test_variables_that_the_gradient_does_not_ask_for_are_refused() -> None:
    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        return x * tf.get_variable("w", initializer=2.0), lambda dy: dy

    with tf.Graph().as_default(), pytest.raises(TypeError, match="must accept a 'variables' keyword"):
        scaled(tf.constant(1.0))


def test_functions_nest_and_have_second_derivatives() -> None:
    @tf.custom_gradient
    def square(x: Any) -> Any:
        return x * x, lambda dy: dy * cube(x)

    @tf.custom_gradient
    def cube(x: Any) -> Any:
        return x * x * x, lambda dy: dy * 5.0

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(2.0)
        (first,) = tf.gradients(square(x), x)
        (second,) = tf.gradients(first, x)
        assert session.run([first, second]) == [8.0, 5.0]


def test_keyword_arguments_are_refused_as_tensorflow_refuses_them() -> None:
    function = tf.custom_gradient(lambda x: (x, lambda dy: dy))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="keywords arguments only when eager"):
        function(x=tf.constant(np.float32(1)))
