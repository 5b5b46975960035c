"""Image ops give TensorFlow's bits, and their gradients are the transposes of what they do."""

from __future__ import annotations

import base64
import json
import pathlib

import numpy as np
import pytest
from deprecations import logs_deprecation
from golden import make_images
from hypothesis import given, strategies as st

import ferroflow as tf

STORED = json.loads((pathlib.Path(__file__).parents[1] / "golden" / "images.json").read_text(encoding="utf-8"))
FILES = {name: base64.b64decode(data) for name, data in STORED["files"].items()}
OURS = make_images.values(tf, FILES)


@pytest.mark.parametrize("name", sorted(STORED["values"]))
def test_results_have_the_bits_of_tensorflow(name):
    want = make_images.unpacked(STORED["values"][name])
    assert OURS[name].dtype == want.dtype
    np.testing.assert_array_equal(OURS[name], want)


def test_nothing_is_left_out():
    assert set(OURS) == set(STORED["values"])


def _inner(a, b):
    return float(np.sum(a.astype(np.float64) * b.astype(np.float64)))


_RESIZERS = ["resize_bilinear", "resize_nearest_neighbor", "resize_bicubic"]


@given(
    name=st.sampled_from(_RESIZERS),
    sides=st.tuples(*[st.integers(1, 9)] * 4),
    channels=st.integers(1, 4),
    alignment=st.sampled_from([(False, False), (True, False), (False, True)]),
    dtype=st.sampled_from(["float32", "float64"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_gradient_of_a_resize_is_its_transpose(name, sides, channels, alignment, dtype, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (2, *sides[:2], channels)).astype(dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.constant(x)
        resize = getattr(tf.image, name)
        y = resize(images, sides[2:], align_corners=alignment[0], half_pixel_centers=alignment[1])
        g = rng.uniform(-1, 1, y.shape.as_list()).astype(y.dtype.as_numpy_dtype)
        back = tf.gradients(y, images, grad_ys=tf.constant(g))[0]
        assert back.shape == images.shape
        y_value, back_value = session.run([y, back])
    assert abs(_inner(y_value, g) - _inner(x, back_value)) <= 1e-4 * (1 + np.abs(back_value).sum())


@given(
    boxes=st.lists(st.tuples(*[st.floats(-0.5, 1.5, width=32)] * 4), min_size=1, max_size=4),
    size=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    method=st.sampled_from(["bilinear", "nearest"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_gradient_of_crops_by_their_images_is_the_transpose(boxes, size, method, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (2, 5, 4, 3)).astype(np.float32)
    indices = rng.integers(0, 2, len(boxes))
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.constant(x)
        y = tf.image.crop_and_resize(images, np.array(boxes, np.float32), indices, size, method=method)
        g = rng.uniform(-1, 1, y.shape.as_list()).astype(np.float32)
        back = tf.gradients(y, images, grad_ys=tf.constant(g))[0]
        y_value, back_value = session.run([y, back])
    assert abs(_inner(y_value, g) - _inner(x, back_value)) <= 1e-4 * (1 + np.abs(back_value).sum())


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_the_gradient_of_crops_has_the_dtype_of_the_images(dtype):
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.constant([[[[0.0], [1.0]], [[2.0], [3.0]]]], dtype)
        crops = tf.image.crop_and_resize(images, [[0.0, 0.0, 0.5, 1.0]], [0], [2, 2])
        (gradient,) = tf.gradients(crops, images)
        assert gradient.dtype == dtype
        assert session.run(gradient)[0, :, :, 0].tolist() == [[1.5, 1.5], [0.5, 0.5]]


def test_the_gradient_of_crops_by_whole_numbers_is_none():
    with tf.Graph().as_default():
        images = tf.zeros([1, 2, 2, 1], tf.uint8)
        crops = tf.image.crop_and_resize(images, [[0.0, 0.0, 0.5, 1.0]], [0], [2, 2])
        assert tf.gradients(crops, images) == [None]


def test_the_gradient_of_crops_by_their_boxes_equals_differences():
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (2, 6, 7, 2)).astype(np.float32)
    boxes = np.array([[0.11, 0.13, 0.71, 0.83], [0.91, 0.17, 0.23, 0.67]], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        corners = tf.placeholder(tf.float32, [2, 4])
        total = tf.reduce_sum(tf.image.crop_and_resize(x, corners, [0, 1], [3, 4]))
        gradient = session.run(tf.gradients(total, corners)[0], {corners: boxes})
        # Between pixels crops are linear in each corner, so that a small step is exact but for rounding.
        for place in np.ndindex(2, 4):
            step = np.zeros_like(boxes)
            step[place] = 1e-3
            ahead, behind = (session.run(total, {corners: boxes + s * step}) for s in (1, -1))
            assert abs((ahead - behind) / 2e-3 - gradient[place]) < 2e-2 * (1 + abs(gradient[place]))


def test_images_of_unknown_rank_count_as_one():
    x = np.arange(24.0, dtype=np.float32).reshape(2, 4, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.float32)
        for result, want in (
            (tf.image.flip_left_right(image), x[:, ::-1]),
            (tf.image.transpose_image(image), x.transpose(1, 0, 2)),
            (tf.image.rot90(image), np.rot90(x)),
            (tf.image.crop_to_bounding_box(image, 0, 1, 2, 2), x[:, 1:3]),
            (tf.image.resize_image_with_crop_or_pad(image, 2, 2), x[:, 1:3]),
            (tf.image.resize_image_with_crop_or_pad(image, 2, 6), np.pad(x, [(0, 0), (1, 1), (0, 0)])),
            (tf.image.pad_to_bounding_box(image, 1, 0, 4, 5), np.pad(x, [(1, 1), (0, 1), (0, 0)])),
        ):
            np.testing.assert_array_equal(session.run(result, {image: x}), want)
        with pytest.raises(tf.errors.InvalidArgumentError, match="width must be >= target"):
            session.run(tf.image.crop_to_bounding_box(image, 0, 3, 2, 2), {image: x})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be > 0"):
            session.run(tf.image.flip_left_right(image), {image: x[:0]})


def test_boxes_of_images_that_are_not_there_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        crops = tf.image.crop_and_resize(np.zeros((1, 2, 2, 1), np.float32), [[0.0, 0, 1, 1]], [1], [2, 2])
        with pytest.raises(tf.errors.OutOfRangeError, match=r"outside \[0, batch_size\)"):
            session.run(crops)


def test_whitening_is_the_old_name_of_standardization():
    image = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    with tf.Graph().as_default(), tf.Session() as sess:
        with logs_deprecation(r"tf\.image\.per_image_standardization"):
            whitened = tf.image.per_image_whitening(image)
        np.testing.assert_allclose(sess.run(whitened), (image - image.mean()) / image.std(), rtol=1e-5)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("float16", "float16"),
        ("float64", "float64"),
        ("bfloat16", "bfloat16"),
        ("uint8", "float32"),
        ("int32", "float32"),
    ],
)
def test_standardized_floats_keep_their_type(given, found):
    image = tf.cast(np.arange(12).reshape(2, 2, 3), given)
    result = tf.image.per_image_standardization(image)
    assert result.dtype == found
    with tf.Session() as sess:
        # TensorFlow 1.15.5's number for float32.
        first = sess.run(tf.cast(result, tf.float64))[0, 0, 0]
    assert first == (-1.5932550430297852 if found in ("float32", "float64") else -1.59375)
