"""Encoders of ids give rows of their table, or the means of them."""

import numpy as np
import pytest
from deprecations import logs_deprecation

import ferroflow as tf

layers = tf.contrib.layers
TABLE = np.arange(8, dtype=np.float32).reshape(4, 2)
IDS = np.array([[1, 2], [3, 0]])


def value(*tensors):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(list(tensors))


def test_sequences_get_their_rows_and_share_a_table():
    with tf.Graph().as_default():
        rows = layers.embed_sequence(IDS, 4, 2, initializer=tf.constant_initializer(TABLE), scope="words")
        again = layers.embed_sequence(IDS[:1], reuse=True, unique=True, scope="words")
        (table,) = tf.contrib.framework.get_model_variables()
        assert table.op.name == "words/embeddings"
        rows, again = value(rows, again)
    np.testing.assert_array_equal(rows, TABLE[IDS])
    np.testing.assert_array_equal(again, TABLE[IDS[:1]])


def test_bags_have_the_means_of_their_rows():
    with tf.Graph().as_default():
        start = tf.constant_initializer(TABLE)
        sparse = tf.SparseTensor([[0, 1], [2, 0]], tf.constant([0, 3], tf.int64), [3, 2])
        bags = value(
            layers.bow_encoder(IDS, 4, 2, initializer=start),
            layers.bow_encoder(IDS, 4, 2, sparse_lookup=False, initializer=start),
            layers.bow_encoder(sparse, 4, 2, initializer=start),
        )
    np.testing.assert_allclose(bags[0], [TABLE[1:3].mean(0), TABLE[3]])
    np.testing.assert_allclose(bags[1], TABLE[IDS].mean(1))
    np.testing.assert_allclose(bags[2], [TABLE[0], TABLE[0], TABLE[3]])


def test_arguments_are_checked():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="when not reusing"):
            layers.embed_sequence(IDS, 4)
        with pytest.raises(ValueError, match="Must specify vocab size"):
            layers.bow_encoder(IDS, 0, 2)
        sparse = tf.SparseTensor([[0, 1]], [1], [1, 2])
        with pytest.raises(TypeError, match="expected to be dense"):
            layers.bow_encoder(sparse, 4, 2, sparse_lookup=False)


def test_names_from_before_tensorflow_1_are_there():
    with tf.Graph().as_default():
        steps = [tf.ones([2, 3])] * 2
        with logs_deprecation(r"tf\.nn\.static_rnn"):
            outputs, _ = tf.nn.rnn(tf.nn.rnn_cell.GRUCell(4), steps, dtype=tf.float32)
        assert outputs[0].shape.as_list() == [2, 4]
        assert tf.nn.seq2seq.sequence_loss is tf.contrib.legacy_seq2seq.sequence_loss
        assert tf.nn.rnn_cell.OutputProjectionWrapper is tf.contrib.rnn.OutputProjectionWrapper
    assert tf.contrib.learn.ModeKeys.INFER == tf.estimator.ModeKeys.PREDICT == "infer"
