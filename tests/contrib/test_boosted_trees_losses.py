"""The losses of `contrib.boosted_trees` have TensorFlow 1.15.5's numbers."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.contrib.boosted_trees.python.utils import losses

LABELS = np.array([[0.0], [1.0], [1.0], [0.0]], np.float32)
WEIGHTS = np.array([[1.0], [2.0], [0.5], [3.0]], np.float32)
PREDICTIONS = np.array([[-3.0], [0.3], [2.0], [0.1]], np.float32)
# What TensorFlow 1.15.5 computes.
EXPECTED = {
    "logistic": [0.04858735203742981, 1.108710527420044, 0.06346400082111359, 2.2331900596618652],
    "squared": [9.0, 0.9799999594688416, 0.5, 0.030000001192092896],
    "exp": [0.3678794503211975, 0.9500148892402649, 0.18393972516059875, 3.851273775100708],
    "full_exp": [0.049787066876888275, 1.48163640499115, 0.0676676407456398, 3.3155128955841064],
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_losses_of_examples(name, dtype):
    loss, update = getattr(losses, f"per_example_{name}_loss")(LABELS.astype(dtype), WEIGHTS, PREDICTIONS)
    assert update.type == "NoOp"
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(loss)[:, 0], EXPECTED[name], rtol=1e-6)


def test_the_squared_hinge_loss_is_that_of_the_mean():
    loss, _ = losses.per_example_squared_hinge_loss(LABELS, WEIGHTS, PREDICTIONS)
    with tf.Session() as session:
        assert session.run(loss) == pytest.approx(1.3806251287460327)


def test_errors_of_a_quantile_count_linearly_where_they_are_large():
    errors = np.array([[-8.0], [-1.0], [0.5], [9.0]], np.float32)
    alone, _ = losses.per_example_quantile_regression_loss(errors, None, 0 * errors, 0.3)
    weighted, _ = losses.per_example_quantile_regression_loss(errors, WEIGHTS, 0 * errors, 0.3)
    expected = np.array([[5.6], [0.49], [0.0225], [2.7]])
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(alone), expected, rtol=1e-6)
        np.testing.assert_allclose(session.run(weighted), WEIGHTS * expected, rtol=1e-6)


def test_probabilities_of_classes_are_clipped():
    shares = np.array([[0.95, 0.04, 0.01], [0.95, 0.04, 0.01], [0.3, 0.6, 0.1], [0.99, 0.009, 0.001]], np.float32)
    labels = np.array([[0], [1], [1], [0]])
    alone, _ = losses.per_example_maxent_loss(labels, None, np.log(shares), 3, eps=0.2)
    weighted, _ = losses.per_example_maxent_loss(labels, WEIGHTS, np.log(shares), 3, eps=0.2)
    expected = np.array([[0.7916666], [0.2], [0.5], [0.8]])
    with tf.Session() as session:
        np.testing.assert_allclose(np.exp(-session.run(alone)), expected, rtol=1e-5)
        np.testing.assert_allclose(session.run(weighted), WEIGHTS * -np.log(expected), rtol=1e-5)
