"""Values and types of rare arguments, as TensorFlow 1.15.5 gives them."""

from __future__ import annotations

import os
from pathlib import Path

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


@pytest.mark.parametrize("is_fed", [True, False])
def test_quantized_arrays_keep_their_type(is_fed):
    levels = np.array([0, 51, 255], np.uint8).view(tf.quint8.as_numpy_dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.quint8, [3]) if is_fed else tf.constant(levels, tf.quint8)
        y = tf.raw_ops.QuantizedRelu(features=x, min_features=0.0, max_features=255.0)[0]
        found = session.run(y, {x: levels} if is_fed else None)
    assert found.view(np.uint8).tolist() == [0, 51, 255]


@pytest.mark.parametrize(("each", "expected"), [(1, [1, 2, 4, 7, 6, 0, 3, 5]), (2, [1, 2, 4, 7])])
def test_boxes_of_equal_scores_are_selected_in_the_order_of_a_heap(each, expected):
    boxes = np.float32([[2 * (i // each), 0, 2 * (i // each) + 1, 1] for i in range(8)])
    scores = np.float32([0.5, 0.9, 0.9, 0.5, 0.9, 0.2, 0.5, 0.9])
    assert _run(lambda: tf.image.non_max_suppression(boxes, scores, 9)).tolist() == expected


@pytest.mark.parametrize(("threshold", "expected"), [(0.0, [2]), (0.5, [2, 1]), (0.50001, [2, 1, 0])])
def test_a_box_that_overlaps_by_the_threshold_is_dropped(threshold, expected):
    boxes, scores = np.float32([[0, 0, 1, 1], [2, 2, 3, 3], [0, 0, 1, 2]]), np.float32([0.5, 0.6, 0.7])
    assert _run(lambda: tf.image.non_max_suppression(boxes, scores, 9, threshold)).tolist() == expected


def test_a_box_with_nan_is_selected_last():
    boxes = np.float32([[np.nan, 0, 1, 1], [0, 0, 1, 1], [5, 5, 6, 6], [0, 0, 1, 1.5]])
    found = _run(lambda: tf.image.non_max_suppression(boxes, np.float32([0.7, 0.8, 0.5, 0.6]), 3))
    assert found.tolist() == [1, 2, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_poles_of_zeta_are_infinite(dtype):
    x, q = np.array([3, 3, 3, 2.5, np.inf], dtype), np.array([0, -0.0, -2, -1, -0.5], dtype)
    assert np.isposinf(_run(lambda: tf.zeta(x, q))).all()
    assert np.isneginf(_run(lambda: tf.polygamma(dtype(2), dtype(-1))))


@pytest.mark.parametrize("mask", [3, -1])
def test_bits_beyond_the_entries_count_as_ellipses(mask):
    nothing = np.zeros([0], np.int32)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Multiple ellipses"):
        tf.strided_slice(tf.constant(0), nothing, nothing, nothing, ellipsis_mask=mask)


def test_a_negative_number_of_true_classes_fits_no_matrix():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimension must be -1 but is 2"):
        tf.nn.compute_accidental_hits(np.int64([[0, 1]]), np.int64([1]), -1)


@pytest.mark.parametrize(
    ("words", "splits", "expected"),
    [([], [0, 0], []), ([b"a"], [], [b""]), ([], [], [])],
    ids=["words", "splits", "both"],
)
def test_n_grams_of_nothing_have_no_text(words, splits, expected):
    options = {"ngram_widths": [2], "left_pad": "<", "right_pad": ">", "pad_width": 1}
    n_grams, ends = _run(
        lambda: tf.raw_ops.StringNGrams(
            data=np.array(words, "S"),
            data_splits=np.int64(splits),
            separator="|",
            preserve_short_sequences=False,
            **options,
        )
    )
    assert n_grams.tolist() == expected
    assert ends.tolist() == splits


def test_gradients_that_no_element_takes_are_an_error():
    with pytest.raises(tf.errors.InternalError, match="all propagated"):
        _run(
            lambda: tf.raw_ops.SparseSliceGrad(
                backprop_val_grad=np.float32([1, 2]),
                input_indices=np.int64([[0, 0], [0, 1], [1, 1]]),
                input_start=np.int64([1, 0]),
                output_indices=np.int64([[0, 0], [1, 0]]),
            )
        )


@pytest.mark.parametrize("op", ["ApplyFtrl", "ResourceApplyFtrl", "ApplyProximalAdagrad"])
@pytest.mark.parametrize(
    ("scalar", "number", "message"),
    [
        ("lr", 0.0, "lr is not a positive scalar"),
        ("l1", -0.5, "l1 regularization strength is not a non-negative scalar"),
        ("l2", np.nan, "l2 regularization strength is not a non-negative scalar"),
        ("lr_power", 0.5, "lr_power is not a non-positive scalar"),
    ],
)
def test_scalars_have_their_signs(op, scalar, number, message):
    is_ftrl, is_resource = op.endswith("Ftrl"), op.startswith("Resource")
    if scalar == "lr_power" and not is_ftrl:
        pytest.skip("FTRL alone has this scalar")
    with tf.Graph().as_default(), tf.Session() as session:
        names = ("var", "accum", "linear") if is_ftrl else ("var", "accum")
        variables = [tf.get_variable(name, [2], use_resource=is_resource) for name in names]
        targets = [variable.handle if is_resource else variable._ref() for variable in variables]
        scalars = {"lr": 0.1, "l1": 0.1, "l2": 0.1, **({"lr_power": -0.5} if is_ftrl else {}), scalar: number}
        given = {**dict(zip(names, targets, strict=True)), **{k: np.float32(v) for k, v in scalars.items()}}
        update = getattr(tf.raw_ops, op)(grad=np.float32([1, 2]), **given)
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(update)


def test_a_vector_of_indices_names_slices_of_a_variable_along_its_first_dimension():
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.get_variable("v", [3, 2], initializer=tf.zeros_initializer())
        indices, updates = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
        update = tf.scatter_nd_add(variable, indices, updates)
        session.run(tf.global_variables_initializer())
        found = session.run(update, {indices: [0, 2], updates: [[1, 2], [3, 4]]})
        assert found.tolist() == [[1, 2], [0, 0], [3, 4]]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Must have updates\.shape"):
            session.run(update, {indices: [0, 1], updates: 1.0})


def test_parts_of_a_split_tensor_have_its_rank():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shapes must be equal rank"):
        tf.raw_ops.TensorListSplit(tensor=np.zeros([3, 2], np.float32), element_shape=[2], lengths=np.int64([1, 2]))


@pytest.mark.parametrize(
    ("shape", "leading", "expected"), [([2, 1], [], [2, 2]), ([-1, 1], [], [2, 2]), ([2, 1], [5, 3], [2, 3])]
)
def test_an_unset_element_has_the_first_dimension_that_is_stated(shape, leading, expected):
    kind = {"element_dtype": tf.float32}

    def make():
        reserved = tf.raw_ops.TensorListReserve(element_shape=[2, 1], num_elements=2, **kind)
        handle = tf.raw_ops.TensorListSetItem(input_handle=reserved, index=0, item=np.ones([2, 1], np.float32))
        lengths = np.array(leading, np.int64)
        return tf.raw_ops.TensorListConcatV2(input_handle=handle, element_shape=shape, leading_dims=lengths, **kind)

    joined, lengths = _run(make)
    assert joined.tolist() == [[1]] * 2 + [[0]] * expected[1]
    assert lengths.tolist() == expected


def test_static_shapes_of_quantized_joins_and_diagonals_are_known():
    with tf.Graph().as_default():
        parts = [tf.bitcast(np.zeros([2, n], np.uint8), tf.quint8) for n in (1, 2)]
        ends = [np.float32(0)] * 2, [np.float32(1)] * 2
        joined = tf.raw_ops.QuantizedConcat(concat_dim=1, values=parts, input_mins=ends[0], input_maxes=ends[1])
        assert joined[0].shape.as_list() == [2, 3]
        unknown = tf.placeholder(tf.float32)
        made = tf.raw_ops.MatrixSetDiagV2(input=unknown, diagonal=np.zeros([4, 2, 3], np.float32), k=[0, 1])
        assert made.shape.as_list() == [4, None, None]


def test_a_central_crop_of_known_height_and_width_reads_no_shape():
    with tf.Graph().as_default() as graph:
        tf.image.central_crop(tf.placeholder(tf.float64, [None, 3, 5, None]), 0.5)
        assert len(graph.get_operations()) == 27


@pytest.mark.parametrize("op", ["Transpose", "ConjugateTranspose"])
@pytest.mark.parametrize(("perm", "rank"), [([], None), ([0], None), ([1], None), ([-1], None), ([1, 0], 2)])
def test_one_place_does_not_tell_the_rank_of_what_is_transposed(op, perm, rank):
    with tf.Graph().as_default():
        y = getattr(tf.raw_ops, op)(x=tf.placeholder(tf.float32), perm=np.int32(perm))
        assert y.shape.ndims == rank


@pytest.mark.parametrize(("perm", "shape"), [([1], []), ([-1], []), ([-1], [2, 2]), ([0], [2, 2]), ([], [3])])
def test_the_length_of_a_permutation_is_checked_before_its_places(perm, shape):
    expected = f"vector of size {len(shape)}. But input.1. is a vector of size {len(perm)}"
    with pytest.raises(tf.errors.InvalidArgumentError, match=expected):
        _run(lambda: tf.transpose(tf.placeholder_with_default(np.ones(shape, np.float32), None), perm))


@pytest.mark.parametrize("nodes", [[7, 2], [-1, -1], [-3, -5], [3, 3]])
def test_ranges_without_nodes_have_no_splits_wherever_they_lie(nodes):
    penalties = {"l1": 0.1, "l2": 0.1, "tree_complexity": 0.1, "min_node_weight": 0.1}
    stats = np.ones([2, 2, 3, 2], np.float32)
    splits = _run(
        lambda: tf.raw_ops.BoostedTreesCalculateBestFeatureSplit(
            node_id_range=nodes, stats_summary=stats, logits_dimension=1, **penalties
        )
    )
    gains = _run(
        lambda: tf.raw_ops.BoostedTreesCalculateBestGainsPerFeature(
            node_id_range=nodes, stats_summary_list=[stats[0]], max_splits=2, **penalties
        )
    )
    assert [len(part) for part in splits] == [0] * 7
    assert [len(part[0]) for part in gains] == [0] * 5


@pytest.mark.parametrize("grads", [[1, 2, 2, 1], [0, 2, 2, 1], [1, 0, 2, 1], [1, 2, 2, 0]])
@pytest.mark.parametrize("original", [[1, 3, 3, 1], [1, 0, 3, 1], [1, 3, 0, 1], [1, 3, 3, 0]])
def test_scaled_images_without_pixels_have_gradients(grads, original):
    found = _run(
        lambda: tf.raw_ops.ScaleAndTranslateGrad(
            grads=np.ones(grads, np.float32),
            original_image=np.ones(original, np.float32),
            scale=[0.7, 1.3],
            translation=[0.2, -0.5],
        )
    )
    assert found.shape == (grads[0], *original[1:3], grads[3])
    assert found.any() == (grads == [1, 2, 2, 1] and found.size > 0)


@pytest.mark.parametrize(
    ("shape", "size", "message"),
    [
        ([1, 0, 2, 1], [2, 2], "input image must be of non-zero size"),
        ([1, 0, 2, 1], [0, 2], "output dimensions must be positive"),
        ([1, 2, 2, 0], [-1, 2], "output dimensions must be positive"),
        ([1, 2, 2, 0], [2, 2], "at least one channel"),
    ],
)
def test_images_that_cannot_be_scaled_are_refused(shape, size, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        _run(
            lambda: tf.raw_ops.ScaleAndTranslate(
                images=tf.placeholder_with_default(np.ones(shape, np.float32), [None] * 4),
                size=tf.placeholder_with_default(np.int32(size), [2]),
                scale=[0.7, 1.3],
                translation=[0.2, -0.5],
            )
        )


def test_vocabularies_are_read_from_files_whose_names_are_any_bytes(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xe9\xff"
    Path(os.fsdecode(name)).write_bytes(b"a\nb\n")

    def found():
        table = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64)
        filled = tf.raw_ops.InitializeTableFromTextFileV2(
            table_handle=table, filename=name, key_index=-2, value_index=-1
        )
        with tf.control_dependencies([filled]):
            return tf.raw_ops.LookupTableFindV2(table_handle=table, keys=["b"], default_value=np.int64(9))

    assert _run(found).tolist() == [1]
    remapping, count = _run(
        lambda: tf.raw_ops.GenerateVocabRemapping(
            new_vocab_file=name, old_vocab_file=name, new_vocab_offset=0, num_new_vocab=2
        )
    )
    assert (remapping.tolist(), count) == ([0, 1], 2)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
@pytest.mark.parametrize("low", [[2, 2, -1], 2])
@pytest.mark.parametrize("high", [[-3, -3, 1], -3])
def test_the_lower_bound_of_a_clip_counts_last(dtype, low, high):
    x, low, high = (np.array(values, dtype) for values in ([0, 5, 0], low, high))
    found = _run(lambda: tf.raw_ops.ClipByValue(t=x, clip_value_min=low, clip_value_max=high))
    assert found.tolist() == np.maximum(np.minimum(x, high), low).tolist()


@pytest.mark.parametrize("low", [[2, 2, -1, 0, 1], 2, -4])
@pytest.mark.parametrize("high", [[-3, -3, 1, 0, 1], -3, 3])
def test_gradients_of_a_clip_are_those_of_its_minimum_and_maximum(low, high):
    def gradients():
        xs = [tf.constant(values, tf.float32) for values in ([0, 5, 0, 0, -1], low, high)]
        clips = tf.raw_ops.ClipByValue(t=xs[0], clip_value_min=xs[1], clip_value_max=xs[2]), tf.clip_by_value(*xs)
        return [tf.gradients(clip, xs, tf.constant([1.0, 2, 4, 8, 16])) for clip in clips]

    of_op, of_function = _run(gradients)
    for found, expected in zip(of_op, of_function, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("op", ["Sum", "Prod", "Max", "Min"])
def test_ids_of_rows_without_elements_are_not_read(op):
    def segments():
        ids = tf.placeholder_with_default(tf.constant([2, 0, 2, -4, 1]), [5])
        return getattr(tf.raw_ops, f"UnsortedSegment{op}")(data=tf.zeros([5, 0]), segment_ids=ids, num_segments=0)

    assert _run(segments).shape == (0, 0)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (["a"], [227, 117, 223, 182, 101, 66, 69, 179]),
        ([["a"]], [227, 117, 223, 182, 101, 66, 69, 179]),
        ([["ab", "cd"]], [219, 37, 118, 251, 208, 176, 236, 56]),
    ],
)
def test_a_slice_of_one_string_has_the_fingerprint_of_the_string(data, expected):
    assert _run(lambda: tf.raw_ops.Fingerprint(data=data, method="farmhash64")).tolist() == [expected]


@pytest.mark.parametrize(
    ("lengths", "real", "inverse"),
    [([2, 3, -1], [2, 3, 1], [2, 3, None]), ([2, -1, 3], [2, None, 2], [2, None, 3]), ([2, 3, -5], [2, 3, None], None)],
)
def test_a_length_of_minus_one_is_unknown_until_the_step(lengths, real, inverse):
    with tf.Graph().as_default(), tf.Session() as session:
        transform = tf.raw_ops.RFFT3D(input=tf.zeros([2, 3, 4]), fft_length=lengths)
        assert transform.shape.as_list() == real
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be >= 0"):
            session.run(transform)
        spectrum = tf.zeros([2, 3, 4], tf.complex64)
        if inverse is None:
            with pytest.raises(ValueError, match="Dimension -5 must be >= 0"):
                tf.raw_ops.IRFFT3D(input=spectrum, fft_length=lengths)
        else:
            assert tf.raw_ops.IRFFT3D(input=spectrum, fft_length=lengths).shape.as_list() == inverse


@pytest.mark.parametrize("size", [0, 2])
def test_a_given_range_is_checked_though_nothing_is_quantized(size):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid range: input_min -18 > input_max -75"):
        _run(lambda: tf.quantization.quantize_and_dequantize(tf.zeros([size]), -18.0, -75.0, range_given=True))
