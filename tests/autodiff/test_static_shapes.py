"""Gradients have static shapes that TensorFlow 1.15.5 also knows: where inputs' shapes are partly known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ferroflow as tf

_ROOT = tf.raw_ops.MatrixSquareRoot


@pytest.mark.parametrize(
    ("function", "shape", "known"),
    [
        (tf.image.rgb_to_hsv, [None, None, None], [None, None, 3]),
        (tf.image.rgb_to_hsv, [None], [3]),
        (tf.image.rgb_to_hsv, None, None),
        (lambda x: _ROOT(input=x), [None, 4], [4, 4]),
        (lambda x: _ROOT(input=x), [None, 4, None], [None, 4, 4]),
        (tf.linalg.expm, [None, None], [None, None]),
    ],
)
def test_what_an_op_asks_of_its_input_is_known_of_the_gradient(
    function: Callable[[tf.Tensor], tf.Tensor], shape: Any, known: Any
) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, shape)
        gradient = tf.gradients(function(x), x)[0]
        assert (None if gradient.shape.ndims is None else gradient.shape.as_list()) == known


def test_slices_of_one_branch_have_the_sizes_of_the_whole() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3, 4])
        taken = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.gather(x, [0, 2]), lambda: tf.zeros([2, 4]))
        gradient = tf.gradients(taken, x)[0]
        assert gradient.values.shape.as_list() == [None, 4]
        assert tf.convert_to_tensor(gradient).shape.as_list() == [3, 4]
