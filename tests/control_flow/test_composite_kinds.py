"""Branches and loops refuse composite tensors of different kinds with TensorFlow 1.15.5's error classes."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf


def slices(dense_shape: Any = None) -> Any:
    return tf.IndexedSlices(tf.ones([2, 3], tf.int32), tf.constant([0, 1]), dense_shape)


KINDS = {
    "rows": lambda: tf.ragged.constant([[1, 2], [3]]),
    "rows of rows": lambda: tf.ragged.constant([[[1, 2]], [[3]]]),
    "rows with int32 splits": lambda: tf.ragged.constant([[1, 2], [3]], row_splits_dtype=tf.int32),
    "rows of floats": lambda: tf.ragged.constant([[1.0], [2.0]]),
    "sparse": lambda: tf.SparseTensor([[0, 0]], [1], [2, 2]),
    "sparse floats": lambda: tf.SparseTensor([[0, 0]], [1.0], [2, 2]),
    "slices": slices,
    "slices of a known shape": lambda: slices(tf.constant([4, 3])),
    "tensor": lambda: tf.constant(1),
}
RAGGED = [name for name in KINDS if name.startswith("rows")]
CLASSES = {"sparse floats": "sparse", "slices of a known shape": "slices", **dict.fromkeys(RAGGED, "rows")}


def error_of(first: str, second: str) -> Any:
    """Returns TensorFlow's error class: a class of composite tensors that differs is an error of types."""
    classes = {CLASSES.get(name, name) for name in (first, second)}
    return TypeError if len(classes) == 2 and "tensor" not in classes else ValueError


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", KINDS)
def test_kinds_that_differ_are_refused(first: str, second: str) -> None:
    flag = tf.placeholder_with_default(True, [])

    def chosen() -> Any:
        return tf.cond(flag, KINDS[first], KINDS[second])

    def repeated() -> Any:
        return tf.while_loop(lambda i, x: i < 1, lambda i, x: (i + 1, KINDS[second]()), [0, KINDS[first]()])[1]

    if first == second:
        assert type(chosen()) is type(repeated()) is type(KINDS[first]())
        return
    error = error_of(first, second)
    words = "types" if error is TypeError else "values"
    with pytest.raises(error, match=f"^Incompatible return {words} of true_fn and false_fn: The two structures"):
        chosen()
    with pytest.raises(error, match=r"^The two structures don't have the same nested structure\."):
        repeated()


ROWS_SPEC = tf.RaggedTensorSpec([None, None], tf.int32)


@pytest.mark.parametrize(
    ("first", "spec", "shape"),
    [
        ("rows", ROWS_SPEC, "(?, ?)"),
        ("rows", tf.RaggedTensorSpec([2, None], tf.int32), "(2, ?)"),
        ("rows", tf.RaggedTensorSpec(None, tf.int32, ragged_rank=1), "<unknown>"),
        ("rows of rows", tf.RaggedTensorSpec([None] * 3, tf.int32), "(?, ?, ?)"),
        ("rows with int32 splits", tf.RaggedTensorSpec([2, None], tf.int32, row_splits_dtype=tf.int32), "(2, ?)"),
        ("sparse", tf.SparseTensorSpec([None, None], tf.int32), "(?, ?)"),
        ("tensor", tf.TensorSpec([], tf.int32), "()"),
        ("tensor", tf.TensorSpec(None, tf.int32), "<unknown>"),
    ],
)
def test_an_invariant_may_be_a_type_spec(first: str, spec: Any, shape: str) -> None:
    start = KINDS[first]()
    _, result = tf.while_loop(
        lambda i, x: i < 2, lambda i, x: (i + 1, x), [0, start], shape_invariants=[tf.TensorShape([]), spec]
    )
    assert str(result.shape) == shape
    with tf.Session() as sess:
        found, expected = sess.run([result, start])
    assert repr(found) == repr(expected)


def test_an_invariant_of_slices_may_be_a_type_spec() -> None:
    spec = tf.IndexedSlicesSpec([None, 3], tf.int32, tf.int32, tf.int32)

    def grown(i: Any, x: Any) -> Any:
        more = [tf.concat([part, part], 0) for part in (x.values, x.indices)]
        return i + 1, tf.IndexedSlices(*more, x.dense_shape)

    start = KINDS["slices of a known shape"]()
    _, result = tf.while_loop(lambda i, x: i < 2, grown, [0, start], shape_invariants=[tf.TensorShape([]), spec])
    parts = (result.values, result.indices, result.dense_shape)
    assert [str(part.shape) for part in parts] == ["(?, 3)", "(?,)", "(2,)"]
    with tf.Session() as sess:
        assert sess.run(result).values.shape == (8, 3)


@pytest.mark.parametrize(
    ("first", "spec"),
    [
        ("rows", tf.RaggedTensorSpec([None] * 3, tf.int32)),
        ("rows", tf.RaggedTensorSpec([None, None], tf.float32)),
        ("rows", tf.RaggedTensorSpec([None, None], tf.int32, row_splits_dtype=tf.int32)),
        ("rows", tf.RaggedTensorSpec([3, None], tf.int32)),
        ("rows", tf.TensorSpec([None, None], tf.int32)),
        ("rows", tf.SparseTensorSpec([None, None], tf.int32)),
        ("sparse", ROWS_SPEC),
        ("sparse", tf.SparseTensorSpec([None, None], tf.float32)),
        ("slices", ROWS_SPEC),
        ("slices", tf.IndexedSlicesSpec([None, 3], tf.float32, tf.int32)),
        ("slices", tf.IndexedSlicesSpec([None, 3], tf.int32, tf.int32, tf.int32)),
        ("tensor", ROWS_SPEC),
        ("tensor", tf.TensorSpec([], tf.float32)),
    ],
)
def test_a_type_spec_of_another_kind_is_refused(first: str, spec: Any) -> None:
    with pytest.raises(TypeError, match="is not compatible with"):
        tf.while_loop(
            lambda i, x: i < 2,
            lambda i, x: (i + 1, x),
            [0, KINDS[first]()],
            shape_invariants=[tf.TensorShape([]), spec],
        )
