"""Learns to write like the first act of a play, character by character, with an LSTM, and writes some lines.

    python examples/character_lstm.py --epochs=40 --out=examples/out

Prints the same on every run and with any number of threads. The picture needs matplotlib.
"""

import os

import numpy as np
from gallery.pictures import draw_curves
from tqdm import tqdm

import ferroflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
UNITS, BATCH, STEPS = 128, 32, 40

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("threads", 0, "Threads of the session; 0 for one per core.")
flags.DEFINE_integer("epochs", 40, "Times that the text is read.")
flags.DEFINE_integer("characters", 400, "How many characters to write.")
flags.DEFINE_float("temperature", 0.6, "Below 1: safer choices; above: more surprising ones.")
flags.DEFINE_string("out", os.path.join(HERE, "out"), "Folder for the picture.")


def batches(numbers):
    """Cuts a text into BATCH parts that are read side by side, STEPS characters at a time: inputs and what follows."""
    length = (len(numbers) - 1) // (BATCH * STEPS) * STEPS
    inputs = numbers[: BATCH * length].reshape(BATCH, length)
    targets = numbers[1 : BATCH * length + 1].reshape(BATCH, length)
    return [(inputs[:, t : t + STEPS], targets[:, t : t + STEPS]) for t in range(0, length, STEPS)]


def main(_):
    with open(os.path.join(HERE, "data", "coriolanus.txt"), encoding="ascii") as file:
        text = file.read()
    alphabet = sorted(set(text))
    numbers = np.array([alphabet.index(character) for character in text], np.int32)
    print(f"{len(text)} characters, {len(alphabet)} different ones")

    tf.set_random_seed(1)
    inputs = tf.placeholder(tf.int32, [None, None])
    targets = tf.placeholder(tf.int32, [None, None])
    cell = tf.nn.rnn_cell.BasicLSTMCell(UNITS)
    start = cell.zero_state(tf.shape(inputs)[0], tf.float32)
    outputs, end = tf.nn.dynamic_rnn(cell, tf.one_hot(inputs, len(alphabet)), initial_state=start)
    logits = tf.layers.dense(outputs, len(alphabet), name="logits")
    loss = tf.contrib.seq2seq.sequence_loss(logits, targets, tf.ones_like(targets, tf.float32))
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
    train_op = tf.train.AdamOptimizer(0.005).apply_gradients(zip(gradients, variables, strict=True))
    drawn = tf.multinomial(logits[:, -1] / FLAGS.temperature, 1, output_dtype=tf.int32)

    config = tf.ConfigProto(intra_op_parallelism_threads=FLAGS.threads, inter_op_parallelism_threads=FLAGS.threads)
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        losses = []
        epochs = tqdm(range(FLAGS.epochs), unit="epoch")
        for _ in epochs:
            state = sess.run(start, {inputs: np.zeros([BATCH, 1])})
            for before, after in batches(numbers):
                _, state, now = sess.run([train_op, end, loss], {inputs: before, targets: after, start: state})
                losses.append(now)
            epochs.set_postfix(loss=f"{losses[-1]:.3f}")
        print(f"loss {losses[0]!s} at first, {losses[-1]!s} at last")

        written = [alphabet.index("\n")]
        state = sess.run(start, {inputs: [written]})
        for _ in range(FLAGS.characters):
            following, state = sess.run([drawn, end], {inputs: [written[-1:]], start: state})
            written.append(following[0, 0])
        print("".join(alphabet[number] for number in written[1:]))

    path = os.path.join(FLAGS.out, "character_loss.png")
    draw_curves(path, {"training loss": losses}, "step", "cross entropy per character, nats")


if __name__ == "__main__":
    tf.app.run(main)
