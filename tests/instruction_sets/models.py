"""Twenty models, each a few training steps of odd sizes, with every kind of layer that programs train."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ferroflow as tf

Model = Callable[[np.random.RandomState], tuple[Any, Any]]
MODELS: dict[str, Model] = {}


def model(build: Model) -> Model:
    """Registers a builder, which takes the source of the inputs and returns a loss and an optimizer."""
    MODELS[build.__name__] = build
    return build


def _data(draw: np.random.RandomState, *shape: int, dtype: str = "float32") -> Any:
    return tf.constant(draw.standard_normal(shape).astype(dtype))


def _labels(draw: np.random.RandomState, classes: int, *shape: int) -> Any:
    return tf.constant(draw.randint(0, classes, shape).astype(np.int32))


def _cross_entropy(labels: Any, logits: Any) -> Any:
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def _norm_relu(x: Any) -> Any:
    return tf.nn.relu(tf.layers.batch_normalization(x, training=True))


@model
def perceptron(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = tf.layers.dense(_data(draw, 37, 211), 131, tf.nn.relu)
    return _cross_entropy(_labels(draw, 11, 37), tf.layers.dense(x, 11)), tf.train.AdamOptimizer(0.01)


@model
def perceptron_in_double(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = tf.layers.dense(_data(draw, 37, 211, dtype="float64"), 131, tf.nn.selu)
    return tf.reduce_mean(tf.square(tf.layers.dense(x, 3, tf.tanh))), tf.train.MomentumOptimizer(0.1, 0.9)


@model
def lenet(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = tf.layers.conv2d(_data(draw, 5, 28, 28, 1), 13, 5, padding="same", activation=tf.nn.relu)
    x = tf.layers.max_pooling2d(x, 2, 2)
    x = tf.layers.flatten(tf.layers.average_pooling2d(tf.layers.conv2d(x, 17, 5, activation=tf.nn.relu), 2, 2))
    return _cross_entropy(_labels(draw, 10, 5), tf.layers.dense(x, 10)), tf.train.GradientDescentOptimizer(0.05)


@model
def residual_network(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = _norm_relu(tf.layers.conv2d(_data(draw, 2, 33, 33, 3), 19, 7, 2, padding="same", use_bias=False))
    for stride in (1, 2):
        shortcut = tf.layers.conv2d(x, 19, 1, stride, use_bias=False)
        y = _norm_relu(tf.layers.conv2d(x, 19, 3, stride, padding="same", use_bias=False))
        x = tf.nn.relu(shortcut + tf.layers.conv2d(y, 19, 3, padding="same", use_bias=False))
    logits = tf.layers.dense(tf.reduce_mean(x, [1, 2]), 7)
    return _cross_entropy(_labels(draw, 7, 2), logits), tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)


@model
def inception(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = _data(draw, 2, 15, 15, 21)
    pooled = tf.layers.max_pooling2d(x, 3, 1, "same")
    towers = [tf.layers.conv2d(x, 9, size, padding="same", activation=tf.nn.relu) for size in (1, 3, 5)]
    x = tf.concat([*towers, tf.layers.conv2d(pooled, 5, 1)], 3)
    x = tf.nn.local_response_normalization(x, 3)
    return tf.reduce_mean(tf.square(x)), tf.train.RMSPropOptimizer(0.01, momentum=0.5, centered=True)


@model
def separable_network(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = tf.layers.separable_conv2d(_data(draw, 2, 20, 20, 13), 27, 3, padding="same", activation=tf.nn.relu6)
    x = tf.layers.separable_conv2d(x, 11, 3, strides=2)
    return tf.reduce_mean(tf.nn.elu(x) ** 2), tf.train.RMSPropOptimizer(0.01)


@model
def dilated_network(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = _data(draw, 2, 60, 9)
    for rate in (1, 2, 4):
        gate, filtered = (tf.layers.conv1d(x, 9, 2, padding="same", dilation_rate=rate) for _ in range(2))
        x += tf.sigmoid(gate) * tf.tanh(filtered)
    return tf.reduce_mean(tf.square(x)), tf.train.AdamOptimizer(0.01)


@model
def generator_and_critic(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = tf.reshape(tf.layers.dense(_data(draw, 3, 17), 4 * 4 * 23), [3, 4, 4, 23])
    x = tf.nn.leaky_relu(tf.layers.batch_normalization(tf.layers.conv2d_transpose(x, 11, 5, 2, "same"), training=True))
    x = tf.tanh(tf.layers.conv2d_transpose(x, 3, 4, 2, "same"))
    logits = tf.layers.dense(tf.layers.flatten(tf.layers.conv2d(x, 7, 4, 2)), 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(logits), logits=logits))
    return loss, tf.train.AdamOptimizer(2e-4, beta1=0.5)


@model
def volumes(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = tf.layers.conv3d(_data(draw, 2, 7, 9, 8, 3), 5, 3, 2, "same", activation=tf.nn.softplus)
    x = tf.layers.conv3d_transpose(tf.layers.max_pooling3d(x, 2, 1), 4, 3, 2)
    return tf.reduce_mean(tf.square(x)), tf.train.AdagradOptimizer(0.1)


@model
def recurrent_network(draw: np.random.RandomState) -> tuple[Any, Any]:
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(29, use_peepholes=True), tf.nn.rnn_cell.GRUCell(19)])
    lengths = _labels(draw, 8, 5)
    outputs, _ = tf.nn.dynamic_rnn(cell, _data(draw, 5, 7, 13), lengths, dtype=tf.float32)
    return tf.reduce_mean(tf.square(outputs)), tf.train.AdamOptimizer(0.01)


@model
def characters(draw: np.random.RandomState) -> tuple[Any, Any]:
    table = tf.get_variable("embedding", [61, 23])
    inputs = tf.unstack(tf.nn.embedding_lookup(table, _labels(draw, 61, 4, 6)), axis=1)
    outputs, _ = tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(37), inputs, dtype=tf.float32)
    loss = _cross_entropy(_labels(draw, 61, 4, 6), tf.layers.dense(tf.stack(outputs, 1), 61))
    return loss, tf.train.GradientDescentOptimizer(1.0)


@model
def both_directions(draw: np.random.RandomState) -> tuple[Any, Any]:
    cells = [tf.nn.rnn_cell.GRUCell(15) for _ in range(2)]
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(*cells, _data(draw, 3, 6, 10), dtype=tf.float32)
    logits = tf.layers.dense(tf.concat(outputs, 2), 5)
    lengths = tf.constant([6, 2, 4])
    likelihood, _ = tf.contrib.crf.crf_log_likelihood(logits, _labels(draw, 5, 3, 6), lengths)
    return -tf.reduce_mean(likelihood), tf.train.AdadeltaOptimizer(1.0)


@model
def speech(draw: np.random.RandomState) -> tuple[Any, Any]:
    logits = tf.layers.dense(_data(draw, 9, 3, 21), 6)
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0]], tf.constant([1, 2, 3, 1], tf.int32), [3, 2])
    return tf.reduce_mean(tf.nn.ctc_loss(labels, logits, tf.constant([9, 8, 9]))), tf.train.AdamOptimizer(0.01)


@model
def attention(draw: np.random.RandomState) -> tuple[Any, Any]:
    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(tf.layers.dense(x, 33), [2, -1, 3, 11]), [0, 2, 1, 3])

    x = _data(draw, 2, 14, 33)
    query, key, value = heads(x), heads(x), heads(x)
    weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / 11.0**0.5)
    mixed = tf.reshape(tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3]), [2, 14, 33])
    x = tf.contrib.layers.layer_norm(x + mixed, begin_norm_axis=-1)
    hidden = tf.layers.dense(x, 71)
    gelu = hidden * 0.5 * (1.0 + tf.erf(hidden / 2.0**0.5))
    return tf.reduce_mean(tf.abs(tf.layers.dense(gelu, 33) + x) ** 3), tf.train.AdamOptimizer(0.01)


@model
def translation(draw: np.random.RandomState) -> tuple[Any, Any]:
    memory = _data(draw, 3, 6, 12)
    mechanism = tf.contrib.seq2seq.BahdanauAttention(13, memory)
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(12), mechanism, 12)
    outputs, _ = tf.nn.dynamic_rnn(cell, _data(draw, 3, 4, 9), dtype=tf.float32)
    weights = tf.ones([3, 4])
    logits = tf.layers.dense(outputs, 17)
    return tf.contrib.seq2seq.sequence_loss(logits, _labels(draw, 17, 3, 4), weights), tf.train.AdamOptimizer(0.01)


@model
def word_vectors(draw: np.random.RandomState) -> tuple[Any, Any]:
    table, weights = (tf.get_variable(name, [97, 18]) for name in ("embedding", "weights"))
    words = tf.nn.embedding_lookup(table, _labels(draw, 97, 12))
    labels = tf.to_int64(_labels(draw, 97, 12, 1))
    sampler = tf.nn.log_uniform_candidate_sampler(labels, 1, 5, True, 97, seed=4)
    loss = tf.nn.nce_loss(weights, tf.zeros([97]), labels, words, 5, 97, sampled_values=sampler)
    return tf.reduce_mean(loss), tf.train.AdagradOptimizer(0.5)


@model
def wide_and_deep(draw: np.random.RandomState) -> tuple[Any, Any]:
    columns = [tf.get_variable(f"column_{i}", [19 + i, 5]) for i in range(6)]
    parts = [tf.nn.embedding_lookup(column, _labels(draw, 19, 13)) for column in columns]
    logits = tf.layers.dense(tf.layers.dense(tf.concat(parts, 1), 21, tf.nn.relu), 1)
    return tf.losses.log_loss(tf.ones_like(logits), tf.sigmoid(logits)), tf.train.FtrlOptimizer(
        0.1, l1_regularization_strength=0.01
    )


@model
def graph_convolution(draw: np.random.RandomState) -> tuple[Any, Any]:
    adjacency = tf.SparseTensor([[0, 1], [1, 2], [2, 0], [5, 6], [6, 6]], [0.5, 0.25, 1.0, 0.75, 0.3], [7, 7])
    x = tf.nn.relu(tf.sparse_tensor_dense_matmul(adjacency, tf.layers.dense(_data(draw, 7, 31), 18)))
    logits = tf.sparse_tensor_dense_matmul(adjacency, tf.layers.dense(x, 4))
    return _cross_entropy(_labels(draw, 4, 7), logits), tf.train.ProximalAdagradOptimizer(0.1)


@model
def autoencoder(draw: np.random.RandomState) -> tuple[Any, Any]:
    x = tf.sigmoid(_data(draw, 6, 53))
    hidden = tf.layers.dense(x, 27, tf.nn.softsign)
    mean, spread = tf.layers.dense(hidden, 5), tf.layers.dense(hidden, 5, tf.nn.softplus)
    code = mean + spread * tf.random_normal(tf.shape(mean), seed=7)
    logits = tf.layers.dense(code, 53)
    rebuilt = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), 1)
    divergence = 0.5 * tf.reduce_sum(tf.square(mean) + tf.square(spread) - tf.log(tf.square(spread) + 1e-8) - 1, 1)
    return tf.reduce_mean(rebuilt + divergence), tf.train.AdamOptimizer(0.01)


@model
def gaussian_process(draw: np.random.RandomState) -> tuple[Any, Any]:
    x, y = _data(draw, 17, 3, dtype="float64"), _data(draw, 17, 1, dtype="float64")
    scale = tf.get_variable("scale", [], tf.float64, tf.ones_initializer())
    distance = tf.reduce_sum(tf.squared_difference(x[:, None], x[None]), 2)
    kernel = tf.exp(-distance / tf.square(scale)) + 0.1 * tf.eye(17, dtype=tf.float64)
    root = tf.cholesky(kernel)
    alpha = tf.matrix_triangular_solve(root, y)
    return tf.reduce_sum(tf.square(alpha)) + tf.reduce_sum(tf.log(tf.matrix_diag_part(root))), tf.train.AdamOptimizer(
        0.1
    )
