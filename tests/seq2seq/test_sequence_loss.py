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
