"""MatrixDiagV2 and MatrixSetDiagV2: which shapes the graph knows and refuses, as in TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf

_FED = None


def _whole(value: Any) -> tf.Tensor:
    return tf.placeholder(tf.int32, []) if value is _FED else tf.constant(value, tf.int32)


def _diag(diagonal: Any, k: Any, rows: Any = -1, columns: Any = -1) -> tf.Tensor:
    return tf.raw_ops.MatrixDiagV2(
        diagonal=tf.placeholder(tf.float32, diagonal),
        k=k,
        num_rows=_whole(rows),
        num_cols=_whole(columns),
        padding_value=0.0,
    )


def _set_diag(x: Any, diagonal: Any, k: Any) -> tf.Tensor:
    x, diagonal = tf.placeholder(tf.float32, x), tf.placeholder(tf.float32, diagonal)
    return tf.raw_ops.MatrixSetDiagV2(input=x, diagonal=diagonal, k=k)


@pytest.mark.parametrize("diagonal", [[2, 2], [2, 2, 2, 2], [None, 2, 3], [2, None, None], [None, 3], [None]])
def test_packed_diagonals_are_as_many_as_their_numbers(diagonal: list[int | None]) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="rows of `diagonal` doesn't match the number of"):
        _diag(diagonal, [-1, 1])


@pytest.mark.parametrize(
    ("diagonal", "k", "rows", "columns", "message"),
    [
        ([None], 0, 3, 4, "number of rows or columns is not consistent"),
        ([3], 0, 4, 4, "number of rows or columns is not consistent"),
        ([3], 0, _FED, 2, "number of columns is too small"),
        ([3], 1, _FED, 3, "number of columns is too small"),
        ([2, 3], -1, 3, _FED, "number of rows is too small"),
        ([4, 2, None], [-1, 0], 3, 3, "number of rows or columns is not consistent"),
    ],
)
def test_sizes_that_cannot_fit_are_refused_when_the_graph_is_built(
    diagonal: list[int | None], k: Any, rows: int | None, columns: int | None, message: str
) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        _diag(diagonal, k, rows, columns)


@pytest.mark.parametrize(
    ("diagonal", "k", "rows", "columns", "known"),
    [
        ([3], 1, -1, -1, [4, 4]),
        ([2, 3], 1, 3, -1, [2, 3, 4]),
        ([3], 0, _FED, 4, [None, 4]),
        ([None], 0, 3, -1, [3, None]),
        ([None], 0, -1, 4, [None, 4]),
        ([None], 0, -1, -1, [None, None]),
        ([4, 2, None], [0, 1], -1, -1, [4, None, None]),
        (None, 0, 3, 4, None),
    ],
)
def test_known_sizes_are_the_stated_ones_and_what_follows_from_them(
    diagonal: Any, k: Any, rows: int | None, columns: int | None, known: Any
) -> None:
    with tf.Graph().as_default():
        made = _diag(diagonal, k, rows, columns)
        assert (None if made.shape.ndims is None else made.shape.as_list()) == known


def test_diagonals_of_unknown_numbers_are_those_of_the_same_batch() -> None:
    with tf.Graph().as_default():
        k = tf.placeholder(tf.int32, [None])
        assert _set_diag([None, None, None], [2, 3], k).shape.as_list() == [2, None, None]
        assert _set_diag([None, None, None], [2, 3, 3], k).shape.as_list() == [2, None, None]
        with pytest.raises(ValueError, match="must be equal, but are 2 and 3"):
            _set_diag([2, None, None], [3, 3], k)
        with pytest.raises(ValueError, match="Subshape end out of bounds: -2, for shape with rank 1"):
            _set_diag(None, [3], [-1, 1])
