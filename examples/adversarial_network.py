"""Trains a generator of handwritten digits against a discriminator that tells them from real ones.

    python examples/adversarial_network.py --epochs=150 --out=examples/out

Goodfellow et al., Generative Adversarial Nets, 2014.
"""

import os

import numpy as np
from gallery.digits import SIDE, batches, load_digits
from gallery.pictures import draw_images
from tqdm import tqdm

import ferroflow as tf

PIXELS = SIDE * SIDE
NOISE = 16
BATCH = 64
SEED = 1

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("epochs", 150, "Times that the discriminator sees every training image.")
flags.DEFINE_string("out", os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"), "Folder for the picture.")


def generate(noise):
    """Images [batch, pixels] from 0 to 1, of noise [batch, 16]."""
    with tf.variable_scope("generator"):
        hidden = tf.layers.dense(noise, 128, tf.nn.relu)
        hidden = tf.layers.dense(hidden, 128, tf.nn.relu)
        return tf.layers.dense(hidden, PIXELS, tf.sigmoid)


def discriminate(images):
    """Logits [batch, 1] of how real images look."""
    with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
        hidden = tf.layers.dense(images, 128, tf.nn.leaky_relu, name="hidden1")
        hidden = tf.layers.dense(hidden, 128, tf.nn.leaky_relu, name="hidden2")
        return tf.layers.dense(hidden, 1, name="logits")


def cross_entropy(logits, is_real):
    labels = tf.ones_like(logits) if is_real else tf.zeros_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


def main(_):
    (train_images, _), (test_images, _) = load_digits(SEED)
    tf.set_random_seed(SEED)
    real = tf.placeholder(tf.float32, [None, PIXELS], name="real")
    noise = tf.placeholder(tf.float32, [None, NOISE], name="noise")
    made = generate(noise)
    real_logits, made_logits = discriminate(real), discriminate(made)
    discriminator_loss = cross_entropy(real_logits, True) + cross_entropy(made_logits, False)
    generator_loss = cross_entropy(made_logits, True)

    def minimize(loss, scope):
        variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
        return tf.train.AdamOptimizer(0.0005, beta1=0.5).minimize(loss, var_list=variables)

    train_discriminator = minimize(discriminator_loss, "discriminator")
    train_generator = minimize(generator_loss, "generator")

    random = np.random.RandomState(SEED)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        steps = FLAGS.epochs * (len(train_images) // BATCH)
        progress = tqdm(batches(len(train_images), BATCH, FLAGS.epochs, SEED), total=steps, unit="step")
        for step, batch in enumerate(progress):
            feeds = {real: train_images[batch], noise: random.normal(size=[BATCH, NOISE])}
            _, one = sess.run([train_discriminator, discriminator_loss], feeds)
            _, other = sess.run([train_generator, generator_loss], {noise: random.normal(size=[BATCH, NOISE])})
            if step % 20 == 0:
                progress.set_postfix(discriminator=f"{one:.3f}", generator=f"{other:.3f}")
        feeds = {noise: random.normal(size=[96, NOISE]), real: test_images}
        pictures, fooled, unseen = sess.run([made, tf.sigmoid(made_logits), tf.sigmoid(real_logits)], feeds)
    nearest = np.square(pictures[:, None] - train_images[None]).sum(2).min(1).mean()
    print(f"the discriminator gives {fooled.mean():.3f} to made and {unseen.mean():.3f} to unseen real images")
    print(f"mean squared distance to the nearest training image {nearest!s}")
    draw_images(os.path.join(FLAGS.out, "made.png"), pictures.reshape(-1, SIDE, SIDE), 12)


if __name__ == "__main__":
    tf.app.run(main)
