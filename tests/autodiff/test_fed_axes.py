"""Gradients along an axis that only the step knows, of either integer type, counted from either end."""

import numpy as np
import pytest
from autodiff.differences import check

import ferroflow as tf

SHAPE = (2, 3, 2)

# By name: a function of a tensor and of an axis that is a tensor.
ALONG_AN_AXIS = {
    "concat": lambda x, axis: tf.concat([x, tf.sin(x)], tf.cast(axis, tf.int32)),
    "cumprod": lambda x, axis: tf.cumprod(x, axis),
    "cumprod, exclusive": lambda x, axis: tf.cumprod(x, axis, exclusive=True),
    "cumsum, reverse": lambda x, axis: tf.cumsum(x, axis, reverse=True),
    "expand_dims": lambda x, axis: tf.expand_dims(x, axis) ** 2,
    "gather": lambda x, axis: tf.gather(x, [[1, 0], [1, 1]], axis=axis),
    "reduce_logsumexp": lambda x, axis: tf.reduce_logsumexp(x, axis),
    "reduce_max": lambda x, axis: tf.reduce_max(x, axis),
    "reduce_mean": lambda x, axis: tf.reduce_mean(x**2, axis),
    "reduce_min, kept": lambda x, axis: tf.reduce_min(x, axis, keepdims=True),
    "reduce_prod": lambda x, axis: tf.reduce_prod(x, axis),
    "reduce_sum": lambda x, axis: tf.reduce_sum(x**2, axis),
    "reverse": lambda x, axis: tf.reverse(x**2, [axis]),
    "roll": lambda x, axis: tf.roll(x**2, 1, axis),
    "split": lambda x, axis: tf.split(x**2, 1, tf.cast(axis, tf.int32))[0],
    "split by sizes": lambda x, axis: tf.split(x**2, [1, 1], tf.cast(axis, tf.int32))[1],
}


@pytest.mark.parametrize("name", ALONG_AN_AXIS)
@pytest.mark.parametrize("known", [True, False], ids=["known shape", "unknown shape"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("axis", [2, -3, -1])
def test_gradients_along_a_fed_axis(name, known, dtype, axis):
    x = np.random.RandomState(0).uniform(0.3, 2.0, SHAPE)
    check(lambda t: ALONG_AN_AXIS[name](t, tf.placeholder_with_default(np.array(axis, dtype), [])), [x], 0, known)
