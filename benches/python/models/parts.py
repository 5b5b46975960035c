"""Variables, layers and training steps, which all models use.

Only names that TensorFlow 1.15 and 2 both have: `tf.layers` and `tf.nn.rnn_cell` are gone where Keras 3 is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np


class Model(NamedTuple):
    """A model's loss, the operation that trains it by one step, and the values fed in every step."""

    loss: Any
    train: Any
    feeds: dict[Any, Any]


def minimized(tf: Any, optimizer: Any, loss: Any, variables: Sequence[Any] | None = None) -> Any:
    """Returns the operation that trains by one step, after the updates of moving averages."""
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return optimizer.minimize(loss, var_list=variables)


def trained(tf: Any, loss: Any, feeds: dict[Any, Any], optimizer: Any) -> Model:
    """Returns a model all of whose variables one optimizer trains."""
    return Model(loss, minimized(tf, optimizer, loss), feeds)


def normal(shape: Sequence[int], seed: int) -> Any:
    """Returns float32 random numbers."""
    return np.random.RandomState(seed).standard_normal(tuple(shape)).astype(np.float32)


def integers(high: int, shape: Sequence[int], seed: int) -> Any:
    """Returns int32 random numbers from 0 to `high` - 1."""
    return np.random.RandomState(seed).randint(0, high, tuple(shape)).astype(np.int32)


def fed(tf: Any, feeds: dict[Any, Any], value: Any) -> Any:
    """Returns a placeholder for a batch; its first dimension is unknown, as in most programs."""
    placeholder = tf.placeholder(value.dtype, (None, *value.shape[1:]))
    feeds[placeholder] = value
    return placeholder


def weights(tf: Any, name: str, shape: Sequence[int]) -> Any:
    """Returns a variable with Glorot's initializer."""
    return tf.get_variable(name, shape, initializer=tf.glorot_uniform_initializer(seed=len(name)))


def dense(tf: Any, x: Any, units: int, name: str, activation: Callable[[Any], Any] | None = None) -> Any:
    """Returns a dense layer of the last dimension."""
    with tf.variable_scope(name):
        size = int(x.shape[-1])
        w, b = (
            weights(tf, "kernel", [size, units]),
            tf.get_variable("bias", [units], initializer=tf.zeros_initializer()),
        )
        if len(x.shape) == 2:
            y = tf.nn.bias_add(tf.matmul(x, w), b)
        else:
            start = tf.shape(x)
            y = tf.nn.bias_add(tf.matmul(tf.reshape(x, [-1, size]), w), b)
            y = tf.reshape(y, tf.concat([start[:-1], [units]], 0))
            y.set_shape(x.shape[:-1].concatenate(units))
        return y if activation is None else activation(y)


def conv(tf: Any, x: Any, filters: int, size: int, name: str, stride: int = 1, bias: bool = False) -> Any:
    """Returns a convolution with SAME padding."""
    with tf.variable_scope(name):
        w = weights(tf, "kernel", [size, size, int(x.shape[-1]), filters])
        y = tf.nn.conv2d(x, w, strides=[1, stride, stride, 1], padding="SAME")
        if bias:
            y = tf.nn.bias_add(y, tf.get_variable("bias", [filters], initializer=tf.zeros_initializer()))
        return y


def batch_norm(tf: Any, x: Any, name: str, activation: Callable[[Any], Any] | None = None) -> Any:
    """Returns a fused batch normalization in training mode whose moving averages are updated."""
    with tf.variable_scope(name):
        n = [int(x.shape[-1])]
        scale = tf.get_variable("gamma", n, initializer=tf.ones_initializer())
        offset = tf.get_variable("beta", n, initializer=tf.zeros_initializer())
        y, mean, variance = tf.nn.fused_batch_norm(x, scale, offset, is_training=True, epsilon=1e-3)
        for key, value, start in (("mean", mean, 0.0), ("variance", variance, 1.0)):
            moving = tf.get_variable("moving_" + key, n, initializer=tf.constant_initializer(start), trainable=False)
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(moving, (moving - value) * 0.01))
        return y if activation is None else activation(y)


def layer_norm(tf: Any, x: Any, name: str) -> Any:
    """Returns a layer normalization of the last dimension from single ops, as BERT and GPT-2 have it."""
    with tf.variable_scope(name):
        n = [int(x.shape[-1])]
        gamma = tf.get_variable("gamma", n, initializer=tf.ones_initializer())
        beta = tf.get_variable("beta", n, initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(x, [-1], keep_dims=True)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-6)


def max_pool(tf: Any, x: Any, size: int = 2, stride: int = 2) -> Any:
    """Returns a max pooling with SAME padding."""
    return tf.nn.max_pool(x, [1, size, size, 1], [1, stride, stride, 1], "SAME")


class Cell:
    """A recurrent cell as `tf.nn.dynamic_rnn` takes it, with no class of a library below it."""

    def __init__(self, tf: Any, kind: str, units: int, name: str) -> None:
        self._tf, self._kind, self._units, self._name = tf, kind, units, name
        self._made: tuple[Any, ...] | None = None

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._units

    @property
    def state_size(self) -> Any:
        """The sizes of the state's tensors."""
        return (self._units, self._units) if self._kind == "lstm" else self._units

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the state at the first time step."""
        zeros = self._tf.zeros([batch_size, self._units], dtype)
        return (zeros, zeros) if self._kind == "lstm" else zeros

    def _variables(self, size: int) -> tuple[Any, ...]:
        if self._made is None:
            tf, n = self._tf, self._units
            widths = [4 * n] if self._kind == "lstm" else [2 * n, n]
            self._made = tuple(
                x
                for i, width in enumerate(widths)
                for x in (
                    weights(tf, f"{self._name}_kernel_{i}", [size + n, width]),
                    tf.get_variable(f"{self._name}_bias_{i}", [width], initializer=tf.ones_initializer()),
                )
            )
        return self._made

    def __call__(self, x: Any, state: Any, scope: Any = None) -> Any:
        """Returns the output and the state of a time step."""
        tf = self._tf
        if self._kind == "lstm":
            w, b = self._variables(int(x.shape[-1]))
            c, h = state
            i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), w), b), 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(j)
            h = tf.sigmoid(o) * tf.tanh(c)
            return h, (c, h)
        gates, gates_bias, w, b = self._variables(int(x.shape[-1]))
        both = tf.sigmoid(tf.nn.bias_add(tf.matmul(tf.concat([x, state], 1), gates), gates_bias))
        r, u = tf.split(both, 2, axis=1)
        c = tf.tanh(tf.nn.bias_add(tf.matmul(tf.concat([x, r * state], 1), w), b))
        h = u * state + (1 - u) * c
        return h, h


def recurrent(tf: Any, x: Any, units: int, name: str, kind: str = "lstm") -> Any:
    """Returns the outputs of a cell over time, batch first."""
    cell = Cell(tf, kind, units, name)
    cell._variables(int(x.shape[-1]))
    return tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)[0]


def attention(tf: Any, query: Any, memory: Any, heads: int, name: str, causal: bool = False) -> Any:
    """Returns a multi-head attention of `query` [batch, m, n] over `memory` [batch, k, n]."""
    with tf.variable_scope(name):
        n, m, k = int(query.shape[2]), int(query.shape[1]), int(memory.shape[1])
        q = tf.transpose(tf.reshape(dense(tf, query, n, "q"), [-1, m, heads, n // heads]), [0, 2, 1, 3])
        keys = tf.transpose(tf.reshape(dense(tf, memory, n, "k"), [-1, k, heads, n // heads]), [0, 2, 1, 3])
        values = tf.transpose(tf.reshape(dense(tf, memory, n, "v"), [-1, k, heads, n // heads]), [0, 2, 1, 3])
        scores = tf.matmul(q, keys, transpose_b=True) * (n // heads) ** -0.5
        if causal:
            mask = tf.linalg.band_part(tf.ones([m, k]), -1, 0)
            scores = scores * mask - 1e10 * (1 - mask)
        mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), values), [0, 2, 1, 3])
        return dense(tf, tf.reshape(mixed, [-1, m, n]), n, "o")


def gelu(tf: Any) -> Callable[[Any], Any]:
    """Returns GPT-2's and BERT's activation."""
    return lambda x: 0.5 * x * (1 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))


def cross_entropy(tf: Any, labels: Any, logits: Any) -> Any:
    """Returns the mean cross entropy of integer labels."""
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
