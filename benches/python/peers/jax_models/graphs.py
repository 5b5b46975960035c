"""Models of tables, graphs and games."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from models.graphs import edges

from .parts import Array, Net, cross_entropy, sigmoid_entropy
from .steps import Model, adam, ftrl, rms_prop


def _wide_and_deep(net: Net, numbers: Array, y: Array, *columns: Array) -> Array:
    wide, deep = net.dense(numbers, "wide"), [numbers]
    for i, ids in enumerate(columns):
        wide += net.rows(f"wide{i}", ids)
        deep.append(net.rows(f"deep{i}", ids))
    h = jnp.concatenate(deep, 1)
    for i in range(3):
        h = net.dense(h, f"hidden{i}", jax.nn.relu)
    return jnp.mean(sigmoid_entropy(y, (wide + net.dense(h, "end"))[:, 0]))


def _gcn(net: Net, x: Array, y: Array, values: Array) -> Array:
    """Products with the sparse matrix are sums of rows by edge, as libraries of graphs for JAX have them."""
    rows, columns = jnp.asarray(edges(len(x)), jnp.int32).T

    def spread(h: Array) -> Array:
        return jax.ops.segment_sum(values[:, None] * h[columns], rows, len(x), indices_are_sorted=True)

    h = jax.nn.relu(spread(net.dropout(x, 0.5) @ net["first"]))
    return cross_entropy(y, spread(net.dropout(h, 0.5) @ net["second"]))


def _dqn(net: Net, now: Array, later: Array, actions: Array, rewards: Array) -> Array:
    """The network of the Atari papers with a target network."""

    def network(pixels: Array, name: str) -> Array:
        h = pixels.astype(jnp.float32) / 255.0
        for i, stride in enumerate((4, 2, 1)):
            h = jax.nn.relu(net.conv(h, f"{name}/conv{i}", stride, bias=True))
        return net.dense(net.dense(h.reshape(len(h), -1), f"{name}/hidden", jax.nn.relu), f"{name}/end")

    values, target = network(now, "online"), lax.stop_gradient(network(later, "target"))
    chosen = jnp.take_along_axis(values, actions[:, None], 1)[:, 0]
    error = jnp.abs(chosen - (rewards + 0.99 * jnp.max(target, 1)))
    return jnp.mean(jnp.where(error < 1.0, jnp.square(error) * 0.5, error - 0.5))


MODELS = {
    "wide and deep": Model(_wide_and_deep, ftrl(0.1, 0.001)),
    "GCN": Model(_gcn, adam(0.01)),
    "DQN": Model(_dqn, rms_prop(2.5e-4, 0.95, epsilon=0.01), trained=lambda name: name.startswith("online")),
}
