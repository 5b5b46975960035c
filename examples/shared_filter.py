"""Filters two sets of images with one set of variables: a function of `get_variable` calls, run twice in one scope."""

import os

import numpy as np
from gallery.pictures import draw_curves

import ferroflow as tf

PIXELS = 8 * 8

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("out", os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"), "Folder for the picture.")


def filter_relu(inputs, units):
    """One layer of the filter, made of the variables `weights` and `biases` of the current scope."""
    weights = tf.get_variable(
        "weights", [inputs.get_shape()[1], units], initializer=tf.random_normal_initializer(stddev=0.1)
    )
    biases = tf.get_variable("biases", [units], initializer=tf.constant_initializer(0.25))
    return tf.nn.relu(tf.matmul(inputs, weights) + biases)


def image_filter(images):
    with tf.variable_scope("layer1"):
        hidden = filter_relu(images, 32)
    with tf.variable_scope("layer2"):
        return filter_relu(hidden, 16)


def load_images(first, count):
    """Reads `count` images from number `first`: float32 [count, 64] from 0 to 1."""
    with np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "digits.npz")) as data:
        return data["images"][first : first + count].reshape(-1, PIXELS).astype(np.float32) / 16


def main(_):
    tf.set_random_seed(1)
    images1 = tf.placeholder(tf.float32, [None, PIXELS], name="images1")
    images2 = tf.placeholder(tf.float32, [None, PIXELS], name="images2")
    with tf.variable_scope("image_filters") as scope:
        result1 = image_filter(images1)
        try:
            image_filter(images2)
        except ValueError as error:
            message = str(error)
        assert message.startswith("Variable image_filters/layer1/weights already exists, disallowed."), message
        assert "reuse=True" in message, message
        scope.reuse_variables()
        result2 = image_filter(images2)
    with tf.variable_scope("image_filters", reuse=True):
        assert tf.get_variable("layer1/weights", [PIXELS, 32]) is tf.global_variables()[0]
        try:
            tf.get_variable("layer3/weights", [1])
        except ValueError as error:
            message = str(error)
        assert "image_filters/layer3/weights does not exist, or was not created with tf.get_variable()" in message

    names = [v.name for v in tf.trainable_variables()]
    assert names == [
        "image_filters/layer1/weights:0",
        "image_filters/layer1/biases:0",
        "image_filters/layer2/weights:0",
        "image_filters/layer2/biases:0",
    ]
    assert tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES) == tf.trainable_variables()
    assert (
        tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="image_filters/layer2") == tf.trainable_variables()[2:]
    )
    # Variables keep their names; operations get new ones: the refused call had opened layer1_1.
    assert result1.name == "image_filters/layer2/Relu:0"
    assert result2.name == "image_filters/layer2_1/Relu:0"
    assert result2.op.inputs[0].op.inputs[0].op.inputs[0].name == "image_filters/layer1_2/Relu:0"
    reads = [op.name for op in tf.get_default_graph().get_operations() if op.type == "Identity"]
    assert reads == [name[:-2] + "/read" for name in names]

    values1, values2 = load_images(0, 100), load_images(100, 50)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        filtered1, filtered2 = sess.run([result1, result2], {images1: values1, images2: values2})
        assert filtered1.shape == (100, 16)
        assert filtered2.shape == (50, 16)
        weights1, biases1, weights2, biases2 = (
            value.astype(np.float64) for value in sess.run(tf.trainable_variables())
        )
        assert np.all(biases1 == 0.25)
        expected = np.maximum(np.maximum(values2 @ weights1 + biases1, 0) @ weights2 + biases2, 0)
        np.testing.assert_allclose(filtered2, expected, rtol=1e-4, atol=1e-5)
        swapped1 = sess.run(result1, {images1: values2})
        assert np.array_equal(swapped1, filtered2)
    print(f"{len(names)} variables serve two filters; mean response {filtered1.mean():.4f} and {filtered2.mean():.4f}")
    responses = {"images 0 to 99": filtered1.mean(axis=0), "images 100 to 149": filtered2.mean(axis=0)}
    draw_curves(os.path.join(FLAGS.out, "responses.png"), responses, "unit of layer 2", "mean response")


if __name__ == "__main__":
    tf.app.run(main)
