"""Trains a convolutional network to read handwritten digits.

    python examples/convolutional_network.py --epochs=20 --out=examples/out

Prints the same numbers on every run. The picture, of the digits it misreads, needs matplotlib.
"""

import os

import numpy as np
from gallery.digits import SIDE, batches, load_digits
from gallery.pictures import draw_images
from tqdm import tqdm

import ferroflow as tf

CLASSES = 10
BATCH = 64
SEED = 1

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("epochs", 20, "Times that the network sees every training image.")
flags.DEFINE_string("out", os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"), "Folder for the picture.")


def network(images, is_training):
    """Logits [batch, classes] of images [batch, pixels]."""
    features = tf.reshape(images, [-1, SIDE, SIDE, 1])
    for number, filters in enumerate((32, 64)):
        with tf.variable_scope(f"block{number}"):
            features = tf.layers.conv2d(features, filters, 3, padding="same", use_bias=False)
            features = tf.layers.batch_normalization(features, momentum=0.9, training=is_training)
            features = tf.layers.max_pooling2d(tf.nn.relu(features), 2, 2)
    features = tf.layers.dense(tf.layers.flatten(features), 128, tf.nn.relu)
    features = tf.layers.dropout(features, 0.4, training=is_training)
    return tf.layers.dense(features, CLASSES)


def main(_):
    training, test = load_digits(SEED)
    tf.set_random_seed(SEED)
    images = tf.placeholder(tf.float32, [None, SIDE * SIDE], name="images")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    is_training = tf.placeholder_with_default(False, [], name="is_training")
    logits = network(images, is_training)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    predictions = tf.argmax(logits, 1)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(predictions, labels), tf.float32))

    global_step = tf.train.get_or_create_global_step()
    steps = FLAGS.epochs * (len(training[1]) // BATCH)
    learning_rate = tf.train.cosine_decay(0.002, global_step, steps)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.AdamOptimizer(learning_rate).minimize(loss, global_step=global_step)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        progress = tqdm(batches(len(training[1]), BATCH, FLAGS.epochs, SEED), total=steps, unit="step")
        for batch in progress:
            feeds = {images: training[0][batch], labels: training[1][batch], is_training: True}
            _, value, step = sess.run([train_op, loss, global_step], feeds)
            if step % 20 == 0:
                progress.set_postfix(loss=f"{value:.4f}")
        read, found = sess.run([accuracy, predictions], {images: test[0], labels: test[1]})
    print(f"{steps} steps, test accuracy {read!s}")
    wrong = np.flatnonzero(found != test[1])
    titles = [f"{test[1][i]} read as {found[i]}" for i in wrong]
    draw_images(os.path.join(FLAGS.out, "misread.png"), test[0][wrong].reshape(-1, SIDE, SIDE), 8, titles)


if __name__ == "__main__":
    tf.app.run(main)
