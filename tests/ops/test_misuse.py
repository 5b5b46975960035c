"""Wrong arguments raise TensorFlow 1.15's class of error, and none of them is taken for something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def fresh_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def sparse() -> Any:
    return tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3])


def boxes() -> list[Any]:
    return [tf.zeros([3, 4]), tf.zeros([3]), 2]


REFUSED: dict[str, tuple[Callable[[], Any], Any, str]] = {
    "joined numbers": (
        lambda: tf.strings.reduce_join(tf.zeros([2]), 0),
        TypeError,
        "Input 'inputs' of 'ReduceJoin' Op has type float32 that does not match expected type of string",
    ),
    "thresholds of another dtype": (
        lambda: tf.image.non_max_suppression(*boxes(), score_threshold=tf.constant(1)),
        TypeError,
        "Input 'score_threshold' of 'NonMaxSuppressionV3' Op has type int32 that does not match type float32",
    ),
    "a quality that is no whole number": (
        lambda: tf.image.adjust_jpeg_quality(tf.zeros([2, 2, 3]), tf.constant(50.0)),
        TypeError,
        "Input 'quality' of 'EncodeJpegVariableQuality' Op has type float32 that does not match expected type of int32",
    ),
    "an example that is no string": (
        lambda: tf.parse_single_example(tf.constant(1), {"x": tf.FixedLenFeature([], tf.int64)}),
        TypeError,
        "Input 'serialized' of 'ParseSingleExample' Op has type int32 that does not match expected type of string",
    ),
    "a dimension that is True": (
        lambda: tf.sparse.split(sp_input=sparse(), num_split=2, axis=tf.constant(True)),
        TypeError,
        "Input 'split_dim' of 'SparseSplit' Op has type bool that does not match expected type of int64",
    ),
    "a dimension between two": (lambda: tf.sparse.expand_dims(sparse(), 1.5), TypeError, "axis must be an integer"),
    "a matrix norm of a scalar": (lambda: tf.norm(1.0, 2, [0, 1]), ValueError, "at least rank 2 but is rank 0"),
    "a matrix norm of a vector": (lambda: tf.norm([1.0], 2, [0, -1]), ValueError, "at least rank 2 but is rank 1"),
    "segments of other rows": (
        lambda: tf.strings.unsorted_segment_join(tf.constant(["a", "b"]), tf.constant([0, 1, 1]), 2),
        ValueError,
        "Dimensions must be equal, but are 2 and 3",
    ),
    "an axis before the first": (
        lambda: tf.gather(tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32), axis=-2),
        ValueError,
        "Shape must be at least rank 2 but is rank 1",
    ),
    "a kept dimension that is a number": (
        lambda: tf.strings.reduce_join(["a"], 0, keepdims=1e300),
        TypeError,
        "Expected bool for argument 'keep_dims'",
    ),
    "a key that is a tensor": (
        lambda: tf.strings.to_hash_bucket_strong(["a"], 10, tf.zeros([0], tf.int64)),
        TypeError,
        "Expected list.* for argument 'key'",
    ),
    "a range that is a text": (
        lambda: tf.image.sample_distorted_bounding_box([4, 5, 3], tf.zeros([1, 1, 4]), area_range=b"x"),
        TypeError,
        "Expected list.* for argument 'area_range'",
    ),
    "summaries in a dict": (
        lambda: tf.summary.merge({"x": tf.constant("")}),
        TypeError,
        "Expected list for 'inputs' argument to 'MergeSummary' Op",
    ),
    "a shape that is a matrix": (
        lambda: tf.zeros(tf.placeholder(tf.int32, [1, 1])),
        ValueError,
        "Shape must be rank 1 but is rank 2",
    ),
    "a dimension of a vector that is the second": (
        lambda: tf.squeeze(tf.placeholder(tf.float32, [None]), [1]),
        ValueError,
        r"squeeze_dims\[0\] not in \[-1,1\)",
    ),
    "slopes of a picture without columns": (
        lambda: tf.image.sobel_edges(tf.zeros([2, 4, 0, 3])),
        ValueError,
        "Negative dimension size caused by subtracting 3 from 2",
    ),
    "likeness of pictures smaller than the window": (
        lambda: tf.image.ssim(tf.placeholder(tf.float32, [None, None, None]), tf.zeros([12, 1, 1]), 1.0),
        ValueError,
        "Negative dimension size caused by subtracting 11 from 1",
    ),
    "samples at points of another dtype": (
        lambda: tf.contrib.resampler.resampler(tf.zeros([1, 2, 2, 1]), tf.zeros([1, 3, 2], tf.int32)),
        TypeError,
        "Input 'warp' of 'Resampler' Op has type int32 that does not match type float32",
    ),
    "samples of texts": (
        lambda: tf.contrib.resampler.resampler(tf.constant("x", shape=[1, 2, 2, 1]), tf.zeros([1, 3, 2])),
        TypeError,
        "Value passed to parameter 'data' has DataType string",
    ),
    "a warp of whole numbers": (
        lambda: tf.contrib.image.dense_image_warp(tf.zeros([1, 2, 2, 1], tf.int64), tf.zeros([1, 2, 2, 2])),
        TypeError,
        "image must be of a float dtype",
    ),
    "rates of a batch that are a matrix": (
        lambda: tf.contrib.training.resample_at_rate([tf.zeros([2])], tf.placeholder(tf.float32, [None, None])),
        ValueError,
        "must have rank 1",
    ),
    "a new dimension whose place is a text": (
        lambda: tf.sparse.expand_dims(sparse(), axis=tf.placeholder(tf.string, [])),
        TypeError,
        "axis must be of int32 or int64",
    ),
    "a new dimension beyond the last": (
        lambda: tf.sparse.expand_dims(sparse(), axis=tf.constant(5)),
        ValueError,
        r"Expected begin\[1\] in \[0, 2\], but got 5",
    ),
    "a correlation of truth values": (
        lambda: tf.contrib.metrics.streaming_pearson_correlation(tf.placeholder(tf.bool), tf.zeros([2, 3])),
        TypeError,
        "Value passed to parameter 'input' has DataType bool",
    ),
    "a correlation of float64": (
        lambda: tf.contrib.metrics.streaming_pearson_correlation(
            tf.placeholder(tf.float32), tf.placeholder(tf.float64)
        ),
        (TypeError, ValueError),
        "float64",
    ),
    "agreement of a scalar": (
        lambda: tf.contrib.metrics.cohen_kappa(tf.constant(1), tf.placeholder(tf.int32, [None]), 3),
        ValueError,
        "axis = 1 not in",
    ),
    "scores of a sequence that are a number": (
        lambda: tf.contrib.crf.viterbi_decode(0, [[1.0, 2.0], [3.0, 4.0]]),
        TypeError,
        "score must be an array",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_argument_is_refused_when_the_graph_is_built(name: str) -> None:
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("shape", [[2, 0, 5, 3], [1, 4, 0, 1]])
def test_a_summary_of_a_picture_without_pixels_is_an_invalid_argument(shape: list[int]) -> None:
    summary = tf.summary.image("s", tf.zeros(shape))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="must have non-zero dims"):
        session.run(summary)


def test_a_missing_collection_has_no_items_for_any_scope() -> None:
    assert tf.summary.merge_all(key="none", scope=tf.constant(1)) is None
    assert tf.get_collection("none", scope=3.0) == []  # type: ignore[arg-type]
    tf.add_to_collection("some", 1)
    with pytest.raises(TypeError):
        tf.get_collection("some", scope=3.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("axis", [-3, -2, -1, 0, 1, 2])
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_the_dimension_of_a_sparse_tensor_may_be_a_tensor(axis: int, dtype: Any) -> None:
    with tf.Session() as session:
        known, fed = session.run(
            [tf.sparse.expand_dims(sparse(), axis), tf.sparse.expand_dims(sparse(), tf.constant(axis, dtype))]
        )
    dense = np.array([[0, 1.0, 0], [0, 0, 2.0]])
    for found in (known, fed):
        places = tuple(found.indices.T)
        values = np.zeros(found.dense_shape)
        values[places] = found.values
        np.testing.assert_array_equal(values, np.expand_dims(dense, axis))


def test_an_older_block_without_a_rank_has_four_dimensions() -> None:
    x = tf.placeholder(tf.float32)
    assert tf.batch_to_space(x, tf.placeholder(tf.int32, [2, 2]), 2).shape.as_list() == [None] * 4
    assert tf.space_to_batch(x, tf.placeholder(tf.int32, [2, 2]), 2).shape.as_list() == [None] * 4


def test_patterns_of_files_are_a_vector_at_most() -> None:
    pattern = tf.placeholder(tf.string)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="must be scalar or vector"):
        session.run(tf.io.matching_files(pattern), {pattern: [["a"]]})


@pytest.mark.parametrize("op", ["ExtractImagePatches", "ExtractVolumePatches"])
@pytest.mark.parametrize(("known", "depth"), [(True, 0), (False, 0)])
def test_windows_without_pixels_are_refused_in_the_step(op: str, known: bool, depth: int) -> None:
    spatial = [3] * (2 if "Image" in op else 3)
    pixels = tf.placeholder(tf.float32, [1, *spatial, 2] if known else [None] * (len(spatial) + 2))
    given = {"images": pixels, "rates": [1] * 4} if "Image" in op else {"input": pixels}
    ones = [1] * (len(spatial) + 2)
    patches = getattr(tf.raw_ops, op)(**given, ksizes=[1, 0, *ones[2:]], strides=ones, padding="SAME")
    assert patches.shape.as_list()[-1] == depth
    with tf.Session() as session, pytest.raises(tf.errors.OutOfRangeError, match="ksizes is out of range"):
        session.run(patches, {pixels: np.zeros([1, *spatial, 2])})


@pytest.mark.parametrize(("dtype", "bits"), [(tf.qint8, tf.int8), (tf.quint16, tf.uint16), (tf.qint32, tf.int32)])
def test_quantized_numbers_are_written_as_their_integers(dtype: Any, bits: Any) -> None:
    steps = tf.bitcast(tf.constant([3, 4], bits), dtype)
    with tf.Session() as session:
        assert session.run(tf.raw_ops.StringFormat(inputs=[steps], template="{}", placeholder="{}")) == b"[3 4]"


def test_segments_of_more_dimensions_than_the_words_are_out_of_range() -> None:
    words, segments = tf.placeholder(tf.string), tf.placeholder(tf.int32)
    joined = tf.strings.unsorted_segment_join(words, segments, 3)
    with tf.Session() as session, pytest.raises(tf.errors.OutOfRangeError, match="Invalid segment_id rank 1"):
        session.run(joined, {words: "a", segments: [1, 0, 1]})


def test_the_step_checks_the_indices_of_a_sparse_sum() -> None:
    places = tf.placeholder(tf.int64, [1])
    parts = {"a_indices": tf.zeros([0, 2], tf.int64), "b_indices": tf.zeros([2, 2], tf.int64)}
    first, _ = tf.raw_ops.SparseAddGrad(backprop_val_grad=[1.0], sum_indices=places, **parts)
    assert first.shape.as_list() == [0]
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="should be matrices"):
        session.run(first, {places: [0]})


@pytest.mark.parametrize(
    ("op", "scalars", "unchecked"),
    [
        ("AddSign", ["lr", "alpha", "sign_decay", "beta"], "sign_decay"),
        ("PowerSign", ["lr", "logbase", "sign_decay", "beta"], "sign_decay"),
        ("Adagrad", ["lr"], None),
        ("Momentum", ["lr", "momentum"], None),
        ("FtrlV2", ["lr", "l1", "l2", "l2_shrinkage", "lr_power"], None),
    ],
)
def test_rates_of_optimizers_are_scalars_in_the_step(op: str, scalars: list[str], unchecked: str | None) -> None:
    slots = {"Adagrad": ["accum"], "Momentum": ["accum"], "FtrlV2": ["accum", "linear"]}.get(op, ["m"])
    handles = {name: tf.get_variable(name, initializer=[0.5], use_resource=True) for name in ["var", *slots]}
    given = {name: tf.placeholder(tf.float32) for name in scalars}
    update = getattr(tf.raw_ops, f"ResourceApply{op}")(
        **{name: variable.handle for name, variable in handles.items()}, **given, grad=[0.25]
    )
    numbers = {given[name]: -0.5 if name == "lr_power" else 0.5 for name in scalars}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update, numbers)
        for name in scalars:
            vector = {**numbers, given[name]: [numbers[given[name]]]}
            if name == unchecked:
                session.run(update, vector)
                continue
            with pytest.raises(tf.errors.InvalidArgumentError, match="is not a scalar"):
                session.run(update, vector)


def test_n_grams_take_words_of_any_shape_in_the_step() -> None:
    words, splits = tf.placeholder(tf.string), tf.placeholder(tf.int64)
    options = {"separator": "|", "ngram_widths": [2], "left_pad": "", "right_pad": "", "pad_width": 0}
    made = tf.raw_ops.StringNGrams(data=words, data_splits=splits, preserve_short_sequences=False, **options)
    with tf.Session() as session:
        for starts in ([0, 2, 6], [[0, 2, 6]]):
            pairs, ends = session.run(made, {words: [["a", "b", "c"], ["d", "e", "f"]], splits: starts})
            assert pairs.tolist() == [b"a|b", b"c|d", b"d|e", b"e|f"]
            np.testing.assert_array_equal(ends, np.reshape([0, 1, 4], np.shape(starts)))


def test_bounds_of_reshaped_levels_are_scalars() -> None:
    levels = tf.placeholder(tf.quint8, [2, 3])
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.raw_ops.QuantizedReshape(tensor=levels, shape=[6], input_min=0.0, input_max=[1.0])


def test_an_unknown_method_of_fingerprints_is_refused_when_the_graph_is_built() -> None:
    data = tf.placeholder(tf.int32, [3, 2])
    with pytest.raises(ValueError, match="Unsupported fingerprint method: crc"):
        tf.raw_ops.Fingerprint(data=data, method="crc")
    assert tf.raw_ops.Fingerprint(data=data, method="farmhash64").shape.as_list() == [3, 8]
