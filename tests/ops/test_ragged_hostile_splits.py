"""Row splits that describe no rows end in a value or in an error of the step, whatever function reads them."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

HOSTILE = {
    "decreasing": [0, 3, 1, 4],
    "negative": [-2, 1, 2, 4],
    "not from 0": [1, 2, 3, 4],
    "beyond the values": [0, 2, 3, 9],
    "before the last value": [0, 1, 2, 3],
    "empty": [],
    "of no rows": [4],
    "of more than memory holds": [0, 2**40, 2**41, 2**62],
    "at the ends of int64": [2**63 - 1, -(2**63), 2, 4],
}
FUNCTIONS = {
    "fetch": lambda x: x,
    "to_tensor": lambda x: x.to_tensor(),
    "to_sparse": lambda x: x.to_sparse(),
    "value_rowids": lambda x: x.value_rowids(),
    "bounding_shape": lambda x: x.bounding_shape(),
    "row": lambda x: x[1],
    "rows": lambda x: x[1:],
    "slices": lambda x: x[:, 1:],
    "steps": lambda x: x[:, ::2],
    "gather": lambda x: tf.gather(x, [0, 2, 1]),
    "gather_nd": lambda x: tf.gather_nd(x, [[0, 1], [2, 0]]),
    "batch_gather": lambda x: tf.batch_gather(x, tf.ragged.constant([[0], [0], [0]])),
    "concat": lambda x: tf.concat([x, x], 1),
    "stack": lambda x: tf.stack([x, x], 1),
    "reduce_sum": lambda x: tf.reduce_sum(x, 1),
    "reduce_max": lambda x: tf.reduce_max(x, 0),
    "add": lambda x: x + tf.constant([[1], [2], [3]]),
    "where": lambda x: tf.where(x > 1),
    "boolean_mask": lambda x: tf.ragged.boolean_mask(x, x > 1),
    "tile": lambda x: tf.tile(x, [2, 2]),
    "expand_dims": lambda x: tf.expand_dims(x, 1),
    "dynamic_partition": lambda x: tf.dynamic_partition(x, [0, 1, 0], 2),
    "range": lambda x: tf.ragged.range(x.row_starts(), x.row_limits()),
    "unicode_encode": lambda x: tf.strings.unicode_encode(x, "UTF-8"),
    "ngrams": lambda x: tf.strings.ngrams(tf.strings.as_string(x), 2),
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_step_survives(function: str) -> None:
    splits = tf.placeholder(tf.int64, [None])
    x = tf.RaggedTensor.from_row_splits(tf.constant([1, 2, 3, 4]), splits, validate=False)
    made = FUNCTIONS[function](x)
    with tf.Session() as sess:
        for hostile in HOSTILE.values():
            with contextlib.suppress(tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError):
                sess.run(made, {splits: np.array(hostile, np.int64)})
        sess.run(made, {splits: [0, 2, 3, 4]})


@pytest.mark.parametrize("kind", HOSTILE)
def test_validation_refuses(kind: str) -> None:
    splits = tf.placeholder(tf.int64, [None])
    x: Any = tf.RaggedTensor.from_row_splits(tf.constant([1, 2, 3, 4]), splits)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(x, {splits: np.array(HOSTILE[kind], np.int64)})
