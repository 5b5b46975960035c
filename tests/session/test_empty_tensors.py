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


@pytest.mark.parametrize(
    ("size", "to", "found"),
    [
        ([0, 3], [0, -1], (0, 3)),
        ([0, 3], [0, -1, 2], (0, 1, 2)),
        ([3, 0, 2], [-1, 0], (6, 0)),
        ([0, 4, 5], [-1, 0, 7], (2, 0, 7)),
        ([0], [0, 0, -1], (0, 0, 1)),
        ([0, 3], [-1], (0,)),
        ([2, 0], [-1, 3], (0, 3)),
    ],
)
def test_a_size_beside_zero_is_inferred_as_in_tensorflow(size, to, found):
    with tf.Graph().as_default(), tf.Session() as sess:
        x, sizes = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [None])
        assert sess.run(tf.reshape(x, sizes), {x: np.zeros(size), sizes: to}).shape == found
        with pytest.raises(tf.errors.InvalidArgumentError, match="requested shape has 0"):
            sess.run(tf.reshape(x, sizes), {x: np.zeros([2, 3]), sizes: [0, -1]})


def test_a_batch_without_rows_has_a_sequence_column():
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = tf.sparse_placeholder(tf.float32)
        column = tf.feature_column.sequence_numeric_column("a")
        dense, lengths = tf.keras.experimental.SequenceFeatures([column])({"a": fed})
        nothing = tf.SparseTensorValue(np.zeros([0, 2], np.int64), np.zeros([0], np.float32), [0, 3])
        values, counts = sess.run([dense, lengths], {fed: nothing})
        assert values.shape == (0, 3, 1)
        assert counts.shape == (0,)
