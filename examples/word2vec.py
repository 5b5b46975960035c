"""Learns vectors of a play's words from their neighbours, and draws the most frequent words where their vectors lie.

    python examples/word2vec.py --epochs=60 --out=examples/out

Skip-grams with negative sampling: Mikolov et al., Distributed Representations of Words and Phrases, 2013.
"""

import collections
import os
import re

import numpy as np
from gallery.digits import batches
from gallery.pictures import draw_points
from tqdm import tqdm

import ferroflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
RARE = "<rare>"
LEAST_COUNT = 3
VECTOR_SIZE = 32
WINDOW = 2
BATCH = 128
SAMPLED = 16
SEED = 1

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("epochs", 60, "Times that every pair of neighbours is seen.")
flags.DEFINE_string("out", os.path.join(HERE, "out"), "Folder for the picture.")


def read_words():
    """The play as word numbers, int64 [words], and the words by falling frequency; rare ones share number 0."""
    with open(os.path.join(HERE, "data", "coriolanus.txt"), encoding="ascii") as file:
        words = re.findall("[a-z']+", file.read().lower())
    counts = collections.Counter(words)
    vocabulary = [RARE, *(word for word, count in counts.most_common() if count >= LEAST_COUNT)]
    number = {word: i for i, word in enumerate(vocabulary)}
    return np.array([number.get(word, 0) for word in words]), vocabulary


def skip_grams(words):
    """Pairs each word with its neighbours: int64 [pairs, 2]."""
    pairs = [np.stack([words[:-distance], words[distance:]], 1) for distance in range(1, WINDOW + 1)]
    both = np.concatenate(pairs + [pair[:, ::-1] for pair in pairs])
    return both[(both != 0).all(1)]


def main(_):
    words, vocabulary = read_words()
    pairs = skip_grams(words)
    tf.set_random_seed(SEED)
    centers = tf.placeholder(tf.int64, [None], name="centers")
    neighbours = tf.placeholder(tf.int64, [None, 1], name="neighbours")
    start = tf.random_uniform_initializer(-0.5, 0.5)
    vectors = tf.get_variable("vectors", [len(vocabulary), VECTOR_SIZE], initializer=start)
    output_weights = tf.get_variable("output_weights", [len(vocabulary), VECTOR_SIZE], initializer=start)
    output_biases = tf.get_variable("output_biases", [len(vocabulary)], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(
        tf.nn.nce_loss(
            output_weights,
            output_biases,
            neighbours,
            tf.nn.embedding_lookup(vectors, centers),
            SAMPLED,
            len(vocabulary),
        )
    )
    train_op = tf.train.AdagradOptimizer(0.5).minimize(loss)
    directions = tf.nn.l2_normalize(vectors, 1)
    similarities = tf.matmul(directions, directions, transpose_b=True)

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        steps = FLAGS.epochs * (len(pairs) // BATCH)
        for batch in tqdm(batches(len(pairs), BATCH, FLAGS.epochs, SEED), total=steps, unit="step"):
            feeds = {centers: pairs[batch, 0], neighbours: pairs[batch, 1:]}
            losses.append(sess.run([train_op, loss], feeds)[1])
        found, alike = sess.run([vectors, similarities])
    tenth = max(1, len(losses) // 10)
    print(f"{len(vocabulary)} words, {len(pairs)} pairs: mean loss at first {np.mean(losses[:tenth]):.3f}")
    print(f"mean loss at last {np.mean(losses[-tenth:]):.3f}")
    for word in ("marcius", "rome", "he", "my"):
        nearest = np.argsort(-alike[vocabulary.index(word), 1:])[1:6] + 1
        print(f"near {word}: {', '.join(vocabulary[i] for i in nearest)}")
    frequent = found[1:120] - found[1:120].mean(0)
    axes = np.linalg.svd(frequent, full_matrices=False)[2][:2]
    draw_points(os.path.join(FLAGS.out, "words.png"), frequent @ axes.T, vocabulary[1:120])


if __name__ == "__main__":
    tf.app.run(main)
