"""Laws of weighted losses: what weights, reductions, unknown shapes and collections do."""

import numpy as np
import pytest
from deprecations import logs_deprecation
from hypothesis import given, strategies as st

import ferroflow as tf

REDUCTIONS = tf.losses.Reduction


def evaluate(build, feeds=None):
    with tf.Graph().as_default(), tf.Session() as session:
        made = build()
        return session.run(made, feeds and {session.graph.get_tensor_by_name(k): v for k, v in feeds.items()})


def reduced(losses, weights, reduction):
    broadcast = np.broadcast_to(weights, losses.shape)
    total = (losses * broadcast).sum()
    count = {
        REDUCTIONS.SUM: 1,
        REDUCTIONS.MEAN: broadcast.sum(),
        REDUCTIONS.SUM_OVER_BATCH_SIZE: losses.size,
        REDUCTIONS.SUM_BY_NONZERO_WEIGHTS: (broadcast != 0).sum(),
    }
    if reduction == REDUCTIONS.NONE:
        return losses * broadcast
    return total / count[reduction] if count[reduction] else 0.0


@pytest.mark.parametrize("reduction", REDUCTIONS.all())
@given(seed=st.integers(0, 2**32 - 1), known=st.booleans())
def test_weighted_losses_are_numpys_for_any_broadcast_weights(reduction, seed, known):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 4, size=rng.integers(1, 4))
    losses = rng.uniform(0, 2, shape).astype(np.float32)
    weights_shape = () if rng.integers(3) == 0 else np.where(rng.integers(2, size=len(shape)) == 1, shape, 1)
    weights = rng.integers(0, 3, weights_shape).astype(np.float32)

    def build():
        given = [tf.placeholder_with_default(x, x.shape if known else None) for x in (losses, weights)]
        return tf.losses.compute_weighted_loss(*given, reduction=reduction)

    np.testing.assert_allclose(evaluate(build), reduced(losses, weights, reduction), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(2,), (3, 3), (2, 2), (1, 3, 1), (2, 3, 1)])
def test_weights_of_another_shape_are_refused_now_or_in_the_step(shape):
    losses, weights = np.ones([2, 3], np.float32), np.ones(shape, np.float32)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="weights can not be broadcast to values"):
        tf.losses.compute_weighted_loss(losses, weights)

    def build():
        return tf.losses.compute_weighted_loss(losses, tf.placeholder(tf.float32, name="w"))

    with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast to values"):
        evaluate(build, {"w:0": weights})


@given(seed=st.integers(0, 2**32 - 1))
def test_pairwise_error_is_the_mean_over_pairs_of_present_elements(seed):
    rng = np.random.default_rng(seed)
    batch, n = rng.integers(1, 4), rng.integers(2, 6)
    labels, predictions = rng.normal(size=(2, batch, n)).astype(np.float32)
    weights = rng.integers(0, 3, (batch, 1)).astype(np.float32)
    d = predictions - labels
    expected = sum(
        weights[b, 0] * sum((d[b, i] - d[b, j]) ** 2 for i in range(n) for j in range(n)) / (n * (n - 1))
        for b in range(batch)
    )
    found = evaluate(lambda: tf.losses.mean_pairwise_squared_error(labels, predictions, weights))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_a_batch_without_weight_has_loss_and_gradient_zero():
    def build():
        predictions = tf.constant([[1.0, 2.0]])
        loss = tf.losses.mean_squared_error([[0.0, 0.0]], predictions, weights=tf.constant(0.0))
        return [loss, *tf.gradients(loss, predictions)]

    loss, gradient = evaluate(build)
    assert loss == 0
    np.testing.assert_array_equal(gradient, [[0, 0]])


@pytest.mark.parametrize("labels_rank", [1, 2])
@pytest.mark.parametrize("weights_rank", [0, 1, 2])
def test_ranks_of_sparse_labels_and_weights_are_matched_in_the_step(labels_rank, weights_rank):
    labels = np.array([0, 2]).reshape([2, 1][:labels_rank])
    logits = np.array([[1.0, 2.0, 3.0], [0.0, 0.5, 0.0]], np.float32)
    weights = np.array([1.0, 3.0], np.float32).reshape([2, 1][:weights_rank]) if weights_rank else np.float32(2)

    def build():
        given = [tf.placeholder_with_default(x, None) for x in (labels, logits, weights)]
        return tf.losses.sparse_softmax_cross_entropy(*given)

    log_softmax = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    losses = -log_softmax[[0, 1], [0, 2]]
    np.testing.assert_allclose(evaluate(build), (losses * np.ravel(weights)).mean(), rtol=1e-5)


def test_losses_are_collected_and_added_up_with_those_of_regularizers():
    def build():
        one = tf.losses.absolute_difference([0.0], [1.0], scope="one")
        with tf.name_scope("two"):
            tf.losses.mean_squared_error([0.0], [3.0])
        tf.losses.absolute_difference([0.0], [100.0], loss_collection=None)
        tf.losses.absolute_difference([0.0], [100.0], loss_collection="mine")
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.5))
        assert tf.losses.get_losses("one") == [one]
        assert len(tf.losses.get_losses()) == 2
        assert len(tf.losses.get_losses(loss_collection="mine")) == 1
        totals = [tf.losses.get_total_loss(), tf.losses.get_total_loss(add_regularization_losses=False)]
        return [*totals, tf.losses.get_regularization_loss()]

    assert evaluate(build) == [10.5, 10.0, 0.5]


def test_without_regularizers_their_loss_is_zero():
    assert evaluate(tf.losses.get_regularization_loss) == 0


def test_arguments_that_are_missing_or_unknown_are_refused():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="labels must not be None"):
            tf.losses.mean_squared_error(None, [1.0])
        with pytest.raises(ValueError, match="predictions must not be None"):
            tf.losses.huber_loss([1.0], None)
        with pytest.raises(ValueError, match="logits must not be None"):
            tf.losses.softmax_cross_entropy([[1.0]], None)
        with pytest.raises(ValueError, match="axis"):
            tf.losses.cosine_distance([1.0], [1.0])
        with pytest.raises(ValueError, match="Invalid ReductionKey"):
            tf.losses.compute_weighted_loss([1.0], reduction="most")
        with pytest.raises(ValueError, match=r"are incompatible|not compatible"):
            tf.losses.mean_squared_error([1.0], [1.0, 2.0])


def test_the_old_name_of_the_axis_is_taken_with_a_warning():
    def build():
        return tf.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], dim=1)

    with logs_deprecation("axis"):
        assert evaluate(build) == 1
