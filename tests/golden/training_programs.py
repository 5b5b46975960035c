"""Whole training runs: a softmax regression, a network with dropout, a convolutional network, an embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = 100


def data() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """256 examples of 36 numbers, of four classes that a noisy linear rule tells apart."""
    generator = np.random.RandomState(5)
    inputs = generator.normal(size=(256, 36)).astype(np.float32)
    rule = generator.normal(size=(36, 4))
    return inputs, np.argmax(inputs @ rule + generator.normal(size=(256, 4)), axis=1).astype(np.int64)


def _uniform(tf: Any, name: str, shape: list[int], seed: int) -> Any:
    return tf.get_variable(name, initializer=tf.random_uniform(shape, -0.2, 0.2, seed=seed))


def _cross_entropy(tf: Any, logits: Any, classes: Any) -> Any:
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits))


def softmax_regression(tf: Any, inputs: Any, classes: Any, step: Any) -> tuple[Any, Any]:
    """Gradient descent at a falling rate."""
    w = _uniform(tf, "w", [36, 4], 1)
    b = tf.get_variable("b", initializer=tf.zeros([4]))
    loss = _cross_entropy(tf, tf.matmul(inputs, w) + b, classes)
    rate = tf.train.exponential_decay(0.5, step, 20, 0.8)
    return loss, tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)


def network_with_dropout(tf: Any, inputs: Any, classes: Any, step: Any) -> tuple[Any, Any]:
    """Two layers and dropout, by Adam with gradients clipped by their common norm."""
    w1, w2 = _uniform(tf, "w1", [36, 24], 1), _uniform(tf, "w2", [24, 4], 2)
    hidden = tf.nn.dropout(tf.nn.relu(tf.matmul(inputs, w1)), keep_prob=0.75, seed=3)
    loss = _cross_entropy(tf, tf.matmul(hidden, w2), classes)
    optimizer = tf.train.AdamOptimizer(0.01)
    gradients, variables = zip(*optimizer.compute_gradients(loss), strict=True)
    clipped, _ = tf.clip_by_global_norm(list(gradients), 0.5)
    return loss, optimizer.apply_gradients(list(zip(clipped, variables, strict=True)), global_step=step)


def convolutional_network(tf: Any, inputs: Any, classes: Any, step: Any) -> tuple[Any, Any]:
    """A convolution, pooling and a layer, by Nesterov's momentum in steps of the rate."""
    kernel, w = _uniform(tf, "kernel", [3, 3, 1, 6], 1), _uniform(tf, "w", [54, 4], 2)
    images = tf.reshape(inputs, [-1, 6, 6, 1])
    maps = tf.nn.relu(tf.nn.conv2d(images, kernel, strides=[1, 1, 1, 1], padding="SAME"))
    pooled = tf.nn.max_pool(maps, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    loss = _cross_entropy(tf, tf.matmul(tf.reshape(pooled, [-1, 54]), w), classes)
    rate = tf.train.piecewise_constant(step, [40, 70], [0.05, 0.02, 0.01])
    optimizer = tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True)
    return loss, optimizer.minimize(loss, global_step=step)


def embedding(tf: Any, inputs: Any, classes: Any, step: Any) -> tuple[Any, Any]:
    """Means of embedded words, by RMSProp of sparse gradients, with moving averages that the loss is taken at."""
    words = tf.cast(tf.abs(inputs[:, :8]) * 12.0, tf.int32) % 30
    table, w = _uniform(tf, "table", [30, 5], 1), _uniform(tf, "w", [5, 4], 2)

    def loss_at(table: Any, w: Any) -> Any:
        return _cross_entropy(tf, tf.matmul(tf.reduce_mean(tf.nn.embedding_lookup(table, words), 1), w), classes)

    train = tf.train.RMSPropOptimizer(0.01, momentum=0.5, epsilon=1e-4).minimize(loss_at(table, w), global_step=step)
    averages = tf.train.ExponentialMovingAverage(0.9, num_updates=step)
    with tf.control_dependencies([train]):
        update = averages.apply([table, w])
    return loss_at(averages.average(table), averages.average(w)), update


PROGRAMS = {
    function.__name__: function
    for function in (softmax_regression, network_with_dropout, convolutional_network, embedding)
}


def losses(tf: Any, program: str) -> list[float]:
    """The loss before each of the `STEPS` steps of batches of 32."""
    all_inputs, all_classes = data()
    with tf.Graph().as_default():
        inputs = tf.placeholder(tf.float32, [None, 36])
        classes = tf.placeholder(tf.int64, [None])
        step = tf.train.get_or_create_global_step()
        loss, train = PROGRAMS[program](tf, inputs, classes, step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            found = []
            for i in range(STEPS):
                part = slice(i % 8 * 32, i % 8 * 32 + 32)
                feed = {inputs: all_inputs[part], classes: all_classes[part]}
                # Two runs: in one, the loss could be computed before or after the update.
                found.append(float(session.run(loss, feed)))
                session.run(train, feed)
            return found
