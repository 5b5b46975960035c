"""A small network with several variables, for tests of training."""

from __future__ import annotations

from typing import Any

import numpy as np

import ferroflow as tf

LAYERS = 4
WIDTH = 8


def build(seed: int = 0) -> tuple[Any, Any, list[Any]]:
    """Makes the network in the default graph.

    Returns:
      (input placeholder [batch, WIDTH], loss, variables).
    """
    random = np.random.RandomState(seed)
    x = tf.placeholder(tf.float32, [None, WIDTH], name="x")
    y, variables = x, []
    for layer in range(LAYERS):
        w = tf.Variable(random.standard_normal((WIDTH, WIDTH)).astype(np.float32) * 0.5, name=f"w{layer}")
        b = tf.Variable(np.zeros(WIDTH, np.float32), name=f"b{layer}")
        y = tf.tanh(tf.matmul(y, w) + b)
        variables += [w, b]
    return x, tf.reduce_sum(y * y), variables


def batch(seed: int, rows: int = 16) -> np.ndarray:
    """An input of the network."""
    return np.random.RandomState(seed).standard_normal((rows, WIDTH)).astype(np.float32)
