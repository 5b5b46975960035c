"""`tf.contrib.layers.python.layers.target_column`: losses and metrics against NumPy."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import ferroflow as tf

target_column = importlib.import_module("ferroflow.contrib.layers.python.layers.target_column")
LOGITS = np.array([[1.5], [-0.5], [0.25]], np.float32)
LABELS = np.array([[1.0], [0.0], [0.0]], np.float32)
WEIGHTS = np.array([1.0, 2.0, 0.5], np.float32)

_HEADS = {
    "regression": (target_column.regression_target, (LOGITS - LABELS) ** 2),
    "two classes": (
        lambda **options: target_column.multi_class_target(2, **options),
        np.log1p(np.exp(LOGITS)) - LABELS * LOGITS,
    ),
    "svm": (target_column.binary_svm_target, np.maximum(0, 1 - (2 * LABELS - 1) * LOGITS)),
}


@pytest.mark.parametrize("name", _HEADS)
def test_losses_are_weighted_means(name):
    make, losses = _HEADS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        logits, labels = tf.constant(LOGITS), tf.constant(LABELS)
        plain, weighted = make(), make(weight_column_name="w")
        features = {"w": tf.constant(WEIGHTS)}
        got = session.run(
            [
                plain.loss(logits, labels, {}),
                weighted.loss(logits, labels, features),
                weighted.training_loss(logits, labels, features),
            ]
        )
    products = losses[:, 0] * WEIGHTS
    np.testing.assert_allclose(got, [losses.mean(), products.sum() / WEIGHTS.sum(), products.mean()], rtol=1e-6)


def test_metrics_have_tensorflows_names():
    with tf.Graph().as_default(), tf.Session() as session:
        head = target_column.multi_class_target(2)
        metrics = head.get_eval_ops({}, tf.constant(LOGITS), tf.constant(LABELS))
        session.run(tf.local_variables_initializer())
        session.run([update for _, update in metrics.values()])
        got = {name: session.run(value) for name, (value, _) in metrics.items()}
    assert got["accuracy"] == got["accuracy/threshold_0.500000_mean"] == pytest.approx(2 / 3)
    assert got["labels/actual_target_mean"] == pytest.approx(1 / 3)
    assert got["precision/positive_threshold_0.500000_mean"] == pytest.approx(0.5)
    with pytest.raises(ValueError, match="n_classes must be > 1"):
        target_column.multi_class_target(1)
