"""A cached dataset keeps its elements at each place of a pipeline, as in TensorFlow 1.15."""

from __future__ import annotations

import numpy as np
import pytest
from data.reading import elements
from hypothesis import given, strategies as st

import ferroflow as tf

Dataset = tf.data.Dataset


def _numbered(calls: list[int]) -> tf.data.Dataset:
    """Three numbers, each one more than the last that was computed."""

    def count(x: np.ndarray) -> np.int64:
        calls.append(int(x))
        return np.int64(len(calls))

    return Dataset.range(3).map(lambda x: tf.py_func(count, [x], tf.int64)).cache()


# What TensorFlow 1.15.5 gives.
USES = {
    "concatenated": (lambda d: d.concatenate(d).repeat(2), [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]),
    "zipped": (lambda d: Dataset.zip((d, d)).map(lambda x, y: x * 10 + y), [12, 34, 56]),
    "for each element": (lambda d: Dataset.range(3).flat_map(lambda x: d), [1, 2, 3, 4, 5, 6, 7, 8, 9]),
    "for each element, repeat 2": (
        lambda d: Dataset.range(2).flat_map(lambda x: d).repeat(2),
        [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6],
    ),
    "interleaved": (
        lambda d: Dataset.range(3).interleave(lambda x: d, cycle_length=2),
        [1, 2, 3, 4, 5, 6, 1, 3, 5],
    ),
    "chosen": (
        lambda d: tf.data.experimental.choose_from_datasets(
            [d, d], Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 1, 0]))
        ),
        [1, 2, 3, 4, 5, 6],
    ),
    "in part, repeat 2": (lambda d: d.take(2).repeat(2), [1, 2, 3, 4]),
    "in part, shuffle and repeat 2": (
        lambda d: d.take(2).apply(tf.data.experimental.shuffle_and_repeat(1, 2, seed=1)),
        [1, 2, 3, 4],
    ),
    "zipped with its rest, shuffle and repeat 2": (
        lambda d: (
            Dataset.zip((d, d.skip(1)))
            .apply(tf.data.experimental.shuffle_and_repeat(1, 2, seed=1))
            .map(lambda x, y: x * 10 + y)
        ),
        [13, 45, 73, 85],
    ),
}


@pytest.mark.parametrize("use", USES)
def test_each_place_is_filled_by_itself(use):
    build, expected = USES[use]
    assert elements(lambda: build(_numbered([]))) == expected


@given(st.integers(0, 4), st.integers(0, 4), st.integers(1, 3), st.booleans())
def test_passes_that_end_before_their_caches_give_the_same_each_time(size, skipped, count, reshuffles):
    """A cached dataset and its rest have different numbers of elements, so that no pass reads both to their ends."""

    def passes():
        cached = Dataset.range(size).cache()
        both = Dataset.zip((cached, cached.skip(skipped)))
        if reshuffles:
            return both.apply(tf.data.experimental.shuffle_and_repeat(1, count))
        return both.repeat(count)

    assert elements(passes) == [(i, i + skipped) for i in range(size - skipped)] * count
