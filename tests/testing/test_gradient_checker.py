"""The two Jacobians agree for right gradients, whatever the order of the values, and differ for wrong ones."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf


def test_values_in_fortran_order_are_differentiated_in_place() -> None:
    with tf.Graph().as_default(), tf.Session():
        x = tf.placeholder(tf.float64, [2, 3])
        start = np.asfortranarray(np.arange(6.0).reshape(2, 3))
        theoretical, numeric = tf.test.compute_gradient(x, [2, 3], tf.square(x), [2, 3], x_init_value=start)
    np.testing.assert_allclose(theoretical, np.diag(2 * np.arange(6.0)), atol=1e-9)
    np.testing.assert_allclose(numeric, theoretical, atol=1e-9)


def test_a_complex_element_is_two_reals() -> None:
    with tf.Graph().as_default(), tf.Session():
        x = tf.placeholder(tf.complex128, [2])
        theoretical, numeric = tf.test.compute_gradient(x, [2], x * x, [2], delta=1e-5)
        assert theoretical.shape == (4, 4)
        np.testing.assert_allclose(theoretical, numeric, atol=1e-6)
        assert tf.test.compute_gradient_error(x, [2], tf.abs(x), [2], delta=1e-5) < 1e-6


def test_a_wrong_gradient_is_found() -> None:
    with tf.Graph().as_default() as graph, tf.Session():
        x = tf.placeholder(tf.float64, [2])
        with graph.gradient_override_map({"Square": "Identity"}):
            y = tf.square(x)
        assert tf.test.compute_gradient_error(x, [2], y, [2], x_init_value=np.array([1.0, 2.0])) > 0.5


def test_targets_run_first() -> None:
    with tf.Graph().as_default(), tf.Session():
        factor = tf.Variable(np.array(3.0))
        x = tf.placeholder(tf.float64, [2])
        error = tf.test.compute_gradient_error(x, [2], factor * x, [2], init_targets=[factor.initializer])
    assert error < 1e-9


def test_several_tensors_give_several_pairs() -> None:
    with tf.Graph().as_default(), tf.Session():
        x, y = tf.constant([1.0, 2.0], tf.float64), tf.constant([3.0], tf.float64)
        pairs = tf.test.compute_gradient([x, y], [[2], [1]], x * y, [2], extra_feed_dict={})
        assert [p[0].shape for p in pairs] == [(2, 2), (1, 2)]
        assert tf.test.compute_gradient_error([x, y], [[2], [1]], x * y, [2]) < 1e-9


def test_whole_numbers_are_refused() -> None:
    with tf.Graph().as_default(), tf.Session():
        x = tf.placeholder(tf.int32, [2])
        with pytest.raises(AssertionError, match="Don't support type int32"):
            tf.test.compute_gradient(x, [2], x * 2, [2])


def test_values_of_another_shape_are_refused() -> None:
    with tf.Graph().as_default(), tf.Session():
        x = tf.placeholder(tf.float32, [2])
        with pytest.raises(AssertionError, match="x_shape"):
            tf.test.compute_gradient(x, [2], x * 2, [2], x_init_value=np.ones(3))


def test_an_empty_result_has_an_empty_jacobian() -> None:
    with tf.Graph().as_default(), tf.Session():
        x = tf.placeholder(tf.float64, [2])
        theoretical, numeric = tf.test.compute_gradient(x, [2], x[:0], [0])
    assert theoretical.shape == numeric.shape == (2, 0)


def test_a_tensor_is_varied_although_it_is_among_the_fed_ones() -> None:
    with tf.Graph().as_default(), tf.Session():
        a, b = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
        feeds = {a: np.array([1.0, 2.0]), b: np.array([3.0, 4.0])}
        error = tf.test.compute_gradient_error([a, b], [[2], [2]], a * b, [2], extra_feed_dict=feeds)
    assert error < 1e-6
