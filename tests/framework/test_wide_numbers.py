"""Ints beyond 32 and 64 bits beside tensors in shapes."""

from __future__ import annotations

import pytest

import ferroflow as tf


def _beside_a_tensor(number: int) -> list[object]:
    return [tf.constant(0), number]


@pytest.mark.parametrize("number", [1 << 32, (1 << 32) + 3])
def test_an_int_beside_an_int32_tensor_is_not_cut(number: int) -> None:
    # TF 1.15 takes its lower 32 bits, without a word.
    with tf.Graph().as_default(), tf.Session() as session:
        for made in (tf.fill(_beside_a_tensor(number), 1.0), tf.reshape(tf.zeros([0]), _beside_a_tensor(number))):
            assert session.run(made).shape == (0, number)


def test_an_int_beyond_64_bits_overflows() -> None:
    with tf.Graph().as_default(), pytest.raises(OverflowError):
        tf.reshape(tf.zeros([4]), _beside_a_tensor(1 << 63))
