"""Ints beyond 32 bits beside tensors: values and classes of errors are those of TensorFlow 1.15."""

from __future__ import annotations

import pytest

import ferroflow as tf


def _beside_a_tensor(number: int) -> list[object]:
    return [tf.constant(2), number]


@pytest.mark.parametrize(("number", "size"), [(1 << 32, 0), (1 << 33, 0), ((1 << 32) + 3, 3)])
def test_an_int_beside_an_int32_tensor_wraps(number: int, size: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.zeros(_beside_a_tensor(number))).shape == (2, size)
        assert session.run(tf.fill(_beside_a_tensor(number), 1.0)).shape == (2, size)
        assert session.run(tf.tile(tf.zeros([1, 1]), _beside_a_tensor(number))).shape == (2, size)
        assert session.run(tf.reshape(tf.zeros([2 * size]), _beside_a_tensor(number))).shape == (2, size)


def test_an_int_beyond_64_bits_overflows() -> None:
    with tf.Graph().as_default(), pytest.raises(OverflowError):
        tf.reshape(tf.zeros([4]), _beside_a_tensor(1 << 63))
