"""Values and types of rare arguments, as TensorFlow 1.15.5 gives them."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf


def _run(make):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


@pytest.mark.parametrize(("shape", "axis"), [([0, 3], 1), ([2, 0, 3], 2)])
@pytest.mark.parametrize("index", [5, -1])
def test_indices_into_nothing_are_not_looked_at(shape, axis, index):
    found = _run(lambda: tf.gather(np.zeros(shape, np.float32), [index], axis=axis))
    assert found.shape == (*shape[:axis], 1)


@pytest.mark.parametrize("value", [3.0, b"text"])
@pytest.mark.parametrize("fed", [[0, -1], [7, 7]])
def test_a_scalar_is_its_own_reverse_whatever_axes_are_fed(value, fed):
    with tf.Graph().as_default(), tf.Session() as session:
        axes = tf.placeholder(tf.int32, [2])
        assert session.run(tf.reverse(tf.constant(value), axes), {axes: fed}) == value


@pytest.mark.parametrize("shape", [[3, 0], [0, 3]])
def test_rows_that_are_not_there_are_an_error_even_if_they_are_empty(shape):
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        _run(lambda: tf.gather(np.zeros(shape, np.float32), [5]))


def test_bytes_that_are_not_ascii_are_written_in_octal():
    assert _run(lambda: tf.strings.format("{}", tf.constant([b"\x00\x7f\x80", "\xe9"]))) == (
        b'["\\000\\177\\200" "\\303\\251"]'
    )


def test_steps_of_32_bits_are_rounded_as_floats():
    numbers = np.float32([1, -1, 0.3, 2.7])
    found = _run(lambda: tf.quantize_v2(numbers, -3.0, 3.0, tf.qint32, mode="MIN_FIRST")[0])
    assert found.tolist() == [715827904, -715827904, 214748384, 1932735360]


def test_ctc_ops_compute_in_float64():
    logits = np.random.RandomState(0).uniform(-1, 1, [4, 1, 3])
    lengths = np.int32([4])

    def make(dtype):
        x = tf.constant(logits, dtype)
        labels = tf.SparseTensor([[0, 0], [0, 1]], np.int32([0, 1]), [1, 2])
        (beam,), score = tf.nn.ctc_beam_search_decoder(x, lengths, beam_width=4)
        (best,), sums = tf.nn.ctc_greedy_decoder(x, lengths)
        return [tf.nn.ctc_loss(labels, x, lengths), score, sums, beam.values, best.values]

    short, long = _run(lambda: make(np.float32)), _run(lambda: make(np.float64))
    assert [v.dtype.name for v in long[:3]] == ["float64"] * 3
    for a, b in zip(short, long, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    assert not np.array_equal(short[0].astype(np.float64), long[0])


def test_dtypes_that_came_with_tensorflow_1_15():
    assert _run(lambda: tf.matmul(np.int64([[1 << 40]]), np.int64([[3]]))).tolist() == [[3 << 40]]
    assert _run(lambda: tf.bitcast(np.int32([-1]), tf.uint32)).tolist() == [2**32 - 1]
    assert _run(lambda: tf.abs(np.int8([-3, 4]))).tolist() == [3, 4]
    seeded = tf.raw_ops.StatelessRandomUniform
    assert _run(lambda: seeded(shape=[2], seed=[1, 2], dtype=tf.bfloat16)).shape == (2,)


def test_graphs_do_not_have_attributes_that_tensorflow_1_15_lacks():
    with tf.Graph().as_default() as graph:
        tf.spectral.irfft(tf.spectral.rfft(tf.zeros([4])))
        tf.nn.depthwise_conv2d(tf.zeros([1, 4, 4, 2]), tf.zeros([2, 2, 2, 1]), [1, 1, 1, 1], "SAME")
        nodes = {node.op: set(node.attr) for node in graph.as_graph_def().node}
    assert not nodes["RFFT"]
    assert not nodes["IRFFT"]
    assert nodes["DepthwiseConv2dNative"] == {"T", "strides", "padding", "data_format", "dilations"}


@pytest.mark.parametrize(
    "decompose",
    [
        tf.linalg.inv,
        tf.linalg.cholesky,
        lambda a: tf.linalg.qr(a)[1],
        lambda a: tf.linalg.svd(a)[0],
        lambda a: tf.linalg.eigh(a)[0],
    ],
    ids=["inv", "cholesky", "qr", "svd", "eigh"],
)
def test_matrices_of_half_precision_are_decomposed(decompose):
    a = np.array([[[4, 1, 0.5], [1, 3, 0.25], [0.5, 0.25, 2]], np.eye(3)], np.float16)
    with tf.Graph().as_default(), tf.Session() as session:
        half, single = session.run([decompose(tf.constant(a)), decompose(tf.constant(a, tf.float32))])
    assert half.dtype == np.float16
    np.testing.assert_allclose(half, single, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_singular_values_of_a_matrix_that_is_not_finite_are_no_numbers(number, dtype):
    matrices = np.array([[[1, 2], [3, number]], [[3, 0], [0, 2]]]).astype(dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        both, alone = session.run([tf.svd(matrices), tf.svd(matrices, compute_uv=False)])
    for values in (both[0], alone):
        assert np.isnan(values[0]).all()
        np.testing.assert_allclose(values[1], [3, 2], rtol=1e-3)
    assert np.isfinite(both[1][1]).all()


@pytest.mark.parametrize("ksize", [0, [0, 2], [0, 2, 2, 1], [1, 2, 2, 0]])
def test_windows_of_size_0_have_no_maximum(ksize):
    with pytest.raises(ValueError, match="ksize cannot be zero"):
        tf.nn.max_pool(np.zeros([2, 4, 4, 6], np.float32), ksize, 2, "SAME")
