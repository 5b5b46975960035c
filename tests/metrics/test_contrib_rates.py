"""Metrics of `tf.contrib.metrics` without a newer form, over batches, against NumPy."""

import numpy as np
import pytest

import ferroflow as tf

metrics = tf.contrib.metrics


def _over_batches(metric, batches, **arguments):
    """The value and the last update of a metric of predictions, labels and weights."""
    with tf.Graph().as_default(), tf.Session() as sess:
        holders = [tf.placeholder(tf.float32, batches[0][i].shape) for i in range(len(batches[0]))]
        value, update = metric(*holders, **arguments)
        sess.run(tf.local_variables_initializer())
        for batch in batches:
            last = sess.run(update, dict(zip(holders, batch, strict=True)))
        found = sess.run(value)
    np.testing.assert_allclose(found, last, rtol=1e-5, equal_nan=True)
    return found


def _batches(seed, n=4, size=6, parts=3):
    random = np.random.RandomState(seed)
    return [[random.rand(size).astype(np.float32) for _ in range(parts)] for _ in range(n)]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_covariance_and_correlation(is_weighted):
    batches = _batches(0)
    first, second, weights = (np.concatenate([batch[i] for batch in batches]).astype(np.float64) for i in range(3))
    weights = weights if is_weighted else np.ones_like(weights)

    def covariance(a, b):
        mean_a, mean_b = np.average(a, weights=weights), np.average(b, weights=weights)
        return np.sum(weights * (a - mean_a) * (b - mean_b)) / (weights.sum() - 1)

    used = batches if is_weighted else [batch[:2] for batch in batches]
    found = _over_batches(metrics.streaming_covariance, used)
    np.testing.assert_allclose(found, covariance(first, second), rtol=1e-4)
    expected = covariance(first, second) / np.sqrt(covariance(first, first) * covariance(second, second))
    np.testing.assert_allclose(_over_batches(metrics.streaming_pearson_correlation, used), expected, rtol=1e-4)


def test_a_single_example_has_no_covariance():
    assert np.isnan(_over_batches(metrics.streaming_covariance, [[np.ones(1), np.ones(1)]]))


def _counts(batches, cut):
    predicted, wanted = (np.concatenate([batch[i] for batch in batches]) for i in range(2))
    above, wanted = predicted > cut, wanted > 0.5
    return [np.sum(each) for each in (above & wanted, above & ~wanted, ~above & wanted, ~above & ~wanted)]


def test_rates_at_thresholds():
    batches = [[p, np.round(w)] for p, w, _ in _batches(1)]
    cuts = [0.1, 0.5, 0.9]
    positive = _over_batches(metrics.streaming_false_positive_rate_at_thresholds, batches, thresholds=cuts)
    negative = _over_batches(metrics.streaming_false_negative_rate_at_thresholds, batches, thresholds=cuts)
    for i, cut in enumerate(cuts):
        tp, fp, fn, tn = _counts(batches, cut)
        np.testing.assert_allclose([positive[i], negative[i]], [fp / (fp + tn), fn / (fn + tp)], rtol=1e-5)


def _labels_first(metric):
    return lambda predictions, labels, **arguments: metric(labels, predictions, **arguments)


# No two parts are equally near to these.
@pytest.mark.parametrize("goal", [0.23, 0.52, 0.81])
def test_parts_at_other_parts(goal):
    batches = [[p, np.round(w)] for p, w, _ in _batches(2)]
    cuts = [-1e-7, *(i / 49 for i in range(1, 49)), 1 + 1e-7]
    # In the metric's dtype: where two thresholds are equally near, rounding decides.
    table = np.array([_counts(batches, cut) for cut in cuts], np.float32)
    recall = table[:, 0] / (table[:, 0] + table[:, 2] + np.float32(1e-7))
    precision = table[:, 0] / (table[:, 0] + table[:, 1] + np.float32(1e-7))
    found = _over_batches(_labels_first(metrics.precision_at_recall), batches, target_recall=goal, num_thresholds=50)
    np.testing.assert_allclose(found, precision[np.sum(recall >= np.float32(goal)) - 1], rtol=1e-5)
    found = _over_batches(_labels_first(metrics.recall_at_precision), batches, precision=goal, num_thresholds=50)
    np.testing.assert_allclose(found, recall[np.argmin(abs(precision - goal))], rtol=1e-5)
    points = _over_batches(_labels_first(metrics.streaming_curve_points), batches, num_thresholds=50, curve="PR")
    np.testing.assert_allclose(points[:-1], np.stack([recall, precision], 1)[:-1], atol=1e-5)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_cohen_kappa(is_weighted):
    random = np.random.RandomState(3)
    batches = [[random.randint(0, 3, 20), random.randint(0, 3, 20), random.rand(20)] for _ in range(3)]
    labels, predicted, weights = (np.concatenate([batch[i] for batch in batches]) for i in range(3))
    weights = weights if is_weighted else np.ones(60)
    table = np.zeros((3, 3))
    np.add.at(table, (labels, predicted), weights)
    table /= weights.sum()
    by_chance = (table.sum(0) * table.sum(1)).sum()

    def kappa(labels, predictions, weights=None):
        return metrics.cohen_kappa(tf.to_int64(labels), tf.to_int64(predictions), 3, weights=weights)

    used = batches if is_weighted else [batch[:2] for batch in batches]
    np.testing.assert_allclose(_over_batches(kappa, used), (np.trace(table) - by_chance) / (1 - by_chance), rtol=1e-5)


def test_what_is_refused():
    for call in (
        lambda: metrics.cohen_kappa([0], [0], 1),
        lambda: metrics.precision_at_recall([0.0], [0.0], 1.5),
        lambda: metrics.recall_at_precision([0.0], [0.0], -1),
        lambda: metrics.streaming_curve_points([0.0], [0.0], curve="X"),
    ):
        with pytest.raises(ValueError, match="must be"):
            call()
