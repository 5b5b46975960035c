"""A lookup takes the rows that NumPy takes from the whole table, however the table is cut into parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf


def _table(rows: int) -> np.ndarray[Any, Any]:
    return np.arange(rows * 3.0).reshape(rows, 3)


def _cut(table: np.ndarray[Any, Any], parts: int, strategy: str) -> list[np.ndarray[Any, Any]]:
    if strategy == "mod":
        return [table[i::parts] for i in range(parts)]
    return np.array_split(table, parts)


@given(
    rows=st.integers(1, 9),
    parts=st.integers(1, 4),
    strategy=st.sampled_from(["mod", "div"]),
    ids=st.lists(st.integers(0, 8), min_size=1, max_size=6),
    dtype=st.sampled_from(["int32", "int64"]),
)
def test_rows_of_a_cut_table_are_those_of_the_whole(
    rows: int, parts: int, strategy: str, ids: list[int], dtype: str
) -> None:
    parts = min(parts, rows)
    table = _table(rows)
    wanted = np.array(ids, dtype).reshape(1, -1) % rows
    with tf.Graph().as_default(), tf.Session() as session:
        pieces = [tf.constant(piece) for piece in _cut(table, parts, strategy)]
        found = tf.nn.embedding_lookup(pieces, wanted, partition_strategy=strategy)
        assert found.shape.as_list() == [1, len(ids), 3]
        np.testing.assert_array_equal(session.run(found), table[wanted])


@pytest.mark.parametrize("parts", [1, 2])
def test_rows_longer_than_the_norm_are_scaled_down(parts: int) -> None:
    table = _table(4)
    with tf.Graph().as_default(), tf.Session() as session:
        pieces = [tf.constant(piece) for piece in _cut(table, parts, "mod")]
        found = session.run(tf.nn.embedding_lookup(pieces, [0, 1, 3], max_norm=5.0))
    rows = table[[0, 1, 3]]
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(found, rows * np.minimum(1, 5 / np.maximum(norms, 5e-9)))


def test_a_single_table_is_gathered_under_the_lookups_name() -> None:
    with tf.Graph().as_default():
        found = tf.nn.embedding_lookup(tf.constant(_table(4)), [1], name="words")
        assert (found.op.name, found.op.type) == ("words/Identity", "Identity")
        assert (found.op.inputs[0].op.name, found.op.inputs[0].op.type) == ("words", "GatherV2")


def test_a_variable_is_looked_up_as_a_table() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.Variable(_table(4))
        session.run(table.initializer)
        np.testing.assert_array_equal(session.run(tf.nn.embedding_lookup(table, 2)), _table(4)[2])


def test_what_is_no_table_or_no_strategy_is_refused() -> None:
    with tf.Graph().as_default():
        for nothing in (None, [], ()):
            with pytest.raises(ValueError, match="Need at least one param"):
                tf.nn.embedding_lookup(nothing, [0])
        with pytest.raises(ValueError, match="Unrecognized partition strategy: first"):
            tf.nn.embedding_lookup([[[1.0]], [[2.0]]], [0], partition_strategy="first")


_IDS = tf.SparseTensorValue([[0, 0], [0, 1], [1, 0]], [2, 0, 3], [2, 2])
_WEIGHTS = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_weighted_rows_are_combined_for_each_row_of_ids(combiner: str) -> None:
    table = _table(4)
    with tf.Graph().as_default(), tf.Session() as session:
        ids = tf.SparseTensor(*_IDS)
        weights = tf.SparseTensor(_IDS.indices, _WEIGHTS, _IDS.dense_shape)
        found = session.run(tf.nn.embedding_lookup_sparse(tf.constant(table), ids, weights, combiner=combiner))
    total = np.stack([table[2] * 1 + table[0] * 2, table[3] * 3])
    divisor = {"sum": [[1], [1]], "mean": [[3], [3]], "sqrtn": [[np.sqrt(5)], [3]]}[combiner]
    np.testing.assert_allclose(found, total / np.array(divisor))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("default_id", [None, 1])
def test_ids_that_are_not_valid_are_left_out(weighted: bool, default_id: int | None) -> None:
    table = _table(4)
    # [[[2, -1], [-1, ?]], [[?, ?], [3, 0]]]: the first of the weights is no weight.
    indices = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1]]
    with tf.Graph().as_default(), tf.Session() as session:
        ids = tf.SparseTensor(indices, tf.constant([2, -1, -1, 3, 0], tf.int64), [2, 2, 2])
        weights = tf.SparseTensor(indices, [0.0, 1.0, 1.0, 1.0, 3.0], [2, 2, 2]) if weighted else None
        found = tf.nn.safe_embedding_lookup_sparse(tf.constant(table), ids, weights, default_id=default_id)
        assert found.shape.as_list() == [2, 2, 3]
        rows = session.run(found)
    nothing = np.zeros(3) if default_id is None else table[1]
    last = (table[3] + 3 * table[0]) / 4 if weighted else (table[3] + table[0]) / 2
    first = nothing if weighted else table[2]
    np.testing.assert_allclose(rows, [[first, nothing], [nothing, last]])
