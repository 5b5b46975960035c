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


def _strings():
    return tf.placeholder(tf.string, [])


def _floats(rank):
    return tf.placeholder(tf.float32, [None] * rank)


_BEYOND = 1 << 31


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *(
            (lambda op=op: op(contents=_strings(), channels=_BEYOND), "Attr channels has value 2147483648 out of range")
            for op in (tf.raw_ops.DecodePng, tf.raw_ops.DecodeJpeg, tf.raw_ops.DecodeBmp)
        ),
        (
            lambda: tf.raw_ops.DecodeAndCropJpeg(
                contents=_strings(), crop_window=tf.placeholder(tf.int32), channels=_BEYOND
            ),
            "Attr channels has value 2147483648 out of range",
        ),
        (
            lambda: tf.raw_ops.Mfcc(spectrogram=_floats(3), sample_rate=16000, dct_coefficient_count=_BEYOND),
            "Attr dct_coefficient_count has value 2147483648 out of range",
        ),
        (
            lambda: tf.raw_ops.AudioSpectrogram(input=_floats(2), window_size=4, stride=_BEYOND),
            "Attr stride has value 2147483648 out of range",
        ),
        (
            lambda: tf.raw_ops.AudioSpectrogram(input=_floats(2), window_size=_BEYOND, stride=4),
            "Attr window_size has value 2147483648 out of range",
        ),
        (
            lambda: tf.raw_ops.StringFormat(inputs=[_floats(1)], template="%s %s"),
            "num placeholders in template and num inputs must match: 2 vs. 1",
        ),
        (
            lambda: tf.raw_ops.ExtractGlimpse(
                input=_floats(4), size=[2, 2], offsets=_floats(2), uniform_noise=True, noise="zero"
            ),
            "The uniform_noise and noise should not be specified at the same time",
        ),
        *(
            (
                lambda padding=padding: tf.raw_ops.Conv2D(
                    input=tf.placeholder(tf.float32),
                    filter=tf.placeholder(tf.float32),
                    strides=[1] * 4,
                    padding=padding,
                    explicit_paddings=[0] * 8,
                ),
                "explicit_paddings attribute must be empty",
            )
            for padding in ("SAME", "VALID")
        ),
        (
            lambda: tf.raw_ops.ParseSingleSequenceExample(
                serialized=_strings(),
                feature_list_dense_missing_assumed_empty=tf.constant([], tf.string),
                context_sparse_keys=[],
                context_dense_keys=[],
                feature_list_sparse_keys=[tf.constant("a")],
                feature_list_dense_keys=[],
                context_dense_defaults=[],
                debug_name=_strings(),
                feature_list_sparse_types=[],
            ),
            r"len\(feature_list_sparse_keys\) != len\(feature_list_sparse_types\)",
        ),
        (
            lambda: tf.raw_ops.RaggedTensorToTensor(
                shape=[2, 2],
                values=_floats(1),
                default_value=0.0,
                row_partition_tensors=[tf.placeholder(tf.int64, [])],
                row_partition_types=["ROW_SPLITS"],
            ),
            "Row partition must be a vector",
        ),
        (
            lambda: tf.raw_ops.NonMaxSuppressionWithOverlaps(
                overlaps=tf.zeros([2, 3]),
                scores=_floats(1),
                max_output_size=2,
                overlap_threshold=0.5,
                score_threshold=0.0,
            ),
            "Dimensions must be equal, but are 2 and 3",
        ),
        (
            lambda: tf.raw_ops.MatrixDiagV2(diagonal=[1.0], k=0, num_rows=1, num_cols=1, padding_value=[0.0]),
            "Shape must be rank 0 but is rank 1",
        ),
        (
            lambda: tf.raw_ops.ReduceJoin(inputs=["a"], reduction_indices=[[0]]),
            "Shape must be at most rank 1 but is rank 2",
        ),
        *(
            (
                lambda shape=shape: tf.raw_ops.RaggedTensorToTensor(
                    shape=tf.placeholder(tf.int32, []) if shape is None else shape,
                    values=_floats(1),
                    default_value=0.0,
                    row_partition_tensors=[tf.placeholder(tf.int64, [None])],
                    row_partition_types=["ROW_SPLITS"],
                ),
                message,
            )
            for shape, message in (
                (3, "invalid shape scalar with a static value that is not '-1'"),
                (None, "shape scalar with unknown static value"),
            )
        ),
    ],
)
def test_an_attribute_that_no_step_can_take_is_refused_when_the_graph_is_built(call, message):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("distance", [2, 3])
def test_the_distance_along_channels_of_windows_of_one_channel_counts_for_no_maximum(distance):
    x = np.random.RandomState(distance).rand(1, 4, 4, 6).astype(np.float32)
    sizes = {"ksize": [1, 2, 2, 1], "padding": "VALID"}
    with tf.Graph().as_default(), tf.Session() as session:
        for fed in (tf.placeholder(tf.float32), tf.constant(x)):
            found = [
                [
                    tf.raw_ops.MaxPool(input=fed, strides=[1, 2, 2, channels], **sizes),
                    tf.raw_ops.MaxPoolV2(input=fed, ksize=sizes["ksize"], strides=[1, 2, 2, channels], padding="VALID"),
                    *tf.raw_ops.MaxPoolWithArgmax(input=fed, strides=[1, 2, 2, channels], **sizes),
                ]
                for channels in (1, distance)
            ]
            for one, other in zip(*session.run(found, {fed: x}), strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("size", [0, -1])
def test_a_maximum_names_the_dimension_in_which_windows_have_no_size(size):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        pooled = tf.raw_ops.MaxPool(input=x, ksize=[size, 1, 2, 1], strides=[1] * 4, padding="SAME")
        with pytest.raises(tf.errors.InvalidArgumentError, match="Sliding window ksize for dimension 0 was zero"):
            session.run(pooled, {x: np.zeros([1, 2, 2, 1])})


def test_an_empty_element_is_gathered_with_others_of_any_shape():
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, 2, infer_shape=False)
        both = array.write(0, tf.zeros([0, 2])).write(1, tf.ones([3, 2]))
        assert session.run(both.gather([0, 1])).shape == (2, 0, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="inconsistent shapes"):
            session.run(both.gather([1, 0]))


def test_a_default_of_a_column_is_no_matrix():
    with tf.Graph().as_default(), tf.Session() as session:
        default = tf.placeholder(tf.float32)
        (column,) = tf.raw_ops.DecodeCSV(records=["1"], record_defaults=[default])
        with pytest.raises(tf.errors.InvalidArgumentError, match="should be at most rank 1"):
            session.run(column, {default: [[1.0]]})


def test_a_gradient_of_no_rows_has_none_whatever_the_indices_are():
    with tf.Graph().as_default(), tf.Session() as session:
        for op in (tf.raw_ops.SparseSegmentMeanGrad, tf.raw_ops.SparseSegmentSqrtNGrad):
            rows = op(grad=tf.ones([1, 3]), indices=[0, 5], segment_ids=[0, 0], output_dim0=0)
            assert session.run(rows).shape == (0, 3)


@pytest.mark.parametrize(
    "z", [complex(0, np.inf), complex(-np.inf, -1), complex(np.inf, np.inf), complex(np.nan, np.inf)]
)
def test_infinite_complex_numbers_have_the_limits_of_inverse_tangents(z):
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run([tf.atanh(tf.constant(z)), tf.atan(tf.constant(z))])
        np.testing.assert_allclose(found, [np.arctanh(z), np.arctan(z)])


def test_more_segments_than_there_is_memory_for_end_no_process():
    with tf.Graph().as_default(), tf.Session() as session:
        count = tf.placeholder(tf.int32, [])
        joined = tf.raw_ops.UnsortedSegmentJoin(inputs=[["a"] * 99], segment_ids=[0], num_segments=count)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            session.run(joined, {count: (1 << 31) - 1})
