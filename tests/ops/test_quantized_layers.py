"""Quantized layers compute what the layers of the numbers compute, to the width of a level."""

import numpy as np
import pytest

import ferroflow as tf

RANDOM = np.random.RandomState(0)


def quantized(x, low, high):
    return tf.quantize_v2(tf.constant(x, tf.float32), low, high, tf.quint8)


def numbers(found):
    with tf.Session() as session:
        return session.run(tf.dequantize(found[0], found[1], found[2]))


def test_a_convolution():
    image, kernel = RANDOM.uniform(0, 4, size=(2, 5, 5, 3)), RANDOM.uniform(-1, 1, size=(3, 3, 3, 2))
    q, f = quantized(image, 0.0, 4.0), quantized(kernel, -1.0, 1.0)
    found = tf.nn.quantized_conv2d(
        q.output, f.output, q.output_min, q.output_max, f.output_min, f.output_max, [1, 1, 1, 1], "SAME"
    )
    assert found.output.dtype == tf.qint32
    with tf.Session() as session:
        theirs = session.run(tf.nn.conv2d(image.astype("f"), kernel.astype("f"), [1, 1, 1, 1], "SAME"))
    np.testing.assert_allclose(numbers(found), theirs, atol=0.5)


@pytest.mark.parametrize(("name", "plain"), [("quantized_max_pool", "max_pool"), ("quantized_avg_pool", "avg_pool")])
def test_pools(name, plain):
    image = RANDOM.uniform(0, 4, size=(2, 6, 6, 3))
    q = quantized(image, 0.0, 4.0)
    arguments = ([1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    found = getattr(tf.nn, name)(q.output, q.output_min, q.output_max, *arguments)
    with tf.Session() as session:
        theirs = session.run(getattr(tf.nn, plain)(image.astype("f"), *arguments))
    # A mean is rounded down to a level, and its elements are half a level off.
    np.testing.assert_allclose(numbers(found), theirs, atol=4 / 255 * 1.51)


def test_an_activation_and_a_join():
    x, y = RANDOM.uniform(-1, 3, size=(4, 2)), RANDOM.uniform(0, 9, size=(4, 3))
    a, b = quantized(x, -1.0, 3.0), quantized(y, 0.0, 9.0)
    cut = tf.nn.quantized_relu_x(a.output, 2.0, a.output_min, a.output_max)
    np.testing.assert_allclose(numbers(cut), np.clip(x, 0, 2), atol=0.02)
    joined = tf.quantized_concat(1, [a.output, b.output], [a.output_min, b.output_min], [a.output_max, b.output_max])
    np.testing.assert_allclose(numbers(joined), np.concatenate([x, y], 1), atol=0.06)


def test_the_time_is_the_steps():
    now = tf.timestamp()
    with tf.Session() as session:
        first, second = session.run(now), session.run(now)
    assert 1.7e9 < first <= second < first + 60


@pytest.mark.parametrize(
    ("levels", "bounds", "expected"),
    [
        ([], (1e30, 2.0), [-2.328306119730088e20, 1.0000000150474662e30]),
        ([2147483647, -2147483647], (1e30, 2.0), [0.0, -2.328306119730088e20]),
        ([16777217, 33554433], (-16777216.0, 16777215.0), [0.0, 262144.0]),
    ],
)
def test_levels_pass_through_single_precision(levels, bounds, expected):
    """Compares with TensorFlow 1.15.5's bounds, of which differences of great numbers show the rounding."""
    q = tf.bitcast(tf.constant(levels, tf.int32), tf.qint32)
    made = tf.raw_ops.RequantizationRange(input=q, input_min=bounds[0], input_max=bounds[1])
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(made), np.float32(expected))
