"""Tells handwritten zeros from ones by linear regression, with variables whose initial values depend on each other.

`Variable.initialized_value()` gives the value another variable starts with, whichever initializer runs first.
"""

import os

import numpy as np
from gallery.pictures import draw_images

import ferroflow as tf

SIDE = 8
PIXELS = SIDE * SIDE
STEPS = 200

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("out", os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"), "Folder for the picture.")


def load_zeros_and_ones():
    """Reads the images of zeros and ones: float32 [count, 64] from 0 to 1, and the digits, float32 [count, 1]."""
    with np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "digits.npz")) as data:
        chosen = data["labels"] <= 1
        images = data["images"][chosen].reshape(-1, PIXELS).astype(np.float32) / 16
        return images, data["labels"][chosen].astype(np.float32)[:, None]


def main(_):
    tf.set_random_seed(1)
    images = tf.placeholder(tf.float32, [None, PIXELS], name="images")
    digits = tf.placeholder(tf.float32, [None, 1], name="digits")

    weights = tf.Variable(tf.truncated_normal([PIXELS, 1], stddev=0.05), name="weights")
    biases = tf.Variable(tf.zeros([1]), name="biases")
    start = tf.Variable(weights.initialized_value(), trainable=False, name="start")
    doubled = tf.Variable(
        start.initialized_value() * 2.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="doubled"
    )

    assert [v.name for v in tf.global_variables()] == ["weights:0", "biases:0", "start:0"]
    assert [v.name for v in tf.trainable_variables()] == ["weights:0", "biases:0"]
    assert [v.name for v in tf.local_variables()] == ["doubled:0"]
    assert weights.op.type == "VariableV2"
    assert weights.initializer.name == "weights/Assign"
    assert weights.value().op.name == "weights/read"
    assert start.get_shape().as_list() == [PIXELS, 1]

    with tf.name_scope("model"):
        outputs = tf.matmul(images, weights) + biases
    assert outputs.name == "model/add:0"
    loss = tf.reduce_mean(tf.square(outputs - digits), name="loss")
    train_op = tf.train.GradientDescentOptimizer(0.02).minimize(loss)
    moved = tf.reduce_max(tf.abs(weights - start))

    image_values, digit_values = load_zeros_and_ones()
    feeds = {images: image_values, digits: digit_values}
    with tf.Session() as sess:
        missing = {name.decode() for name in sess.run(tf.report_uninitialized_variables())}
        assert missing == {"weights", "biases", "start", "doubled"}
        # One step, in no particular order.
        sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
        weights_value, start_value, doubled_value = sess.run([weights, start, doubled])
        assert np.array_equal(start_value, weights_value)
        assert np.array_equal(doubled_value, weights_value * np.float32(2))
        assert 0 < np.abs(weights_value).max() < 0.1

        first_loss = sess.run(loss, feeds)
        expected = np.mean((image_values.astype(np.float64) @ weights_value - digit_values) ** 2)
        assert np.isclose(first_loss, expected, rtol=1e-5)
        for _ in range(STEPS):
            sess.run(train_op, feeds)
        last_loss, outputs_value, distance, trained = sess.run([loss, outputs, moved, weights], feeds)
        assert np.array_equal(sess.run(start), start_value)
        assert last_loss < first_loss / 10
        accuracy = np.mean((outputs_value > 0.5) == (digit_values > 0.5))
        assert accuracy > 0.98
    print(f"loss {first_loss:.4f} -> {last_loss:.4f}, accuracy {accuracy:.4f}, a weight moved by {distance:.3f}")
    maps = np.stack([start_value, trained]).reshape(2, SIDE, SIDE)
    scaled = (maps - maps.min()) / (maps.max() - maps.min())
    draw_images(os.path.join(FLAGS.out, "weights.png"), scaled, 2, ["at the start", "trained"], inches=2)


if __name__ == "__main__":
    tf.app.run(main)
