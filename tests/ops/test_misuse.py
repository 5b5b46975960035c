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


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
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
