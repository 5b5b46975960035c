"""Draws of the decoding helpers, with the bits of TensorFlow 1.15.5."""

import numpy as np
import pytest

import ferroflow as tf
from ferroflow.contrib.seq2seq.python.ops import helper as helpers

seq2seq = tf.contrib.seq2seq

TABLE = np.random.RandomState(0).randn(7, 4).astype(np.float32)
INPUTS = np.random.RandomState(1).randn(5, 6, 4).astype(np.float32)
# What TensorFlow 1.15.5 draws in the program below.
DRAWN = {
    "ids": [[-1, 6, 1, -1, 1, 1], [-1, -1, 4, -1, 3, -1], [2, -1, 5, -1, 0, -1], [-1, -1, 1, 1, -1, -1]],
    "outputs": [[1, 1, 0, 1, 0, 0], [0, 0, 1, 1, 1, 0], [0, 1, 1, 0, 1, 0], [0, 1, 1, 1, 1, 0]],
    "samples": [[2, 6, 1, 5, 1], [4, 6, 5, 0, 4], [2, 6, 5, 1, 0], [6, 3, 1, 1, 5]],
}


def decoded(helper, scope, units):
    """The ids that a decoder draws with a helper; its cell's initial values depend on the operations before."""
    with tf.variable_scope(scope):
        cell = tf.nn.rnn_cell.GRUCell(4)
        output_layer = units and tf.layers.Dense(units)
        decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(5, tf.float32), output_layer)
        limit = 5 if scope == "samples" else None
        return seq2seq.dynamic_decode(decoder, maximum_iterations=limit)[0].sample_id


def test_draws_and_default_seeds_are_tensorflows():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(2)
        tf.random_normal([3])
        table, inputs = tf.constant(TABLE), tf.constant(INPUTS)
        lengths = [6] * 5
        mixed = seq2seq.ScheduledEmbeddingTrainingHelper(inputs, lengths, table, 0.5, seed=3)
        found = {"ids": decoded(mixed, "ids", 7)}
        own = seq2seq.ScheduledOutputTrainingHelper(inputs, lengths, 0.5, seed=4)
        found["outputs"] = decoded(own, "outputs", None)
        drawn = seq2seq.SampleEmbeddingHelper(table, tf.fill([5], 1), 2, seed=3)
        found["samples"] = decoded(drawn, "samples", 7)
        session.run(tf.global_variables_initializer())
        assert {name: session.run(ids)[:4].tolist() for name, ids in found.items()} == DRAWN


@pytest.mark.parametrize(("shape", "leading"), [((), ()), (3, (3,)), ([2, 3], (2, 3))])
def test_samples_have_the_shape_asked_for(shape, leading):
    with tf.Graph().as_default(), tf.Session() as session:
        coins = session.run(helpers.bernoulli_sample(logits=[50.0, -50.0], sample_shape=shape))
        classes = session.run(helpers.categorical_sample([[0.0, 99.0], [99.0, 0.0]], tf.int64, sample_shape=shape))
    assert coins.shape == classes.shape == (*leading, 2)
    assert (coins == [1, 0]).all()
    assert (classes == [1, 0]).all()
    assert (coins.dtype, classes.dtype) == (np.int32, np.int64)
