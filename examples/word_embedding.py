"""Learns word vectors by predicting the neighbours of each word of a short text (skip-gram with a full softmax)."""

import re

import numpy as np

import ferroflow as tf

# Abraham Lincoln, Gettysburg Address, 1863.
TEXT = """
Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in Liberty, and
dedicated to the proposition that all men are created equal. Now we are engaged in a great civil war, testing whether
that nation, or any nation so conceived and so dedicated, can long endure. We are met on a great battle-field of that
war. We have come to dedicate a portion of that field, as a final resting place for those who here gave their lives that
that nation might live. It is altogether fitting and proper that we should do this. But, in a larger sense, we can not
dedicate -- we can not consecrate -- we can not hallow -- this ground. The brave men, living and dead, who struggled
here, have consecrated it, far above our poor power to add or detract.
"""
UNKNOWN = "<unknown>"
VECTOR_SIZE = 16
WINDOW = 2
STEPS = 300


def skip_grams(words):
    """Pairs each word with its neighbours: two int32 arrays [pairs] of word numbers, and the vocabulary."""
    vocabulary = [UNKNOWN, *sorted(set(words))]
    numbers = [vocabulary.index(word) for word in words]
    pairs = [
        (numbers[center], numbers[other])
        for center in range(len(numbers))
        for other in range(max(0, center - WINDOW), min(len(numbers), center + WINDOW + 1))
        if other != center
    ]
    centers, neighbours = np.array(pairs, np.int32).T
    return centers, neighbours, vocabulary


def main(_):
    centers, neighbours, vocabulary = skip_grams(re.findall("[a-z]+", TEXT.lower()))
    tf.set_random_seed(1)
    center_ids = tf.placeholder(tf.int32, [None], name="centers")
    neighbour_ids = tf.placeholder(tf.int32, [None], name="neighbours")
    with tf.variable_scope("word2vec"):
        embeddings = tf.get_variable(
            "embeddings", [len(vocabulary), VECTOR_SIZE], initializer=tf.random_uniform_initializer(-1.0, 1.0)
        )
        vectors = tf.nn.embedding_lookup(embeddings, center_ids)
        output_weights = tf.get_variable("output_weights", [VECTOR_SIZE, len(vocabulary)])
        logits = tf.matmul(vectors, output_weights)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=neighbour_ids, logits=logits), name="loss"
    )
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    train_op = optimizer.minimize(loss, name="train")

    assert [v.name for v in tf.global_variables()] == ["word2vec/embeddings:0", "word2vec/output_weights:0"]
    assert tf.trainable_variables() == tf.global_variables()
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [train_op]
    assert train_op.name == "train"
    assert vectors.get_shape().as_list() == [None, VECTOR_SIZE]
    # The gradient of a lookup is the rows that were looked up, not a whole matrix.
    (rows,) = tf.gradients(loss, [embeddings])
    assert isinstance(rows, tf.IndexedSlices)

    feeds = {center_ids: centers, neighbour_ids: neighbours}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(embeddings)
        assert before.shape == (len(vocabulary), VECTOR_SIZE)
        assert before.min() >= -1
        assert before.max() < 1
        assert np.array_equal(sess.run(vectors, {center_ids: [3, 0, 3]}), before[[3, 0, 3]])
        row_ids, row_values = sess.run([rows.indices, rows.values], feeds)
        assert np.array_equal(row_ids, centers)
        assert row_values.shape == (len(centers), VECTOR_SIZE)

        first_loss = sess.run(loss, feeds)
        for _ in range(STEPS):
            sess.run(train_op, feeds)
        last_loss, after = sess.run([loss, embeddings], feeds)
        assert last_loss < first_loss - 1
        # A word that is never looked up keeps its vector to the bit; all others move.
        unmoved = [word for word, old, new in zip(vocabulary, before, after, strict=True) if np.array_equal(old, new)]
        assert unmoved == [UNKNOWN], unmoved
        try:
            sess.run(vectors, {center_ids: [len(vocabulary)]})
        except tf.errors.InvalidArgumentError as error:
            message = str(error)
        assert "is not in" in message, message
    print(f"{len(vocabulary)} words, {len(centers)} pairs, loss {first_loss:.4f} -> {last_loss:.4f}")


if __name__ == "__main__":
    tf.app.run(main)
