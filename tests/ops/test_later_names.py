"""Functions that TensorFlow 1.15 makes of other operations than 1.8, and what they give there."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf


def _names(graph: tf.Graph) -> list[str]:
    return [op.name for op in graph.get_operations()]


def test_strings_of_two_dimensions_are_split() -> None:
    text = tf.placeholder(tf.string, [None, 2])
    parts = tf.strings.split(text)
    with tf.Session() as session:
        found = session.run(parts, {text: [["a b", "c"], ["", "d e f"]]})
    assert found.indices.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1], [1, 1, 2]]
    assert found.values.tolist() == [b"a", b"b", b"c", b"d", b"e", b"f"]
    assert found.dense_shape.tolist() == [2, 2, 3]


def test_gamma_of_whole_numbers_keeps_their_dtype() -> None:
    adjusted = tf.image.adjust_gamma(tf.constant([[[0], [128], [255]]], tf.uint8), 2)
    with tf.Session() as session:
        assert session.run(adjusted).dtype == np.uint8
        assert session.run(adjusted).reshape(-1).tolist() == [0, 64, 255]


def test_softmax_counts_a_negative_axis_by_operations() -> None:
    with tf.Graph().as_default() as graph:
        tf.nn.log_softmax(tf.placeholder(tf.float32, [2, 3, 4], name="x"), axis=-2)
    names = [name for name in _names(graph) if "/" not in name]
    assert names == [
        *("x", "Rank", "add", "Rank_1", "mod", "Sub", "range", "add_1", "range_1", "concat", "transpose", "LogSoftmax"),
        *("Sub_1", "range_2", "add_2", "range_3", "concat_1", "transpose_1"),
    ]


@pytest.mark.parametrize(("message", "texts"), [(None, 3), ("unequal", 4)])
def test_an_assertion_without_a_message_has_no_text_for_it(message: str | None, texts: int) -> None:
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
        check = tf.assert_less(x, y, message=message)
    assert sum(t.op.type == "Const" for t in check.inputs[1:]) == texts


def test_central_crop_needs_a_known_rank() -> None:
    with pytest.raises(ValueError, match="Had rank = None"):
        tf.image.central_crop(tf.placeholder(tf.float32), 0.5)


def test_the_axis_of_softmax_may_be_a_tensor() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        axis = tf.placeholder_with_default(1, [])
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7
        along = tf.nn.softmax(x, axis=axis)
        np.testing.assert_array_equal(sess.run(along), sess.run(tf.nn.softmax(x, axis=1)))
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(tf.nn.softmax([1.0, 2.0, 3.0, 4.0], axis=tf.placeholder_with_default(100, [])))
