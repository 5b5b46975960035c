"""`sequence_loss`: averages against NumPy, other losses, gradients, and what is refused."""

import numpy as np
import pytest
from autodiff.differences import check

import ferroflow as tf

BATCH, TIME, CLASSES = 2, 3, 4
RNG = np.random.RandomState(0)
LOGITS = RNG.normal(size=(BATCH, TIME, CLASSES))
TARGETS = np.array([[0, 3, 1], [2, 2, 0]])
WEIGHTS = np.array([[1.0, 0.5, 0.0], [2.0, 1.0, 1.0]])


def cross_entropies():
    e = np.exp(LOGITS)
    probabilities = e / e.sum(-1, keepdims=True)
    return -np.log(np.take_along_axis(probabilities, TARGETS[..., None], -1)[..., 0])


@pytest.mark.parametrize("over_time", [True, False])
@pytest.mark.parametrize("over_batch", [True, False])
def test_losses_are_averaged_by_their_weights(over_time, over_batch):
    axis = {(True, True): (0, 1), (True, False): 1, (False, True): 0}.get((over_time, over_batch))
    expected = cross_entropies() * WEIGHTS
    if axis is not None:
        expected = expected.sum(axis) / WEIGHTS.sum(axis)
    with tf.Graph().as_default(), tf.Session() as session:
        logits = tf.placeholder(tf.float64, [None, None, CLASSES])
        loss = tf.contrib.seq2seq.sequence_loss(logits, TARGETS, WEIGHTS, over_time, over_batch)
        found = session.run(loss, {logits: LOGITS})
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_weights_of_zero_give_no_loss():
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.contrib.seq2seq.sequence_loss(LOGITS, TARGETS, 0 * WEIGHTS)) == 0


def test_another_loss_gets_its_arguments_by_name():
    def squares(labels, logits):
        assert logits.shape.as_list() == [None, CLASSES] or logits.shape[1].value == CLASSES
        return tf.square(tf.cast(labels, tf.float64)) + 0 * logits[:, 0]

    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tf.contrib.seq2seq.sequence_loss(LOGITS, TARGETS, WEIGHTS, softmax_loss_function=squares))
    np.testing.assert_allclose(found, (TARGETS**2 * WEIGHTS).sum() / WEIGHTS.sum())


def test_gradients_are_those_of_differences():
    check(lambda logits, weights: tf.contrib.seq2seq.sequence_loss(logits, TARGETS, weights), [LOGITS, WEIGHTS])


@pytest.mark.parametrize(
    ("position", "message"),
    [(0, "sequence_length x logits"), (1, "Targets must be a"), (2, "Weights must be a")],
)
def test_other_ranks_are_refused(position, message):
    arguments = [LOGITS, TARGETS, WEIGHTS]
    arguments[position] = arguments[position][0]
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        tf.contrib.seq2seq.sequence_loss(*arguments)


@pytest.mark.parametrize(
    ("timesteps", "batch", "shape"), [(True, True, []), (True, False, [2]), (False, True, [3]), (False, False, [2, 3])]
)
def test_sums_are_divided_by_the_number_of_weights_that_are_not_zero(timesteps, batch, shape):
    logits = np.random.RandomState(0).normal(size=[2, 3, 4]).astype(np.float32)
    targets, weights = np.array([[0, 1, 2], [3, 0, 1]]), np.array([[2, 1, 0], [3, 0, 0]], np.float32)
    loss = tf.contrib.seq2seq.sequence_loss(
        logits, targets, weights, False, False, sum_over_timesteps=timesteps, sum_over_batch=batch
    )
    each = np.log(np.exp(logits).sum(-1)) - np.take_along_axis(logits, targets[..., None], -1)[..., 0]
    axes = tuple(axis for axis, is_reduced in ((1, timesteps), (0, batch)) if is_reduced)
    expected = each * weights
    if axes:
        expected = expected.sum(axes) / np.maximum((weights != 0).sum(axes), 1e-12)
    with tf.Session() as session:
        found = session.run(loss)
    assert list(found.shape) == shape
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("dimension", ["timesteps", "batch"])
def test_a_dimension_has_one_kind_of_average(dimension):
    with pytest.raises(ValueError, match=f"average_across_{dimension} and sum_over_{dimension} cannot be set to True"):
        tf.contrib.seq2seq.sequence_loss(
            tf.zeros([2, 3, 4]), tf.zeros([2, 3], tf.int32), tf.ones([2, 3]), **{f"sum_over_{dimension}": True}
        )
