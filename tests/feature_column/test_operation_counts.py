"""Feature columns add as many operations as in TensorFlow 1.15.5, so that the seeds of what follows agree."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf

fc = tf.feature_column


def _columns() -> dict[str, list[Any]]:
    job = fc.categorical_column_with_vocabulary_list("job", ["a", "b", "c"])
    city = fc.categorical_column_with_hash_bucket("city", 5)
    other = fc.categorical_column_with_hash_bucket("city2", 5)
    age = fc.numeric_column("age", shape=(2,))
    weighted = fc.weighted_categorical_column(job, "w")
    bucket = fc.bucketized_column(age, [1.0, 2.0])
    crossed = fc.crossed_column(["job", "city"], 7)
    return {
        "numeric": [age],
        "vocabulary": [job],
        "hash": [city],
        "identity": [fc.categorical_column_with_identity("n", 4, 0)],
        "weighted": [weighted],
        "bucket": [bucket],
        "crossed": [crossed],
        "embedding": [fc.embedding_column(job, 2)],
        "weighted embedding": [fc.embedding_column(weighted, 2, combiner="sqrtn")],
        "weighted sum": [fc.embedding_column(weighted, 2, combiner="sum")],
        "weighted indicator": [fc.indicator_column(weighted)],
        "several": [fc.indicator_column(job), age, bucket],
        "shared": fc.shared_embedding_columns([city, other], 3),
        "embedding of others": [fc.embedding_column(bucket, 2), fc.embedding_column(crossed, 2, max_norm=1.0)],
    }


# The numbers for dense and for sparse features.
LINEAR = {
    "numeric": (29, 38),
    "vocabulary": (102, 104),
    "hash": (91, 95),
    "identity": (105, 114),
    "weighted": (147, 180),
    "bucket": (118, 127),
    "crossed": (88, 95),
}
INPUT = {
    "embedding": (98, 100),
    "weighted embedding": (156, 189),
    "weighted sum": (133, 166),
    "weighted indicator": (62, 95),
    "several": (67, 69),
    "shared": (159, 163),
    "embedding of others": (207, 214),
}


@pytest.mark.parametrize("name", [*LINEAR, *INPUT])
@pytest.mark.parametrize("sparse", [False, True])
def test_columns_add_as_many_operations(name, sparse):
    features = {
        "age": tf.placeholder(tf.float32, [None, 2]),
        "job": tf.placeholder(tf.string, [None]),
        "city": tf.placeholder(tf.string, [None, 1]),
        "city2": tf.placeholder(tf.string, [None]),
        "n": tf.placeholder(tf.int64, [None]),
        "w": tf.placeholder(tf.float32, [None]),
    }
    if sparse:
        # Those made before count as well.
        features["job"] = tf.sparse_placeholder(tf.string, [None, 3])
        features["city"] = tf.sparse_placeholder(tf.string, [5, 4])
        features["w"] = tf.sparse_placeholder(tf.float32)
    (fc.linear_model if name in LINEAR else fc.input_layer)(features, _columns()[name])
    expected = {**LINEAR, **INPUT}[name][sparse]
    assert len(tf.get_default_graph().get_operations()) == expected


@pytest.mark.parametrize(("combiner", "expected"), [("sum", 3.0), ("mean", 1.0)])
def test_a_weighted_indicator_adds_up_equal_ids_and_an_embedding_combines_them(combiner, expected):
    job = fc.categorical_column_with_identity("job", 3)
    weighted = fc.weighted_categorical_column(job, "w")
    ids = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([2, 2], tf.int64), [2, 2])
    features = {"job": ids, "w": tf.SparseTensor([[0, 0], [0, 1]], [1.0, 2.0], [2, 2])}
    counts = fc.input_layer(features, [fc.indicator_column(weighted)])
    ones = tf.ones_initializer()
    rows = fc.input_layer(features, [fc.embedding_column(weighted, 1, combiner=combiner, initializer=ones)])
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert session.run(counts).tolist() == [[0.0, 0.0, 3.0], [0.0, 0.0, 0.0]]
        assert session.run(rows).tolist() == [[expected], [0.0]]
