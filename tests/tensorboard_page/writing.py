"""A training run and one of every kind of summary, written with ferroflow for TensorBoard to show."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import ferroflow as tf
from ferroflow.contrib.tensorboard.plugins import projector

STEPS = 60
WORDS = ("one", "two", "three", "four", "five", "six")


def write_run(folder: Path) -> list[float]:
    """Trains a small network and writes all summaries; the losses, in the order of the steps."""
    rng = np.random.RandomState(0)
    inputs = rng.standard_normal((64, 8)).astype(np.float32)
    labels = (inputs[:, 0] * inputs[:, 1] > 0).astype(np.int64)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, 8], name="inputs")
        y = tf.placeholder(tf.int64, [None], name="labels")
        hidden = tf.layers.dense(x, 32, activation=tf.nn.tanh, name="hidden")
        logits = tf.layers.dense(hidden, 2, name="logits")
        with tf.name_scope("loss"):
            loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
        with tf.name_scope("training"):
            train = tf.train.AdamOptimizer(0.02).minimize(loss)
        with tf.name_scope("summaries"):
            embedding = tf.get_variable("word_vectors", initializer=rng.standard_normal((6, 4)).astype(np.float32))
            tf.summary.scalar("training_loss", loss)
            tf.summary.histogram("hidden_values", hidden)
            picture = np.zeros((1, 12, 16, 3), np.uint8)
            picture[:, 2:10, 3:13] = (255, 128, 0)
            tf.summary.image("a_picture", tf.constant(picture))
            tone = np.sin(np.arange(800) * 2 * math.pi * 440 / 8000).astype(np.float32)
            tf.summary.audio("a_tone", tf.constant(tone.reshape(1, 800, 1)), 8000)
            tf.summary.text("a_note", tf.constant("trained with **ferroflow**"))
            merged = tf.summary.merge_all()
        session.run(tf.global_variables_initializer())
        losses = []
        with tf.summary.FileWriter(str(folder), graph) as writer:
            for step in range(STEPS):
                value, _, summary = session.run([loss, train, merged], {x: inputs, y: labels})
                losses.append(float(value))
                writer.add_summary(summary, step)
            config = projector.ProjectorConfig()
            shown = config.embeddings.add()
            shown.tensor_name = embedding.op.name
            shown.metadata_path = "words.tsv"
            # TensorBoard reads checkpoints only where TensorFlow is installed, and tables everywhere.
            shown.tensor_path = "vectors.tsv"
            projector.visualize_embeddings(writer, config)
        (folder / "words.tsv").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
        np.savetxt(folder / "vectors.tsv", session.run(embedding), delimiter="\t")
    return losses
