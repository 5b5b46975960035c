"""The gradient of `rgb_to_hsv` is TensorFlow 1.15's: slopes where they exist, its choice where channels are equal."""

import numpy as np
import pytest

import ferroflow as tf

WEIGHTS = [0.3, 0.5, 0.7]
PIXELS = [[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [0.0, 1.0, 0.5], [0.5, 0.5, 0.1], [0.2, 0.2, 0.8], [1.0, 0.0, 0.0]]
# TensorFlow 1.15.5's.
EXPECTED = [
    [1.7, 0.0, -1.0],
    [0.7, 0.0, 0.0],
    [-0.025, 0.675, 0.05],
    [0.775, 0.125, -1.0],
    [0.0833333, -0.7083334, 0.85625],
    [0.7, 0.05, -0.05],
]


def gradient(pixels):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(pixels, tf.float32)
        y = tf.image.rgb_to_hsv(x) * WEIGHTS
        return session.run(tf.gradients(y, x)[0])


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_it_is_the_slope_for_every_order_of_the_channels(order):
    pixel = np.array([0.2, 0.5, 0.9])[list(order)]
    moved = pixel + 1e-2 * np.concatenate([np.eye(3), -np.eye(3)])
    with tf.Graph().as_default(), tf.Session() as session:
        values = session.run(tf.reduce_sum(tf.image.rgb_to_hsv(tf.constant(moved, tf.float32)) * WEIGHTS, 1))
    np.testing.assert_allclose(gradient(pixel[None])[0], (values[:3] - values[3:]) / 2e-2, atol=2e-3)


def test_equal_and_zero_channels_have_tensorflows_choice():
    np.testing.assert_allclose(gradient(PIXELS), EXPECTED, rtol=1e-5, atol=1e-6)
