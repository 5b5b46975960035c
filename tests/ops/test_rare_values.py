"""Values where TensorFlow 1.15's are a choice: poles, roots that are not real, bounds in the wrong order."""

import numpy as np
import pytest

import ferroflow as tf


def run(build):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_digamma_is_infinite_at_its_poles(dtype):
    poles = [0.0, -0.0, -1.0, -2.0, -np.inf]
    assert run(lambda: tf.digamma(tf.constant(poles, dtype))).tolist() == [np.inf] * 5


def test_the_truncated_quotient_of_floats_is_not_truncated():
    found = run(lambda: tf.truncatediv(tf.constant([-7.0, 7.0, 1.0]), tf.constant([2.0, -2.0, 0.0])))
    assert found.tolist() == [-3.5, -3.5, np.inf]


@pytest.mark.parametrize("matrix", [[[5.0, -0.5], [-0.9, -1.0]], [[-1.0, 0.0], [0.0, -1.0]], [[-2.0]]])
def test_a_real_matrix_without_a_real_principal_root_has_none(matrix):
    assert np.isnan(run(lambda: tf.raw_ops.MatrixSquareRoot(input=tf.constant(matrix)))).all()
    complex_root = run(lambda: tf.raw_ops.MatrixSquareRoot(input=tf.constant(matrix, tf.complex128)))
    np.testing.assert_allclose(complex_root @ complex_root, matrix, atol=1e-9)


def test_a_rotation_has_a_real_root():
    root = run(lambda: tf.raw_ops.MatrixSquareRoot(input=tf.constant([[0.0, -1.0], [1.0, 0.0]])))
    np.testing.assert_allclose(root @ root, [[0, -1], [1, 0]], atol=1e-6)


def test_the_inputs_gradient_of_given_moments_does_not_read_the_inputs():
    x = np.full([1, 2, 1, 2], np.inf, np.float32)
    x[0, 1] = np.nan
    g = np.array([1.0, 2.0, 3.0, 4.0], np.float32).reshape(x.shape)
    scale, mean, variance = [2.0, 3.0], [np.nan, 0.5], [4.0, 9.0]
    found = run(
        lambda: tf.raw_ops.FusedBatchNormGrad(
            y_backprop=g,
            x=x,
            scale=tf.constant(scale),
            reserve_space_1=tf.constant(mean),
            reserve_space_2=tf.constant(variance),
            epsilon=0.0,
            is_training=False,
        )[0]
    )
    np.testing.assert_allclose(found, g, rtol=1e-6)


def test_elements_count_for_both_bounds_that_are_in_the_wrong_order():
    def build():
        return tf.raw_ops.FakeQuantWithMinMaxVarsGradient(
            gradients=tf.ones([3]),
            inputs=tf.constant([-9.0, 0.9, 9.0]),
            min=tf.constant(1.8),
            max=tf.constant(-0.02),
            num_bits=2,
        )

    by_inputs, by_min, by_max = run(build)
    # Made with TensorFlow 1.15.5.
    assert (by_inputs.tolist(), by_min, by_max) == ([0.0, 0.0, 0.0], 2.0, 2.0)


def test_windows_that_do_not_move_are_refused_when_they_are_made():
    sizes = {"ksizes": [1, 2, 2, 1], "strides": [1, 0, 1, 1], "rates": [1, 1, 1, 1]}
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Stride must be > 0, but got 0"):
        tf.extract_image_patches(tf.zeros([1, 4, 4, 1]), padding="VALID", **sizes)


@pytest.mark.parametrize("function", [tf.nn.softplus, tf.nn.softsign])
def test_activations_of_whole_numbers_are_refused_when_they_are_made(function):
    with tf.Graph().as_default(), pytest.raises(TypeError, match="not in list of allowed values"):
        function(tf.constant([1, 2]))


def test_groups_that_a_pattern_lacks_are_empty_and_malformed_rewrites_end_early():
    for pattern, rewrite, replace_global, expected in [
        ("^", r"<\1>", True, [b"<>abcb", b"<>"]),
        ("b", r"<\9>", False, [b"a<>cb", b""]),
        ("(b)(c)?", r"\3\1", True, [b"abb", b""]),
        ("b", "a\\", True, [b"aaca", b""]),
        ("b", "a\\", False, [b"abcb", b""]),
        ("b", r"\x", True, [b"ac", b""]),
    ]:
        got = run(lambda p=pattern, r=rewrite, g=replace_global: tf.regex_replace(["abcb", ""], p, r, replace_global=g))
        assert got.tolist() == expected, (pattern, rewrite, replace_global)


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64], ids=str)
def test_what_is_rounded_up_to_zero_has_no_sign(dtype):
    rounded, by_rint = run(
        lambda: (
            tf.round(tf.constant([-0.4, -0.5, -0.0, 0.4, -1.5], dtype)),
            tf.rint(tf.constant([-0.4, -0.0], tf.float32)),
        )
    )
    assert [str(v) for v in rounded.tolist()] == ["0.0", "0.0", "-0.0", "0.0", "-2.0"]
    assert [str(v) for v in by_rint.tolist()] == ["-0.0", "-0.0"]


def test_a_norm_of_single_elements_is_a_change_of_shape():
    assert run(lambda: tf.math.reduce_euclidean_norm(tf.constant([[-3.0], [2.0]]), axis=1)).tolist() == [-3.0, 2.0]


@pytest.mark.parametrize(
    ("pixel", "saturated", "turned"),
    [
        ([0.2, 0.2, -np.inf], [0, 0, 0], [0.2, -np.inf, np.nan]),
        ([0.2, 0.5, np.nan], [0.35, 0.35, 0.35], [0.5, 0.2, np.nan]),
        ([0.2, np.nan, 0.5], [0.2, 0.2, 0.2], [0.5, np.nan, np.nan]),
        ([0.5, np.inf, 0.2], [np.nan, np.nan, np.nan], [0.2, np.inf, np.inf]),
        ([np.nan, 0.2, 0.5], [np.nan, np.nan, np.nan], [np.nan, 0.2, np.nan]),
    ],
    ids=str,
)
def test_pixels_with_nan_have_tensorflows_colours(pixel, saturated, turned):
    picture = np.array([[pixel]], np.float32)
    got = run(lambda: (tf.image.adjust_saturation(picture, 0.5), tf.image.adjust_hue(picture, 0.1)))
    np.testing.assert_allclose(got[0][0, 0], saturated, rtol=1e-5)
    np.testing.assert_allclose(got[1][0, 0], turned, rtol=1e-5)


def test_the_graph_takes_axes_of_sparse_sums_modulo_the_rank():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.SparseTensor([[0, 1], [2, 3]], [8, 2], [3, 4])
        largest = tf.sparse_reduce_max(x, axis=[2, 2], keep_dims=True)
        assert largest.shape.as_list() == [1, 4]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid reduction dimension 2"):
            session.run(largest)
