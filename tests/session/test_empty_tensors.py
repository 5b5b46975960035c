"""Tensors without elements pass through every elementwise op."""

import numpy as np
import pytest

import ferroflow as tf

BINARY = [tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.less, tf.equal, tf.floormod]


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
@pytest.mark.parametrize(
    ("left", "right", "shape"),
    [
        ([0], [2, 1], (2, 0)),
        ([3, 1], [0], (3, 0)),
        ([1, 0], [2, 2, 1], (2, 2, 0)),
        ([0], [0], (0,)),
        ([0], [], (0,)),
    ],
)
def test_nothing_broadcasts_to_nothing(op, left, right, shape):
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        with tf.Session() as sess:
            assert sess.run(op(x, y), {x: np.zeros(left), y: np.ones(right)}).shape == shape
