"""The CTC loss of labels that no way through the frames gives is infinite, and its gradient that of a softmax."""

import itertools

import numpy as np
from hypothesis import given, settings, strategies as st

import ferroflow as tf


def _loss_and_gradient(labels, logits, lengths):
    places = [[b, t] for b, row in enumerate(labels) for t in range(len(row))]
    values = np.array([label for row in labels for label in row], np.int32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(logits, tf.float32)
        loss = tf.nn.ctc_loss(tf.SparseTensor(places, values, [len(labels), 9]), x, lengths)
        return session.run([loss, tf.gradients(loss, x)[0]])


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_equal_labels_in_too_few_frames():
    x = np.array([[[0.1, 0.772]], [[0.1, 0.772]]])
    loss, gradient = _loss_and_gradient([[0, 0]], x, [2])
    assert np.isposinf(loss[0])
    np.testing.assert_allclose(gradient, _softmax(x), rtol=1e-5)
    np.testing.assert_allclose(gradient[0, 0], [0.338, 0.662], atol=1e-3)


@settings(max_examples=30)
@given(
    labels=st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=3), min_size=1, max_size=4),
    spare=st.integers(0, 2),
    seed=st.integers(0, 1000),
)
def test_a_sequence_that_cannot_be_changes_no_other(labels, spare, seed):
    frames = max(map(len, labels)) + spare
    lengths = [len(row) + spare for row in labels]
    x = np.random.RandomState(seed).standard_normal([frames, len(labels), 3])
    loss, gradient = _loss_and_gradient(labels, x, lengths)
    for b, (row, length) in enumerate(zip(labels, lengths, strict=True)):
        needed = len(row) + sum(i == j for i, j in itertools.pairwise(row))
        alone = _loss_and_gradient([row], x[:, b : b + 1], [length])
        np.testing.assert_array_equal(alone[0][0], loss[b])
        np.testing.assert_array_equal(alone[1][:, 0], gradient[:, b])
        assert np.isposinf(loss[b]) == (needed > length)
        if needed > length:
            np.testing.assert_allclose(gradient[:length, b], _softmax(x[:length, b]), rtol=1e-5)
        np.testing.assert_array_equal(gradient[length:, b], 0.0)
