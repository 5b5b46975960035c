"""`tf.contrib.image`: pictures turned, moved and warped, with TensorFlow 1.15's values."""

import numpy as np
import pytest

import ferroflow as tf

PICTURES = np.arange(2 * 4 * 5, dtype=np.float32).reshape(2, 4, 5, 1)
# TensorFlow 1.15.5's results.
TURNED = {
    "NEAREST": [
        [[0, 2, 3, 9, 9], [0, 6, 7, 8, 14], [5, 11, 12, 13, 19], [10, 10, 16, 17, 0]],
        [[30, 30, 26, 21, 0], [35, 31, 27, 22, 23], [36, 37, 32, 28, 24], [0, 38, 33, 29, 29]],
    ],
    "BILINEAR": [
        [
            [0.252, 1.2124, 3.1762, 6.0443, 4.8690],
            [1.6558, 4.5239, 7.3921, 10.2602, 12.6094],
            [5.6909, 8.7398, 11.6079, 14.4761, 17.3442],
            [6.0323, 12.9557, 15.8238, 12.6385, 6.1999],
        ],
        [
            [20.9396, 27.8526, 24.1855, 18.0454, 0.1441],
            [35.0626, 31.3956, 27.7285, 24.0615, 12.3928],
            [19.8747, 34.9385, 31.2715, 27.6044, 23.9374],
            [0.2456, 31.9910, 34.8145, 31.1474, 17.8345],
        ],
    ],
}
PROJECTED = [
    [0.0, 0.490196, 1.923077, 3.301887, 4.62963],
    [1.029311, 5.533981, 6.857142, 8.13084, 9.357798],
    [4.036909, 10.480769, 11.698114, 12.87037, 14.0],
    [8.907532, 15.333333, 16.448597, 16.906828, 17.092768],
]
PROJECTION = [1, 0.2, -1, 0.1, 1, 0, 0.02, 0.01]


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


@pytest.mark.parametrize("interpolation", TURNED)
def test_turned_pictures(interpolation):
    found = run(lambda: tf.contrib.image.rotate(PICTURES, [0.4, -1.0], interpolation))
    np.testing.assert_allclose(found[..., 0], TURNED[interpolation], atol=1e-3)
    # A picture without channels, and one alone.
    alone = run(lambda: tf.contrib.image.rotate(PICTURES[0, :, :, 0], 0.4, interpolation))
    np.testing.assert_array_equal(alone, found[0, ..., 0])
    alone = run(lambda: tf.contrib.image.rotate(PICTURES[1], -1.0, interpolation))
    np.testing.assert_array_equal(alone, found[1])


def test_moved_pictures():
    found = run(lambda: tf.contrib.image.translate(PICTURES, [1.0, -0.5], "BILINEAR"))[0, ..., 0]
    expected = [[0, 2.5, 3.5, 4.5, 5.5], [0, 7.5, 8.5, 9.5, 10.5], [0, 12.5, 13.5, 14.5, 15.5], [0, 7.5, 8, 8.5, 9]]
    np.testing.assert_allclose(found, expected)
    # Halves are rounded away from zero.
    found = run(lambda: tf.contrib.image.translate(PICTURES, [1.5, -0.5]))[0, ..., 0]
    np.testing.assert_array_equal(found, [[0, 0, 6, 7, 8], [0, 0, 11, 12, 13], [0, 0, 16, 17, 18], [0, 0, 0, 0, 0]])


def test_projected_pictures():
    found = run(lambda: tf.contrib.image.transform(PICTURES, PROJECTION, "BILINEAR"))[0, ..., 0]
    np.testing.assert_allclose(found, PROJECTED, atol=1e-4)
    whole = run(lambda: tf.contrib.image.transform(PICTURES.astype(np.int32), PROJECTION, output_shape=[3, 3]))
    assert whole.dtype == np.int32
    np.testing.assert_array_equal(whole[0, ..., 0], [[0, 0, 1], [0, 5, 6], [0, 10, 11]])


def test_transforms_as_numbers():
    turned = run(lambda: tf.contrib.image.angles_to_projective_transforms([0.4], 4, 5))
    np.testing.assert_allclose(
        turned, [[0.921061, -0.389418, 0.742006, 0.389418, 0.921061, -0.660428, 0, 0]], atol=1e-5
    )
    moved = run(lambda: tf.contrib.image.translations_to_projective_transforms([1.0, 2.0]))
    np.testing.assert_array_equal(moved, [[1, 0, -1, 0, 1, -2, 0, 0]])
    both = run(lambda: tf.contrib.image.compose_transforms([1.0, 0, 1, 0, 1, 2, 0, 0], [2.0, 0, 0, 0, 1, 0, 0.1, 0]))
    np.testing.assert_allclose(both, [[2.1, 0, 1, 0.2, 1, 2, 0.1, 0]], rtol=1e-6)


def test_the_gradient_is_moved_back():
    with tf.Graph().as_default(), tf.Session() as sess:
        pictures = tf.placeholder(tf.float32, [None, None, None, 1])
        moved = tf.contrib.image.translate(pictures, [1.0, 0.0])
        (gradient,) = tf.gradients(tf.reduce_sum(moved * PICTURES[:1]), pictures)
        found = sess.run(gradient, {pictures: PICTURES[:1]})
    np.testing.assert_array_equal(found[0, :, :-1, 0], PICTURES[0, :, 1:, 0])
    np.testing.assert_array_equal(found[0, :, -1, 0], 0)


def test_warped_pictures():
    flow = np.full((2, 4, 5, 2), 0.3, np.float32)
    found = run(lambda: tf.contrib.image.dense_image_warp(PICTURES, flow))[0, ..., 0]
    np.testing.assert_allclose(found[0], [0.0, 0.7, 1.7, 2.7, 3.7], atol=1e-5)
    np.testing.assert_allclose(found[1:, 0], [3.5, 8.5, 13.5], atol=1e-5)
    np.testing.assert_allclose(found[3], [13.5, 14.2, 15.2, 16.2, 17.2], atol=1e-4)


def test_what_is_no_picture_is_refused():
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="rank between 2 and 4"):
            tf.contrib.image.rotate(np.zeros(3, np.float32), 0.1)
        with pytest.raises(TypeError, match="Invalid dtype"):
            tf.contrib.image.translate(np.zeros((2, 2), np.complex64), [1.0, 1.0])
        with pytest.raises(ValueError, match="interpolation must be"):
            tf.contrib.image.rotate(PICTURES, 0.1, "CUBIC")
        with pytest.raises(ValueError, match="2 x 2"):
            tf.contrib.image.dense_image_warp(np.zeros((1, 1, 4, 1), np.float32), np.zeros((1, 1, 4, 2), np.float32))
