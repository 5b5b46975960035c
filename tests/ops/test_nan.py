"""Maxima, minima, signs and quantized values of NaN are those that TensorFlow 1.15.5 computes."""

import numpy as np
import pytest

import ferroflow as tf

NAN, INF = float("nan"), float("inf")
FLOATS = [tf.float16, tf.float32, tf.float64]


def value(tensor):
    with tf.Session() as sess:
        return sess.run(tensor)


def fed(values, dtype=tf.float32):
    """Returns a tensor that no constant folding sees."""
    values = np.array(values, dtype.as_numpy_dtype)
    return tf.placeholder_with_default(values, values.shape)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("length", [1, 4, 9, 33])
def test_a_nan_on_the_left_stays_and_one_on_the_right_is_passed_over(dtype, length):
    left = np.arange(length, dtype=np.float64)
    left[length // 2] = NAN
    zero = np.zeros(length)
    kept, dropped = left, np.where(np.isnan(left), 0, left)
    np.testing.assert_array_equal(value(tf.maximum(fed(left, dtype), fed(zero, dtype))), kept)
    np.testing.assert_array_equal(value(tf.maximum(fed(zero, dtype), fed(left, dtype))), dropped)
    np.testing.assert_array_equal(value(tf.minimum(fed(zero, dtype), fed(left, dtype))), zero)
    np.testing.assert_array_equal(value(tf.maximum(fed(zero, dtype), fed(NAN, dtype))), zero)
    assert np.isnan(value(tf.maximum(fed(NAN, dtype), fed(zero, dtype)))).all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_reductions_pass_over_nan(dtype):
    x = fed([[NAN, NAN, NAN], [1, NAN, 2]], dtype)
    for got, expected in [
        (tf.reduce_max(x, 1), [-INF, 2]),
        (tf.reduce_min(x, 1), [INF, 1]),
        (tf.reduce_max(x, 0), [1, -INF, 2]),
        (tf.reduce_min(x, 0), [1, INF, 2]),
        (tf.reduce_max(x), 2),
        (tf.reduce_max(fed([[NAN], [1]], dtype), 1), [NAN, 1]),
        (tf.segment_max(fed([NAN, 1, NAN, NAN, 2], dtype), [0, 0, 1, 1, 1]), [1, 2]),
        (tf.segment_max(fed([NAN, 3], dtype), [0, 1]), [NAN, 3]),
        (tf.segment_min(fed([NAN, NAN, 3], dtype), [0, 0, 1]), [INF, 3]),
        (tf.unsorted_segment_max(fed([NAN, 1, NAN, NAN, 2, NAN], dtype), [0, 0, 1, 1, 1, 2], 3), [1, 2, NAN]),
    ]:
        np.testing.assert_array_equal(value(got), expected)


def test_signs_and_gradients():
    x = fed([NAN, 1, -2, 3])
    assert value(tf.sign(x)).tolist() == [0, 1, -1, 1]
    assert value(tf.gradients(tf.abs(x), x)[0]).tolist() == [0, 1, -1, 1]
    assert value(tf.gradients(tf.reduce_max(x), x)[0]).tolist() == [0, 0, 0, 1]


def test_scattered_nan_is_passed_over_and_a_variables_stays():
    with tf.Session() as sess:
        v = tf.Variable([1.0, NAN, 3.0])
        sess.run(v.initializer)
        np.testing.assert_array_equal(sess.run(tf.scatter_max(v, [0, 1], fed([NAN, 5]))), [1, NAN, 3])


@pytest.mark.parametrize("dtype", [tf.quint8, tf.qint8, tf.quint16, tf.qint16, tf.qint32], ids=str)
@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
def test_quantized_nan_is_zero_but_for_one_mode_of_qint32(dtype, mode):
    expected = -(2**31) if (dtype, mode) == (tf.qint32, "MIN_FIRST") else 0
    quantized = tf.quantize(fed([NAN, 1]), -3.0, 12.0, dtype, mode=mode)[0]
    assert int(value(quantized)[0]) == expected


def test_fake_quantization_keeps_nan():
    x = fed([NAN, 1])
    np.testing.assert_array_equal(value(tf.fake_quant_with_min_max_vars(x, -1.0, 2.0)), [NAN, 1])
    assert np.isnan(value(tf.fake_quant_with_min_max_args(x))[0])
    assert np.isnan(value(tf.quantization.quantize_and_dequantize(x, -3.0, 12.0, range_given=True))[0])
    assert value(tf.gradients(tf.fake_quant_with_min_max_args(x), x)[0]).tolist() == [0, 1]
    assert value(tf.gradients(tf.fake_quant_with_min_max_vars(x, -6.0, 6.0), x)[0]).tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [*FLOATS, tf.bfloat16, tf.complex64, tf.complex128, tf.int32], ids=str)
@pytest.mark.parametrize("shape", [[0], [0, 3]])
def test_the_mean_of_nothing_is_nan_of_the_types_of_c_alone(dtype, shape):
    mean = value(tf.reduce_mean(fed(np.zeros(shape), dtype), 0)).astype(np.complex128)
    expected = np.full(shape[1:], np.nan if dtype in FLOATS else 0, np.complex128)
    np.testing.assert_array_equal(mean.real, expected.real)
