"""Models of tables, graphs and games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .parts import Model, conv, dense, fed, integers, normal, trained, weights


def _wide_and_deep(tf: Any, large: bool) -> Model:
    """26 categorical and 13 numeric features, as Criteo's; Ftrl on all of them."""
    batch, words, units = (512, 20000, 32) if large else (128, 1000, 16)
    feeds: dict[Any, Any] = {}
    numbers, y = fed(tf, feeds, normal([batch, 13], 1)), fed(tf, feeds, integers(2, [batch], 2).astype(np.float32))
    columns = [fed(tf, feeds, integers(words, [batch], 10 + i)) for i in range(26)]
    wide = dense(tf, numbers, 1, "wide")
    deep = [numbers]
    for i, ids in enumerate(columns):
        wide += tf.nn.embedding_lookup(weights(tf, f"wide{i}", [words, 1]), ids)
        deep.append(tf.nn.embedding_lookup(weights(tf, f"deep{i}", [words, units]), ids))
    h = tf.concat(deep, 1)
    for i, width in enumerate((256, 128, 64)):
        h = dense(tf, h, width, f"hidden{i}", tf.nn.relu)
    logits = tf.squeeze(wide + dense(tf, h, 1, "end"), 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    return trained(tf, loss, feeds, tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.001))


def edges(nodes: int) -> Any:
    """Returns the edges of a graph as int64 pairs [edges, 2], about five for each node, in order."""
    return np.unique(integers(nodes, [5 * nodes, 2], 1), axis=0).astype(np.int64)


def _gcn(tf: Any, large: bool) -> Model:
    """Two graph convolutions with a sparse adjacency matrix of about five edges for each node."""
    nodes, features, hidden, classes = (20000, 500, 64, 3) if large else (2708, 1433, 16, 7)
    feeds: dict[Any, Any] = {}
    pairs = edges(nodes)
    x = fed(tf, feeds, np.maximum(normal([nodes, features], 2), 0))
    y = fed(tf, feeds, integers(classes, [nodes], 3))
    values = fed(tf, feeds, np.full([len(pairs)], 0.2, np.float32))
    adjacency = tf.SparseTensor(pairs, values, [nodes, nodes])
    h = tf.nn.dropout(x, keep_prob=0.5, seed=1)
    h = tf.nn.relu(tf.sparse_tensor_dense_matmul(adjacency, tf.matmul(h, weights(tf, "first", [features, hidden]))))
    h = tf.nn.dropout(h, keep_prob=0.5, seed=2)
    h = tf.sparse_tensor_dense_matmul(adjacency, tf.matmul(h, weights(tf, "second", [hidden, classes])))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=h))
    return trained(tf, loss, feeds, tf.train.AdamOptimizer(0.01))


def _dqn(tf: Any, large: bool) -> Model:
    """The network of the Atari papers with a target network."""
    batch, side = (32, 84) if large else (32, 42)
    feeds: dict[Any, Any] = {}
    now, later = (fed(tf, feeds, integers(256, [batch, side, side, 4], i).astype(np.uint8)) for i in (1, 2))
    actions, rewards = fed(tf, feeds, integers(6, [batch], 3)), fed(tf, feeds, normal([batch], 4))

    def network(pixels: Any, name: str) -> Any:
        with tf.variable_scope(name):
            h = tf.cast(pixels, tf.float32) / 255.0
            for i, (filters, size, stride) in enumerate(((32, 8, 4), (64, 4, 2), (64, 3, 1))):
                h = tf.nn.relu(conv(tf, h, filters, size, f"conv{i}", stride, bias=True))
            h = tf.reshape(h, [-1, int(h.shape[1]) * int(h.shape[2]) * 64])
            return dense(tf, dense(tf, h, 512, "hidden", tf.nn.relu), 6, "end")

    values, target = network(now, "online"), tf.stop_gradient(network(later, "target"))
    chosen = tf.reduce_sum(values * tf.one_hot(actions, 6), 1)
    error = chosen - (rewards + 0.99 * tf.reduce_max(target, 1))
    huber = tf.where(tf.abs(error) < 1.0, tf.square(error) * 0.5, tf.abs(error) - 0.5)
    return trained(tf, tf.reduce_mean(huber), feeds, tf.train.RMSPropOptimizer(2.5e-4, 0.95, epsilon=0.01))


MODELS: dict[str, Callable[[Any, bool], Model]] = {"wide and deep": _wide_and_deep, "GCN": _gcn, "DQN": _dqn}
