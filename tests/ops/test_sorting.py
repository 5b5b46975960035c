"""Sorting along every dimension, of known and of unknown rank."""

import numpy as np
import pytest

import ferroflow as tf

SHAPES = [(4,), (3, 4), (2, 3, 4)]
CASES = [(shape, axis) for shape in SHAPES for axis in range(-len(shape), len(shape))]


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
@pytest.mark.parametrize("known", [True, False], ids=["known rank", "unknown rank"])
@pytest.mark.parametrize(("shape", "axis"), CASES)
def test_values_and_indices_are_in_order_along_the_dimension(shape, axis, known, dtype):
    # Few numbers, so that some are equal: of these the first one comes first.
    data = np.random.RandomState(0).randint(0, 5, shape).astype(dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(dtype, shape if known else None)
        made = [
            function(x, axis, direction)
            for direction in ("ASCENDING", "DESCENDING")
            for function in (tf.sort, tf.contrib.framework.argsort)
        ]
        up, where_up, down, where_down = session.run(made, {x: data})
    expected = np.sort(data, axis)
    np.testing.assert_array_equal(up, expected)
    np.testing.assert_array_equal(down, np.flip(expected, axis))
    np.testing.assert_array_equal(where_up, np.argsort(data, axis, kind="stable"))
    np.testing.assert_array_equal(where_down, np.argsort(-data.astype("int64"), axis, kind="stable"))


@pytest.mark.parametrize("axis", [1, -2])
def test_an_axis_out_of_range_is_refused(axis):
    with tf.Graph().as_default():
        for function in (tf.sort, tf.argsort):
            with pytest.raises(ValueError, match="out of range"):
                function(tf.placeholder(tf.float32, [None]), axis)
