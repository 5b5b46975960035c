"""Imitated and real quantization at half-way points and beyond the bounds give TensorFlow 1.15.5's numbers."""

import numpy as np
import pytest

import ferroflow as tf

BOUNDS = [(-6, 6), (-1, 2), (-3.3, 7.1), (-0.5, 12)]


def steps(x, low, high, multiplies):
    """Returns the nearest of 256 steps in float32; TensorFlow's op with attributes multiplies, the others divide."""
    low, high = np.float32(low), np.float32(high)
    scale = (high - low) / np.float32(255)
    zero = np.round(-low / scale)
    least, most = (0 - zero) * scale, (255 - zero) * scale
    above = np.clip(x, least, most) - least
    number = above * (np.float32(1) / scale) if multiplies else above / scale
    return np.floor(number + np.float32(0.5)) * scale + least


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_half_way_points_are_rounded_as_each_op_does(bounds):
    x = np.concatenate([np.arange(-70, 140) / 10, (np.arange(-256, 256) + 0.5) * 12 / 255]).astype(np.float32)
    low, high = map(float, bounds)
    with tf.Session() as sess:
        by_attributes, by_inputs, by_channel = sess.run(
            [
                tf.fake_quant_with_min_max_args(tf.constant(x), low, high),
                tf.fake_quant_with_min_max_vars(tf.constant(x), low, high),
                tf.fake_quant_with_min_max_vars_per_channel(tf.constant(x[:, None]), [low], [high]),
            ]
        )
    np.testing.assert_array_equal(by_attributes, steps(x, low, high, multiplies=True))
    np.testing.assert_array_equal(by_inputs, steps(x, low, high, multiplies=False))
    np.testing.assert_array_equal(by_channel[:, 0], by_inputs)


def test_values_of_tensorflow():
    with tf.Session() as sess:
        assert sess.run(tf.fake_quant_with_min_max_args(2.0)) == np.float32(2.023529529571533)
        assert sess.run(tf.fake_quant_with_min_max_vars(2.0, -6.0, 6.0)) == np.float32(1.9764704704284668)
        quantized = tf.quantize([12.0, 20.0], 0.0, 12.0, tf.qint32, mode="MIN_FIRST")[0]
        assert sess.run(quantized).tolist() == [2147483520, 2147483520]


@pytest.mark.parametrize("bounds", [(-1, np.inf), (-np.inf, 1), (-np.inf, np.inf), (np.nan, 1), (0, np.inf)], ids=str)
def test_no_gradient_passes_where_the_bounds_are_not_numbers(bounds):
    x = np.linspace(-3, 3, 7, dtype=np.float32)
    low, high = map(float, bounds)
    with tf.Session() as sess:
        by_inputs = sess.run(tf.fake_quant_with_min_max_vars_gradient(tf.ones([7]), x, low, high))
        by_channel = sess.run(
            tf.fake_quant_with_min_max_vars_per_channel_gradient(tf.ones([7, 1]), x[:, None], [low], [high])
        )
    assert [not value.any() for value in by_inputs] == [True, True, True]
    assert [not value.any() for value in by_channel] == [True, True, True]
