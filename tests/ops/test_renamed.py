"""Functions that TensorFlow 1.13 to 1.15 added, and older ones under the names that these versions gave them."""

import pkgutil

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf


def value(tensor, feed=None):
    with tf.Session() as sess:
        return sess.run(tensor, feed)


@pytest.mark.parametrize(
    ("later", "older"),
    [
        ("tensor_scatter_nd_update", "tensor_scatter_update"),
        ("tensor_scatter_nd_add", "tensor_scatter_add"),
        ("tensor_scatter_nd_sub", "tensor_scatter_sub"),
        ("queue.FIFOQueue", "FIFOQueue"),
        ("queue.PriorityQueue", "PriorityQueue"),
        ("io.RandomShuffleQueue", "RandomShuffleQueue"),
        ("io.serialize_sparse", "serialize_sparse"),
        ("io.write_graph", "train.write_graph"),
        ("random.uniform_candidate_sampler", "nn.uniform_candidate_sampler"),
        ("graph_util.import_graph_def", "import_graph_def"),
        ("dtypes.as_string", "as_string"),
        ("data.experimental.SqlDataset", "contrib.data.SqlDataset"),
        ("data.experimental.TFRecordWriter", "contrib.data.TFRecordWriter"),
        ("io.match_filenames_once", "train.match_filenames_once"),
        ("contrib.layers.regression_target", "contrib.layers.python.layers.target_column.regression_target"),
        ("initializers.tables_initializer", "tables_initializer"),
        ("quantization.quantized_concat", "quantized_concat"),
        ("nn.conv1d_transpose", "contrib.nn.conv1d_transpose"),
        ("nn.depthwise_conv2d_backprop_input", "nn.depthwise_conv2d_native_backprop_input"),
        ("nn.depthwise_conv2d_backprop_filter", "nn.depthwise_conv2d_native_backprop_filter"),
        ("autograph.to_code", "contrib.autograph.to_code"),
        ("autograph.experimental.do_not_convert", "contrib.autograph.do_not_convert"),
    ],
)
def test_a_later_name_is_the_same_function(later, older):
    assert pkgutil.resolve_name(f"ferroflow.{later}") is pkgutil.resolve_name(f"ferroflow.{older}")


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.data())
def test_shifts_are_numpys_and_undo_each_other(dims, data):
    axes = data.draw(st.one_of(st.none(), st.lists(st.integers(-len(dims), len(dims) - 1), min_size=1, max_size=2)))
    known = data.draw(st.booleans())
    x = np.arange(np.prod(dims)).reshape(dims)
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.int64, dims if known else [None] * len(dims))
        there, back = tf.signal.fftshift(fed, axes), tf.signal.ifftshift(fed, axes)
        both = tf.signal.ifftshift(there, axes)
        got = value([there, back, both], {fed: x})
    np.testing.assert_array_equal(got[0], np.fft.fftshift(x, axes))
    np.testing.assert_array_equal(got[1], np.fft.ifftshift(x, axes))
    np.testing.assert_array_equal(got[2], x)


@pytest.mark.parametrize(("axes", "error"), [(5, IndexError), ([-3], IndexError), ("a", TypeError), (1.5, TypeError)])
def test_axes_of_shifts_are_integers_of_the_input(axes, error):
    with pytest.raises(error):
        tf.signal.fftshift(tf.ones([3, 4]), axes)


def test_a_shift_of_all_axes_needs_the_rank():
    with pytest.raises(ValueError, match="rank"):
        tf.signal.fftshift(tf.placeholder(tf.float32))


@pytest.mark.parametrize(
    ("order", "axis", "norms"),
    [("euclidean", 1, [[5.0], [13.0]]), (1, 0, [[8.0, 16.0]]), ("euclidean", None, [[np.sqrt(194)]])],
)
def test_vectors_are_divided_by_their_norms(order, axis, norms):
    x = np.array([[3.0, 4.0], [5.0, 12.0]])
    quotient, length = tf.linalg.normalize(tf.constant(x), order, axis)
    assert (quotient.op.name, length.op.name.split("/")[0]) == ("normalize/truediv", "normalize")
    got, lengths = value([quotient, length])
    np.testing.assert_allclose(lengths, norms)
    np.testing.assert_allclose(got, x / np.array(norms))
    complex_quotient = value(tf.linalg.normalize(tf.constant([3 + 4j]))[0])
    assert complex_quotient.dtype == np.complex128
    np.testing.assert_allclose(complex_quotient, [0.6 + 0.8j])


def test_functions_of_tensors_are_converted():
    def doubled_if_positive(a):
        if a > 0:
            a = a * 2
        return a

    converted = tf.autograph.to_graph(doubled_if_positive)
    assert value([converted(tf.constant(4)), converted(tf.constant(-4))]) == [8, -4]
