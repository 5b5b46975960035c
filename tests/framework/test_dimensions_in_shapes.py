"""A list of sizes may hold a `Dimension` wherever an op takes sizes, as in TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

_M = np.ones((2, 2), np.float32)
_D = tf.Dimension

CALLS: dict[str, tuple[Callable[[], Any], list[int]]] = {
    "random_uniform": (lambda: tf.random_uniform([_D(2), 3]), [2, 3]),
    "random_normal": (lambda: tf.random_normal([_D(2), _D(3)]), [2, 3]),
    "truncated_normal": (lambda: tf.truncated_normal([_D(2), 3]), [2, 3]),
    "stateless": (lambda: tf.random.stateless_uniform([_D(2)], [1, 2]), [2]),
    "xavier": (lambda: tf.contrib.layers.xavier_initializer()([_D(2), _D(3)]), [2, 3]),
    "raw": (lambda: tf.raw_ops.RandomUniform(shape=[_D(2), 3], dtype=tf.float32), [2, 3]),
    "with a tensor": (lambda: tf.random_uniform([tf.shape(_M)[0], _D(3)]), [2, 3]),
    "conv2d_transpose": (
        lambda: tf.nn.conv2d_transpose(
            _M.reshape(1, 2, 2, 1), np.ones((2, 2, 1, 1), np.float32), [1, _D(4), 4, _D(1)], [1, 2, 2, 1]
        ),
        [1, 4, 4, 1],
    ),
    "conv3d_transpose": (
        lambda: tf.nn.conv3d_transpose(
            _M.reshape(1, 1, 2, 2, 1), np.ones((1, 2, 2, 1, 1), np.float32), [1, 1, _D(4), 4, _D(1)], [1, 1, 2, 2, 1]
        ),
        [1, 1, 4, 4, 1],
    ),
    "reshape": (lambda: tf.reshape(_M, [_D(4), 1]), [4, 1]),
    "tile": (lambda: tf.tile(_M, [_D(2), 1]), [4, 2]),
    "large": (lambda: tf.placeholder_with_default(tf.zeros([0]), [None])[: _D(2**33)], [None]),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_dimension_is_a_size(case):
    make, shape = CALLS[case]
    assert make().get_shape().as_list() == shape


def test_an_unknown_dimension_is_none():
    with pytest.raises((TypeError, ValueError)):
        tf.random_uniform([_D(None), 2])
