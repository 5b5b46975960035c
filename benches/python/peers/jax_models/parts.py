"""Layers of JAX models, which read the variables of the TensorFlow 1 program by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

Array = Any
Arrays = dict[str, Any]


class Net:
    """One forward pass: its weights by name, the moving averages that it updates, and its random numbers.

    `exact` turns dropout and noise off. Random numbers are those of JAX's default generator, threefry.
    `read` has the names of the weights that were used, and `ids` the ids of the rows that were read from tables.
    `changes` has zeros by table, which are added to its rows: their gradient is that of the rows.
    """

    def __init__(self, weights: Arrays, moving: Arrays, key: Array, exact: bool, large: bool) -> None:
        self._weights, self._moving, self._key = weights, moving, key
        self.exact, self.large = exact, large
        self.moved: Arrays = {}
        self.read: set[str] = set()
        self.ids: Arrays = {}
        self.changes: Arrays = {}

    def __getitem__(self, name: str) -> Array:
        """Returns the weight of that name."""
        self.read.add(name)
        return self._weights[name]

    def rows(self, name: str, ids: Array) -> Array:
        """Returns rows of a table, of which a step updates no others."""
        self.ids[name] = ids
        found = self[name][ids]
        return found + self.changes[name] if name in self.changes else found

    def key(self) -> Array:
        """Returns a new key for random numbers."""
        self._key, key = jax.random.split(self._key)
        return key

    def dense(self, x: Array, name: str, activation: Callable[[Array], Array] | None = None) -> Array:
        """Returns a dense layer of the last dimension."""
        y = x @ self[f"{name}/kernel"] + self[f"{name}/bias"]
        return y if activation is None else activation(y)

    def conv(self, x: Array, name: str, stride: int = 1, bias: bool = False) -> Array:
        """Returns a convolution with SAME padding, NHWC as the TensorFlow 1 program."""
        y = convolved(x, self[f"{name}/kernel"], stride, "SAME")
        return y + self[f"{name}/bias"] if bias else y

    def transposed(self, x: Array, name: str) -> Array:
        """Returns a transposed convolution with stride 2 and SAME padding."""
        return lax.conv_transpose(
            x, self[f"{name}/kernel"], (2, 2), "SAME", dimension_numbers=_NHWC, transpose_kernel=True
        )

    def batch_norm(self, x: Array, name: str, activation: Callable[[Array], Array] | None = None) -> Array:
        """Returns a batch normalization in training mode, and updates the moving averages."""
        mean, variance = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
        count = x.size // x.shape[-1]
        for key, value in (("mean", mean), ("variance", variance * (count / max(count - 1, 1)))):
            old = self._moving.get(f"{name}/{key}")
            old = jnp.full_like(value, key == "variance") if old is None else old
            self.moved[f"{name}/{key}"] = old - (old - lax.stop_gradient(value)) * 0.01
        y = (x - mean) * (lax.rsqrt(variance + 1e-3) * self[f"{name}/gamma"]) + self[f"{name}/beta"]
        return y if activation is None else activation(y)

    def layer_norm(self, x: Array, name: str) -> Array:
        """Returns a layer normalization of the last dimension."""
        mean, variance = jnp.mean(x, -1, keepdims=True), jnp.var(x, -1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-6) * self[f"{name}/gamma"] + self[f"{name}/beta"]

    def dropout(self, x: Array, keep: float) -> Array:
        """Returns `x` with elements set to zero at random."""
        if self.exact:
            return x
        return jnp.where(jax.random.bernoulli(self.key(), keep, x.shape), x / keep, 0)

    def lstm(self, x: Array, name: str) -> Array:
        """Returns the outputs of an LSTM over time, batch first; the products of all inputs are one."""
        w, b = self[f"{name}_kernel_0"], self[f"{name}_bias_0"]
        by_input, by_state = jnp.split(w, [x.shape[-1]])
        zeros = jnp.zeros([x.shape[0], w.shape[1] // 4])

        def step(state: tuple[Array, Array], inputs: Array) -> tuple[tuple[Array, Array], Array]:
            c, h = state
            i, j, f, o = jnp.split(inputs + h @ by_state, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(j)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (c, h), h

        return lax.scan(step, (zeros, zeros), (x @ by_input + b).swapaxes(0, 1))[1].swapaxes(0, 1)

    def gru(self, x: Array, name: str) -> Array:
        """Returns the outputs of a GRU over time, batch first; the products of all inputs are one."""
        (gates_x, gates_h), (w_x, w_h) = (jnp.split(self[f"{name}_kernel_{i}"], [x.shape[-1]]) for i in (0, 1))
        inputs = x @ gates_x + self[f"{name}_bias_0"], x @ w_x + self[f"{name}_bias_1"]

        def step(h: Array, given: tuple[Array, Array]) -> tuple[Array, Array]:
            h = gru_step(h, given[0] + h @ gates_h, given[1], w_h)
            return h, h

        zeros = jnp.zeros([x.shape[0], w_h.shape[1]])
        return lax.scan(step, zeros, tuple(part.swapaxes(0, 1) for part in inputs))[1].swapaxes(0, 1)

    def attention(self, query: Array, memory: Array, heads: int, name: str, causal: bool = False) -> Array:
        """Returns a multi-head attention of `query` [batch, m, n] over `memory` [batch, k, n]."""

        def split(x: Array, part: str) -> Array:
            return self.dense(x, f"{name}/{part}").reshape(*x.shape[:2], heads, -1)

        mixed = jax.nn.dot_product_attention(
            split(query, "q"), split(memory, "k"), split(memory, "v"), is_causal=causal
        )
        return self.dense(mixed.reshape(query.shape), f"{name}/o")


_NHWC = ("NHWC", "HWIO", "NHWC")


def convolved(x: Array, w: Array, stride: int, padding: Any, rate: int = 1, groups: int = 1) -> Array:
    """Returns the convolution of `x` with the kernel `w`, NHWC."""
    return lax.conv_general_dilated(
        x,
        w,
        (stride, stride),
        padding,
        rhs_dilation=(1, rate),
        dimension_numbers=_NHWC,
        feature_group_count=groups,
    )


def gru_step(h: Array, gates: Array, candidate: Array, w: Array) -> Array:
    """Returns the next state of a GRU from the sums of its gates and the input's part of its candidate."""
    r, u = jnp.split(jax.nn.sigmoid(gates), 2, 1)
    return u * h + (1 - u) * jnp.tanh(candidate + (r * h) @ w)


def max_pool(x: Array, size: int = 2, stride: int = 2) -> Array:
    """Returns a max pooling with SAME padding."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, size, size, 1), (1, stride, stride, 1), "SAME")


def cross_entropy(labels: Array, logits: Array) -> Array:
    """Returns the mean cross entropy of integer labels."""
    taken = jnp.take_along_axis(logits, labels[..., None], -1)[..., 0]
    return jnp.mean(jax.nn.logsumexp(logits, -1) - taken)


def sigmoid_entropy(labels: Array, logits: Array) -> Array:
    """Returns the cross entropy of the probabilities that `logits` stand for."""
    return jnp.maximum(logits, 0) - logits * labels + jnp.log1p(jnp.exp(-jnp.abs(logits)))
