"""The losses of `tf.contrib.losses`: predictions first, and weights of leading dimensions."""

import numpy as np
import pytest
from deprecations import logs_deprecation

import ferroflow as tf

RNG = np.random.RandomState(3)
LABELS = RNG.uniform(0, 1, (4, 3)).astype(np.float32)
PREDICTIONS = RNG.uniform(0.1, 0.9, (4, 3)).astype(np.float32)
WEIGHTS = np.array([0, 2, 1, 0], np.float32)


def evaluate(build):
    with tf.Graph().as_default(), tf.Session() as session:
        loss = build()
        assert tf.losses.get_losses() == [loss]
        return session.run(loss)


def weighted_mean(losses, weights):
    weights = np.broadcast_to(
        np.reshape(weights, np.shape(weights) + (1,) * (losses.ndim - np.ndim(weights))), losses.shape
    )
    return (losses * weights).sum() / (weights != 0).sum()


ELEMENTWISE = {
    "absolute_difference": abs(PREDICTIONS - LABELS),
    "mean_squared_error": (PREDICTIONS - LABELS) ** 2,
    "log_loss": -LABELS * np.log(PREDICTIONS + 1e-7) - (1 - LABELS) * np.log(1 - PREDICTIONS + 1e-7),
    "sigmoid_cross_entropy": np.log1p(np.exp(PREDICTIONS)) - PREDICTIONS * LABELS,
}


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize(
    "weights", [np.float32(1.5), WEIGHTS, WEIGHTS[:, None], LABELS], ids=lambda w: str(np.shape(w))
)
def test_weights_are_of_leading_dimensions(name, weights):
    found = evaluate(lambda: getattr(tf.contrib.losses, name)(PREDICTIONS, LABELS, weights))
    leading = weights[:, 0] if np.shape(weights) == (4, 1) else weights
    np.testing.assert_allclose(found, weighted_mean(ELEMENTWISE[name], leading), rtol=1e-5)


@pytest.mark.parametrize("weights", [np.float32(1.5), WEIGHTS], ids=["scalar", "batch"])
def test_losses_of_one_number_for_an_example(weights):
    log_softmax = PREDICTIONS - np.log(np.exp(PREDICTIONS).sum(1, keepdims=True))
    classes = np.array([[0], [2], [1], [1]])
    cases = [
        (lambda: tf.contrib.losses.softmax_cross_entropy(PREDICTIONS, LABELS, weights), -(LABELS * log_softmax).sum(1)),
        (
            lambda: tf.contrib.losses.sparse_softmax_cross_entropy(PREDICTIONS, classes, weights),
            -np.take_along_axis(log_softmax, classes, 1)[:, 0],
        ),
        (
            lambda: tf.contrib.losses.cosine_distance(PREDICTIONS, LABELS, 1, weights),
            1 - (PREDICTIONS * LABELS).sum(1),
        ),
        (lambda: tf.contrib.losses.compute_weighted_loss(LABELS[:, 0], weights), LABELS[:, 0]),
    ]
    for build, losses in cases:
        np.testing.assert_allclose(evaluate(build), weighted_mean(losses, weights), rtol=1e-5)


def test_hinge_losses_are_neither_reduced_nor_collected():
    with tf.Graph().as_default(), tf.Session() as session:
        losses = session.run(tf.contrib.losses.hinge_loss(PREDICTIONS, np.round(LABELS)))
        assert tf.losses.get_losses() == []
    np.testing.assert_allclose(losses, np.maximum(0, 1 - (2 * np.round(LABELS) - 1) * PREDICTIONS), rtol=1e-6)


def test_pairwise_error_counts_pairs_of_an_element_with_itself():
    d = PREDICTIONS - LABELS
    pairs = ((d[:, :, None] - d[:, None, :]) ** 2).mean((1, 2))
    found = evaluate(lambda: tf.contrib.losses.mean_pairwise_squared_error(PREDICTIONS, LABELS, WEIGHTS))
    np.testing.assert_allclose(found, (pairs * WEIGHTS).sum(), rtol=1e-4)


def test_every_one_names_its_newer_form():
    with tf.Graph().as_default(), logs_deprecation(r"use tf\.losses\.log_loss"):
        tf.contrib.losses.log_loss(PREDICTIONS, LABELS)


def test_unknown_ranks_are_refused():
    with tf.Graph().as_default():
        unknown = tf.placeholder(tf.float32)
        with pytest.raises(ValueError, match="losses"):
            tf.contrib.losses.compute_weighted_loss(unknown)
        with pytest.raises(ValueError, match="weights"):
            tf.contrib.losses.compute_weighted_loss(LABELS, unknown)
