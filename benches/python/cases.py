"""The whole-step cases, each written once against the TF1 API: `tf` is TensorFlow's `compat.v1` or ferroflow.

A case gives (step, check): `step()` runs one step, `check()` a list of floats that both libraries must agree on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Case = tuple[Callable[[], Any], Callable[[], list[float]]]
CASES: dict[str, Callable[[Any], Case]] = {}


def case(function: Callable[[Any], Case]) -> Callable[[Any], Case]:
    """Registers a case under its function's name."""
    CASES[function.__name__] = function
    return function


def _floats(*values: Any) -> list[float]:
    return [float(x) for value in values for x in np.ravel(value)]


def _random(shape: tuple[int, ...], seed: int) -> np.ndarray[Any, Any]:
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def _variable(tf: Any, value: np.ndarray[Any, Any], start: dict[Any, Any]) -> Any:
    placeholder = tf.placeholder(value.dtype, value.shape)
    start[placeholder] = value
    return tf.Variable(placeholder)


def _session(tf: Any, start: dict[Any, Any] | None = None) -> Any:
    sess = tf.Session()
    sess.run(tf.global_variables_initializer(), feed_dict=start or {})
    return sess


@case
def run_noop(tf: Any) -> Case:
    op = tf.no_op()
    sess = _session(tf)
    return lambda: sess.run(op), lambda: []


@case
def run_add_feed(tf: Any) -> Case:
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    sess = _session(tf)
    return lambda: sess.run(y, {x: 2.0}), lambda: _floats(sess.run(y, {x: 2.0}))


@case
def callable_add(tf: Any) -> Case:
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    function = _session(tf).make_callable(y, [x])
    value = np.float32(2)
    return lambda: function(value), lambda: _floats(function(value))


@case
def chain_of_1000_adds(tf: Any) -> Case:
    """Adds and multiplications by turns, with fed operands: nothing can be folded."""
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    y = a
    for _ in range(500):
        y = (y + a) * b
    sess = _session(tf)
    feeds = {a: 1.0, b: 0.5}
    return lambda: sess.run(y, feeds), lambda: _floats(sess.run(y, feeds))


# Variables in, the op as a target: no copy of the result is timed.
def _matmul(n: int) -> None:
    def function(tf: Any) -> Case:
        start: dict[Any, Any] = {}
        a, b = _variable(tf, _random((n, n), 1), start), _variable(tf, _random((n, n), 2), start)
        c = tf.matmul(a, b)
        sess = _session(tf, start)
        return lambda: sess.run(c.op), lambda: _floats(sess.run([c[0, 0], c[n - 1, n - 1]]))

    function.__name__ = f"matmul_{n}"
    case(function)


for _n in (256, 1024, 2048):
    _matmul(_n)


@case
def elementwise_chain_10m(tf: Any) -> Case:
    start: dict[Any, Any] = {}
    n = 10_000_000
    x = _variable(tf, _random((n,), 3), start)
    y = tf.tanh(x * 0.7 + 0.1) * 1.3 + 0.2
    y = tf.nn.relu(y) * y + x
    sess = _session(tf, start)
    return lambda: sess.run(y.op), lambda: _floats(sess.run([y[0], y[n - 1]]))


def _classifier(tf: Any, sizes: tuple[int, ...], batch: int, rate: float) -> Case:
    start: dict[Any, Any] = {}
    x, y = tf.placeholder(tf.float32, [None, sizes[0]]), tf.placeholder(tf.float32, [None, sizes[-1]])
    h = x
    for i in range(len(sizes) - 1):
        w = _variable(tf, _random((sizes[i], sizes[i + 1]), i) / np.float32(np.sqrt(sizes[i])), start)
        h = tf.matmul(h, w) + _variable(tf, np.zeros(sizes[i + 1], np.float32), start)
        if i < len(sizes) - 2:
            h = tf.nn.relu(h)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=h))
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    sess = _session(tf, start)
    labels = np.eye(sizes[-1], dtype=np.float32)[np.arange(batch) % sizes[-1]]
    feeds = {x: _random((batch, sizes[0]), 9), y: labels}

    def step() -> Any:
        return sess.run([train, loss], feeds)[1]

    return step, lambda: _floats(*[step() for _ in range(3)])


@case
def train_softmax_regression(tf: Any) -> Case:
    """784 to 10, batch 100."""
    return _classifier(tf, (784, 10), 100, 0.05)


@case
def train_mlp(tf: Any) -> Case:
    """784-256-256-10, batch 128, gradient descent."""
    return _classifier(tf, (784, 256, 256, 10), 128, 0.05)


@case
def build_5000_nodes_with_gradients(tf: Any) -> Case:
    def step() -> int:
        with tf.Graph().as_default() as graph:
            x, w, b = (tf.placeholder(tf.float32, [4]) for _ in range(3))
            y = x
            for _ in range(1666):
                y = tf.tanh(y * w + b)
            tf.gradients(y, [w, b])
            return len(graph.get_operations())

    return step, lambda: []
