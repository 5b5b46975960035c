"""Sizes that are no lists have errors that name them, and tensors of unknown rank or without channels are taken."""

import numpy as np
import pytest

import ferroflow as tf


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: tf.extract_volume_patches(tf.zeros([1, 2, 2, 2, 1]), None, [1] * 5, "SAME"), "ksizes"),
        (lambda: tf.extract_volume_patches(tf.zeros([1, 2, 2, 2, 1]), [1] * 5, 3, "SAME"), "strides"),
        (lambda: tf.nn.dilation2d(tf.zeros([1, 2, 2, 1]), tf.zeros([1, 1, 1]), None, [1] * 4, "SAME"), "strides"),
        (lambda: tf.nn.erosion2d(tf.zeros([1, 2, 2, 1]), tf.zeros([1, 1, 1]), [1] * 4, None, "SAME"), "rates"),
    ],
)
def test_an_attribute_that_is_no_list_is_named(call, argument):
    with tf.Graph().as_default(), pytest.raises(TypeError, match=rf"Expected list\(int\) for argument '{argument}'"):
        call()


@pytest.mark.parametrize("diagonals_format", ["compact", "sequence"])
@pytest.mark.parametrize("size", [0, 1, 4])
def test_a_tridiagonal_product_of_unknown_rank_is_that_of_the_matrix(diagonals_format, size):
    random = np.random.RandomState(size)
    rows, right = random.rand(3, size), random.rand(size, 2)
    upper, main, lower = rows
    matrix = np.diag(main) + np.diag(upper[:-1], 1) + np.diag(lower[1:], -1) if size else np.zeros([0, 0])
    with tf.Graph().as_default(), tf.Session() as session:
        compact, rhs = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
        diagonals = compact if diagonals_format == "compact" else [compact[i] for i in range(3)]
        product = tf.linalg.tridiagonal_matmul(diagonals, rhs, diagonals_format)
        np.testing.assert_allclose(session.run(product, {compact: rows, rhs: right}), matrix @ right)


def test_a_tridiagonal_matrix_of_unknown_rank_needs_its_size():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="size of the matrix needs to be known"):
        tf.linalg.tridiagonal_matmul(tf.placeholder(tf.float64), tf.zeros([2, 2], tf.float64), "matrix")


@pytest.mark.parametrize("shape", [[2, 3, 4, 5, 0], [0, 3, 4, 5, 1]])
def test_patches_of_volumes_without_elements_have_a_gradient(shape):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, shape)
        (gradient,) = tf.gradients(tf.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "SAME"), x)
        assert session.run(gradient, {x: np.zeros(shape)}).shape == tuple(shape)


@pytest.mark.parametrize(("given", "kept"), [(2.9, 2), (2e0, 2), (True, 1), (np.int64(3), 3)])
def test_a_number_for_an_int_is_its_whole_part(given, kept):
    with tf.Graph().as_default():
        assert tf.nn.lrn(tf.zeros([1, 1, 1, 4]), depth_radius=given).op.get_attr("depth_radius") == kept


@pytest.mark.parametrize("given", ["2", [1], float("nan"), float("inf")])
def test_other_values_for_an_int_are_refused(given):
    with tf.Graph().as_default(), pytest.raises(TypeError, match="Expected int for argument 'depth_radius'"):
        tf.nn.lrn(tf.zeros([1, 1, 1, 4]), depth_radius=given)
