"""Learns a plane of latent codes for handwritten digits, and draws the digit that each point of the plane decodes to.

    python examples/variational_autoencoder.py --epochs=100 --out=examples/out

Kingma and Welling, Auto-Encoding Variational Bayes, 2013.
"""

import os

import numpy as np
from gallery.digits import SIDE, batches, load_digits
from gallery.pictures import draw_images
from tqdm import tqdm

import ferroflow as tf

PIXELS = SIDE * SIDE
CODES = 2
BATCH = 64
GRID = 12
SEED = 1

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("epochs", 100, "Times that the model sees every training image.")
flags.DEFINE_string("out", os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"), "Folder for the picture.")


def encode(images):
    """Means and logarithms of the variances of the codes, both [batch, codes]."""
    with tf.variable_scope("encoder"):
        hidden = tf.layers.dense(images, 128, tf.nn.relu)
        return tf.layers.dense(hidden, CODES, name="mean"), tf.layers.dense(hidden, CODES, name="log_variance")


def decode(codes):
    """Logits [batch, pixels] of how black each pixel is."""
    with tf.variable_scope("decoder", reuse=tf.AUTO_REUSE):
        hidden = tf.layers.dense(codes, 128, tf.nn.relu, name="hidden")
        return tf.layers.dense(hidden, PIXELS, name="pixels")


def main(_):
    (train_images, _), (test_images, _) = load_digits(SEED)
    tf.set_random_seed(SEED)
    images = tf.placeholder(tf.float32, [None, PIXELS], name="images")
    mean, log_variance = encode(images)
    codes = mean + tf.exp(0.5 * log_variance) * tf.random_normal(tf.shape(mean))
    errors = tf.nn.sigmoid_cross_entropy_with_logits(labels=images, logits=decode(codes))
    reconstruction = tf.reduce_mean(tf.reduce_sum(errors, 1))
    divergence = 0.5 * tf.reduce_mean(tf.reduce_sum(tf.square(mean) + tf.exp(log_variance) - log_variance - 1.0, 1))
    loss = reconstruction + divergence
    train_op = tf.train.AdamOptimizer(0.002).minimize(loss)

    given_codes = tf.placeholder(tf.float32, [None, CODES], name="codes")
    decoded = tf.sigmoid(decode(given_codes))

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(loss, {images: test_images})
        steps = FLAGS.epochs * (len(train_images) // BATCH)
        progress = tqdm(batches(len(train_images), BATCH, FLAGS.epochs, SEED), total=steps, unit="step")
        for step, batch in enumerate(progress):
            _, value = sess.run([train_op, loss], {images: train_images[batch]})
            if step % 20 == 0:
                progress.set_postfix(loss=f"{value:.2f}")
        after = sess.run(loss, {images: test_images})
        axis = np.linspace(-2, 2, GRID, dtype=np.float32)
        plane = np.array([(x, y) for y in axis for x in axis])
        pictures = sess.run(decoded, {given_codes: plane})
    print(f"test loss before {before:.2f} and after {after:.2f} nats for each image")
    draw_images(os.path.join(FLAGS.out, "plane.png"), pictures.reshape(-1, SIDE, SIDE), GRID)


if __name__ == "__main__":
    tf.app.run(main)
