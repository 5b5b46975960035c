"""Reductions of slices are NumPy's of the same slices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

slices = tf.contrib.reduce_slice_ops
LARGEST = np.finfo(np.float64).max
NEUTRAL = {"sum": 0.0, "prod": 1.0, "max": -LARGEST, "min": LARGEST}


@pytest.mark.parametrize("kind", NEUTRAL)
@given(
    ends=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=4),
    axis=st.integers(0, 2),
)
def test_slices_are_reduced(kind, ends, axis):
    data = np.random.RandomState(0).randn(5, 4, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(getattr(slices, f"reduce_slice_{kind}")(data, np.array(ends), axis))
    moved = np.moveaxis(data, axis, 0)
    parts = [
        getattr(moved[start:stop], kind)(0) if len(moved[start:stop]) else np.full(moved.shape[1:], NEUTRAL[kind])
        for start, stop in ends
    ]
    np.testing.assert_allclose(found, np.moveaxis(np.array(parts), 0, axis))


def test_ends_of_slices_that_follow_each_other():
    with tf.Session() as session:
        found = session.run(slices.reduce_slice_sum([1.0, 2.0, 3.0, 4.0], [0, 1, 3, 4], 0))
    np.testing.assert_array_equal(found, [1, 5, 4])
