"""Sequence columns and the layers of feature columns compute TensorFlow's values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from golden.recent_runs import near, result_of
from golden.sequence_column_programs import PROGRAMS
from hypothesis import given, settings, strategies as st

import ferroflow as tf

RECENT = json.loads((Path(__file__).parents[1] / "golden" / "recent.json").read_text(encoding="utf-8"))
EXPECTED = {k.partition(": ")[2]: v for k, v in RECENT.items() if k.startswith("sequence_columns: ")}


def test_every_golden_program_is_compared():
    assert set(PROGRAMS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_results_are_tensorflows(name):
    found = json.loads(json.dumps(result_of(tf, PROGRAMS[name])))
    assert near(found, EXPECTED[name]), found


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), max_size=4), min_size=1, max_size=4).filter(any))
def test_steps_are_the_rows_of_ids_and_the_rest_is_zero(rows):
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    width = max(map(len, rows))
    table = np.random.RandomState(0).rand(5, 3).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        ids = tf.SparseTensor(indices, np.array([x for row in rows for x in row], np.int64), [len(rows), width])
        column = tf.feature_column.sequence_categorical_column_with_identity("ids", 5)
        embedded = tf.feature_column.embedding_column(column, 3, initializer=tf.constant_initializer(table))
        layer = tf.keras.experimental.SequenceFeatures([embedded, tf.feature_column.indicator_column(column)])
        made = layer({"ids": ids})
        sess.run(tf.global_variables_initializer())
        numbers, lengths = sess.run(made)
    expected = np.zeros((len(rows), width, 8), np.float32)
    for i, j in indices:
        expected[i, j] = np.concatenate([table[rows[i][j]], np.eye(5)[rows[i][j]]])
    np.testing.assert_allclose(numbers, expected, rtol=1e-6)
    assert lengths.tolist() == [len(row) for row in rows]


def test_layers_refuse_columns_whose_tables_are_not_theirs(tmp_path):
    ids = tf.feature_column.categorical_column_with_identity("ids", 5)
    shared = tf.feature_column.shared_embedding_columns([ids], 2)
    with pytest.raises(NotImplementedError, match="shared_embedding_columns"):
        tf.keras.layers.DenseFeatures(shared)
    loaded = tf.feature_column.embedding_column(ids, 2, ckpt_to_load_from=str(tmp_path), tensor_name_in_ckpt="a")
    with pytest.raises(NotImplementedError, match="checkpoints"):
        tf.keras.layers.DenseFeatures([loaded])
