"""Clipping keeps slices sparse, has a gradient at zero, and shows norms that are no number."""

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def slices():
    return tf.IndexedSlices(tf.constant([-4.0, 3.0]), tf.constant([0, 2]), tf.constant([4]))


@pytest.mark.parametrize(
    ("clip", "expected"),
    [
        (lambda t: tf.clip_by_value(t, -1.0, 2.0), [-1.0, 2.0]),
        (lambda t: tf.clip_by_norm(t, 1.0), [-0.8, 0.6]),
        (lambda t: tf.clip_by_global_norm([t, None], 1.0)[0][0], [-0.8, 0.6]),
    ],
    ids=["value", "norm", "global norm"],
)
def test_clipped_slices_are_slices(session, clip, expected):
    clipped = clip(slices())
    assert isinstance(clipped, tf.IndexedSlices)
    values, rows, shape = session.run([clipped.values, clipped.indices, clipped.dense_shape])
    np.testing.assert_allclose(values, expected, rtol=1e-6)
    assert (rows.tolist(), shape.tolist()) == ([0, 2], [4])


def test_clipping_by_norm_has_a_gradient_at_zero(session):
    x = tf.zeros([2, 2])
    np.testing.assert_array_equal(session.run(tf.gradients(tf.clip_by_norm(x, 2.0), x)[0]), np.ones((2, 2)))
    np.testing.assert_array_equal(session.run(tf.gradients(tf.clip_by_norm(x, 2.0, [1]), x)[0]), np.ones((2, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_common_norm_that_is_not_finite_makes_all_of_them_nan(session, bad):
    clipped, norm = tf.clip_by_global_norm([tf.constant([bad, 1.0]), tf.constant([2.0])], 1.0)
    values, found = session.run([clipped, norm])
    assert np.isnan(np.concatenate(values)).all()
    assert not np.isfinite(found)


def test_a_given_norm_is_used(session):
    (clipped,), norm = tf.clip_by_global_norm([tf.constant([12.0])], 1.0, use_norm=tf.constant(24.0))
    assert session.run([clipped, norm]) == [0.5, 24.0]
