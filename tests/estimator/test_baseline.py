"""Baselines learn how often labels are, and look at no feature."""

import numpy as np
import pytest

import ferroflow as tf

LABELS = np.array([0, 1, 1, 1, 2, 1, 0, 1], np.int64)
X = np.arange(8, dtype=np.float32)


def given(labels, epochs=None, **features):
    return tf.estimator.inputs.numpy_input_fn({"x": X, **features}, labels, 8, epochs, shuffle=False)


def config(path):
    return tf.estimator.RunConfig(str(path), log_step_count_steps=None)


def test_classes_are_predicted_as_often_as_they_are(tmp_path):
    model = tf.estimator.BaselineClassifier(config=config(tmp_path), n_classes=3)
    model.train(given(LABELS), steps=300)
    shares = np.bincount(LABELS) / len(LABELS)
    probabilities = np.array([p["probabilities"] for p in model.predict(given(None, 1))])
    np.testing.assert_allclose(probabilities, np.tile(shares, (8, 1)), atol=2e-3)
    metrics = model.evaluate(given(LABELS, 1))
    np.testing.assert_allclose(metrics["average_loss"], -(shares * np.log(shares)).sum(), rtol=1e-3)
    assert sorted(model.get_variable_names()) == [
        *("baseline/bias", "baseline/bias/Ftrl", "baseline/bias/Ftrl_1", "global_step")
    ]


def test_two_classes_with_weights(tmp_path):
    weights = np.where(LABELS == 1, 1.0, 3.0).astype(np.float32)
    model = tf.estimator.BaselineClassifier(config=config(tmp_path), weight_column="w")
    model.train(given((LABELS == 1).astype(np.int64), w=weights), steps=300)
    chance = weights[LABELS == 1].sum() / weights.sum()
    # The weights are not needed to predict.
    (first, *_) = model.predict(given(None, 1))
    np.testing.assert_allclose(first["logistic"], [chance], atol=2e-3)


def test_numbers_are_predicted_by_their_mean(tmp_path):
    values = np.stack([X, X**2], 1)
    optimizer = lambda: tf.train.GradientDescentOptimizer(0.05)  # noqa: E731
    model = tf.estimator.BaselineRegressor(config=config(tmp_path), label_dimension=2, optimizer=optimizer)
    model.train(given(values), steps=60)
    (first, *_) = model.predict(given(None, 1))
    np.testing.assert_allclose(first["predictions"], values.mean(0), rtol=1e-3)


def test_features_must_have_one_length(tmp_path):
    model = tf.estimator.BaselineRegressor(config=config(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError, match="x == y did not hold"):
        model.train(lambda: ({"x": tf.zeros([2]), "y": tf.zeros([3])}, tf.zeros([2])), steps=1)
    with pytest.raises(ValueError, match="n_classes must be > 1"):
        tf.estimator.BaselineClassifier(n_classes=1)
