"""Fits a line to points, once by `minimize` and once by the rule that it stands for, written out.

    python examples/linear_regression.py --steps=200 --out=examples/out

Gradient descent moves each variable against the gradient of the loss: weight <- weight - rate * d loss / d weight.
"""

import os

import numpy as np
from gallery.pictures import draw_curves
from tqdm import tqdm

import ferroflow as tf

POINTS = 100
RATE = 0.1
TRUE_WEIGHT, TRUE_BIAS = 1.5, -0.75

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 200, "Steps of gradient descent.")
flags.DEFINE_string("out", os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"), "Folder for the picture.")


def line(name, x, y):
    """A line with variables of its own: its weight, its bias, and its mean squared distance from the points."""
    with tf.variable_scope(name):
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
        return weight, bias, tf.reduce_mean(tf.square(weight * x + bias - y))


def main(_):
    random = np.random.RandomState(1)
    xs = random.uniform(-1, 1, POINTS).astype(np.float32)
    ys = (TRUE_WEIGHT * xs + TRUE_BIAS + random.normal(scale=0.1, size=POINTS)).astype(np.float32)
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.placeholder(tf.float32, [None], name="y")

    weight, bias, loss = line("by_optimizer", x, y)
    train_op = tf.train.GradientDescentOptimizer(RATE).minimize(loss)

    own_weight, own_bias, own_loss = line("by_hand", x, y)
    error = own_weight * x + own_bias - y
    weight_gradient = 2.0 * tf.reduce_mean(error * x)
    bias_gradient = 2.0 * tf.reduce_mean(error)
    updates = [own_weight.assign_sub(RATE * weight_gradient), own_bias.assign_sub(RATE * bias_gradient)]

    losses = {"minimize": [], "the rule written out": []}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feeds = {x: xs, y: ys}
        for step in tqdm(range(FLAGS.steps), unit="step"):
            if step < 2:
                w, dw = sess.run([own_weight, weight_gradient], feeds)
                tqdm.write(f"step {step}: weight {w:.4f} - {RATE} * {dw:.4f} = {w - np.float32(RATE) * dw:.4f}")
            _, _, one, other = sess.run([train_op, updates, loss, own_loss], feeds)
            losses["minimize"].append(one)
            losses["the rule written out"].append(other)
        found = sess.run([weight, bias])
        own = sess.run([own_weight, own_bias])
    print(f"by minimize: y = {found[0]:.4f} x + {found[1]:.4f}, loss {losses['minimize'][-1]:.5f}")
    print(f"by hand:     y = {own[0]:.4f} x + {own[1]:.4f}, loss {losses['the rule written out'][-1]:.5f}")
    draw_curves(os.path.join(FLAGS.out, "regression.png"), losses, "step", "mean squared error", "log")


if __name__ == "__main__":
    tf.app.run(main)
