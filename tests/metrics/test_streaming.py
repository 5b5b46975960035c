"""The metrics of `tf.contrib.metrics`: older orders of arguments, and what has no newer form."""

import numpy as np
import pytest
from deprecations import logs_deprecation
from hypothesis import given, strategies as st

import ferroflow as tf

LABELS = np.array([1, 0, 1, 1])
PREDICTIONS = np.array([1, 0, 0, 1])


def final(build):
    with tf.Graph().as_default(), tf.Session() as session:
        value, update = build()
        session.run(tf.local_variables_initializer())
        session.run(update)
        return session.run(value)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accuracy", 3 / 4),
        ("precision", 1),
        ("recall", 2 / 3),
        ("true_positives", 2),
        ("false_positives", 0),
        ("true_negatives", 1),
        ("false_negatives", 1),
        ("mean_absolute_error", 1 / 4),
        ("mean_squared_error", 1 / 4),
        ("root_mean_squared_error", 1 / 2),
    ],
)
def test_predictions_come_first_with_a_warning_that_names_the_newer_form(name, expected):
    function = getattr(tf.contrib.metrics, f"streaming_{name}")
    dtype = np.float32 if "error" in name else np.int64
    with logs_deprecation(rf"tf\.metrics\.{name}"):
        found = final(lambda: function(PREDICTIONS.astype(dtype), LABELS.astype(dtype)))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_further_arguments_keep_their_places():
    with logs_deprecation("mean_iou"):
        found = final(lambda: tf.contrib.metrics.streaming_mean_iou(PREDICTIONS, LABELS, 2, np.ones(4, np.float32)))
    np.testing.assert_allclose(found, (1 / 2 + 2 / 3) / 2, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "expected"), [("streaming_false_positive_rate", 0), ("streaming_false_negative_rate", 1 / 3)]
)
def test_rates_of_what_is_wrong(name, expected):
    found = final(lambda: getattr(tf.contrib.metrics, name)(PREDICTIONS, LABELS))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_recall_at_k_asks_whether_the_class_is_among_the_highest():
    scores = np.array([[3, 2, 1], [1, 2, 3], [1, 3, 2]], np.float32)
    labels = np.array([1, 0, 1])
    assert [
        round(float(final(lambda k=k: tf.contrib.metrics.streaming_recall_at_k(scores, labels, k))), 4) for k in (1, 2)
    ] == [0.3333, 0.6667]


def test_count_adds_weights():
    assert final(lambda: tf.contrib.metrics.count(np.ones([2, 3], np.float32))) == 6
    assert final(lambda: tf.contrib.metrics.count(np.ones([2, 3], np.float32), np.float32([[1], [3]]))) == 12


@given(seed=st.integers(0, 2**32 - 1))
def test_f1_is_the_best_over_thresholds(seed):
    rng = np.random.default_rng(seed)
    labels, predictions = rng.integers(0, 2, 12), rng.integers(0, 9, 12).astype(np.float32) / 8
    best = 0
    for threshold in [-1e-7, *(np.arange(1, 19) / 19)]:
        is_above = predictions > np.float32(threshold)
        true = (is_above & (labels == 1)).sum()
        best = max(best, 2 * true / max(is_above.sum() + labels.sum(), 1))
    found = final(lambda: tf.contrib.metrics.f1_score(labels, predictions, num_thresholds=20))
    np.testing.assert_allclose(found, best, atol=1e-5)


def test_accuracy_of_one_batch():
    with tf.Graph().as_default(), tf.Session() as session:
        labels, predictions = tf.constant(LABELS), tf.constant(PREDICTIONS)
        weights = tf.constant([1.0, 1.0, 2.0, 0.0])
        assert session.run(tf.contrib.metrics.accuracy(predictions, labels)) == 0.75
        assert session.run(tf.contrib.metrics.accuracy(predictions, labels, weights)) == 0.5
        with pytest.raises(ValueError, match="should match"):
            tf.contrib.metrics.accuracy(tf.cast(predictions, tf.int32), labels)
        with pytest.raises(ValueError, match="Labels should have"):
            tf.contrib.metrics.accuracy(predictions, tf.cast(labels, tf.float32))


def test_results_of_metrics_are_separated():
    assert tf.contrib.metrics.aggregate_metrics((1, 2), (3, 4)) == ([1, 3], [2, 4])
    assert tf.contrib.metrics.aggregate_metric_map({"a": (1, 2), "b": (3, 4)}) == ({"a": 1, "b": 3}, {"a": 2, "b": 4})
    with pytest.raises(ValueError, match="at least one"):
        tf.contrib.metrics.aggregate_metrics()
