"""The functions of `tf.contrib.nn` give what NumPy computes; TensorFlow 1.15.5 gave the same on 2026-11-26."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf

_DROPPED = -1.7580993408473766
_X = np.linspace(-3, 3, 12).reshape(3, 4)


@pytest.mark.parametrize("noise_shape", [None, [3, 1]])
def test_alpha_dropout_keeps_what_random_uniform_of_its_seed_keeps(noise_shape):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        dropped = tf.contrib.nn.alpha_dropout(tf.constant(_X), 0.7, noise_shape=noise_shape, seed=5)
        drawn = tf.random_uniform(noise_shape or [3, 4], seed=5, dtype=tf.float64)
        value, uniform = session.run([dropped, drawn])
    mixed = np.where(uniform >= 1 - 0.7, _X, _DROPPED)
    scale = (0.7 + 0.7 * 0.3 * _DROPPED**2) ** -0.5
    np.testing.assert_allclose(value, scale * mixed - scale * _DROPPED * 0.3, rtol=1e-12)


def test_alpha_dropout_keeps_mean_and_variance():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.random_normal([200_000], seed=1)
        value = session.run(tf.contrib.nn.alpha_dropout(x, 0.6, seed=2))
    assert abs(value.mean()) < 0.02
    assert abs(value.var() - 1) < 0.02


def test_alpha_dropout_of_probability_one_is_its_input():
    with tf.Graph().as_default():
        x = tf.constant(_X)
        assert tf.contrib.nn.alpha_dropout(x, 1.0) is x


@pytest.mark.parametrize("keep_prob", [0, -0.5, 1.5])
def test_alpha_dropout_refuses_what_is_no_probability(keep_prob):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"range \(0, 1\], got"):
        tf.contrib.nn.alpha_dropout(tf.constant(_X), keep_prob)


def test_scaled_softplus_and_its_gradients():
    with tf.Graph().as_default(), tf.Session() as session:
        x, alpha, clip = tf.constant(_X), tf.constant(0.5, tf.float64), tf.constant(2.0, tf.float64)
        free = tf.contrib.nn.scaled_softplus(x, alpha)
        clipped = tf.contrib.nn.scaled_softplus(x, alpha, clip=clip)
        value, bounded, by_x, by_alpha = session.run([free, clipped, *tf.gradients(free, [x, alpha])])
        by_clip = session.run(tf.gradients(clipped, [clip])[0])
    scaled = _X / 0.5
    sigmoid = 1 / (1 + np.exp(-scaled))
    np.testing.assert_allclose(value, 0.5 * np.log1p(np.exp(scaled)), rtol=1e-12)
    np.testing.assert_allclose(bounded, np.minimum(value, 2.0))
    np.testing.assert_allclose(by_x, sigmoid, rtol=1e-12)
    np.testing.assert_allclose(by_alpha, np.sum(np.log1p(np.exp(scaled)) - scaled * sigmoid), rtol=1e-12)
    assert by_clip == np.sum(value > 2.0)


def test_flipped_cross_entropies_equal_those_of_tf_nn():
    with tf.Graph().as_default(), tf.Session() as session:
        x, rows, classes = tf.constant(_X), tf.nn.softmax(tf.constant(_X * 2)), [0, 3, 1]
        flipped = [
            tf.contrib.nn.deprecated_flipped_softmax_cross_entropy_with_logits(x, rows),
            tf.contrib.nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(x, classes),
            tf.contrib.nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(x, rows),
        ]
        public = [
            tf.nn.softmax_cross_entropy_with_logits(labels=rows, logits=x),
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=x),
            tf.nn.sigmoid_cross_entropy_with_logits(labels=rows, logits=x),
        ]
        for ours, theirs in session.run(list(zip(flipped, public, strict=True))):
            np.testing.assert_array_equal(ours, theirs)
