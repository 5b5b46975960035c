"""The steps that `ferroflow bench` times, in a process of their own, with ferroflow or with TensorFlow.

Run by either library's interpreter with the arguments LIBRARY, SECONDS and names of steps, it prints a line of JSON for
each step. It imports neither library unless it is requested, and uses what both have.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

# A built step: (its function, a function that returns the result that all runs must reach).
Step = tuple[Callable[[], Any], Callable[[], float]]

# A sample takes at least this number of seconds: clocks are finer, interruptions are not.
_SAMPLE = 0.002


def load(library: str) -> Any:
    """Returns the library of that name, building graphs as TensorFlow 1.x does."""
    if library == "ferroflow":
        return importlib.import_module("ferroflow")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = importlib.import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    return tf


def _values(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def _variable(tf: Any, name: str, *shape: int) -> Any:
    return tf.get_variable(name, initializer=0.1 * _values(*shape, seed=len(name)))


def _one_addition(tf: Any) -> Step:
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    session = tf.Session()
    return lambda: session.run(y, {x: 2.0}), lambda: float(session.run(y, {x: 2.0}))


def _product(tf: Any) -> Step:
    x = tf.constant(_values(512, 512))
    y = tf.reduce_sum(tf.matmul(x * _variable(tf, "scale", 512, 512), x))
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return lambda: session.run(y.op), lambda: float(session.run(y))


def _trained(tf: Any, loss: Any, feeds: dict[Any, Any]) -> Step:
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    before = float(session.run(loss, feeds))
    return lambda: session.run([train, loss], feeds), lambda: before


def _softmax_regression(tf: Any) -> Step:
    x, labels = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
    logits = tf.matmul(x, _variable(tf, "weights", 784, 10)) + _variable(tf, "biases", 10)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return _trained(tf, loss, {x: _values(100, 784), labels: np.arange(100) % 10})


def _convolutions(tf: Any) -> Step:
    x, labels = tf.placeholder(tf.float32, [None, 28, 28, 1]), tf.placeholder(tf.int64, [None])
    hidden = tf.nn.relu(tf.nn.conv2d(x, _variable(tf, "first", 5, 5, 1, 16), [1, 1, 1, 1], "SAME"))
    hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    hidden = tf.nn.relu(tf.nn.conv2d(hidden, _variable(tf, "second", 5, 5, 16, 32), [1, 1, 1, 1], "SAME"))
    hidden = tf.reshape(tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), [-1, 7 * 7 * 32])
    logits = tf.matmul(hidden, _variable(tf, "last", 7 * 7 * 32, 10))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return _trained(tf, loss, {x: _values(32, 28, 28, 1), labels: np.arange(32) % 10})


# By name: what is built, and in words what one step does.
STEPS: dict[str, tuple[Callable[[Any], Step], str]] = {
    "addition": (_one_addition, "one sum of a fed number: what a call of Session.run costs"),
    "product": (_product, "a 512 x 512 matrix product, and sums: 0.27 GFLOP"),
    "regression": (_softmax_regression, "softmax regression, 784 to 10, batch of 100, gradient descent"),
    "convolutions": (_convolutions, "two layers of 5 x 5 convolutions, batch of 32, gradient descent"),
}


def measured(library: str, name: str, seconds: float) -> dict[str, Any]:
    """Measures the time of one of the steps.

    Args:
        library: str, `ferroflow` or `tensorflow`.
        name: str, one of `STEPS`.
        seconds: float, for how long samples are taken.

    Returns:
        dict: `name`; `check`, a value that libraries must agree on; `samples`, the number of samples; and `quartiles`,
        three times of a step in microseconds. Half of all samples lie between the first and the last quartile.
    """
    tf = load(library)
    with tf.Graph().as_default():
        step, check = STEPS[name][0](tf)
        checked = check()
        # The first steps plan, and fill pools of memory.
        for _ in range(3):
            step()
        began = time.perf_counter()
        step()
        repeats = max(1, int(_SAMPLE / max(time.perf_counter() - began, 1e-7)))
        samples: list[float] = []
        end = time.perf_counter() + seconds
        while len(samples) < 5 or time.perf_counter() < end:
            began = time.perf_counter()
            for _ in range(repeats):
                step()
            samples.append((time.perf_counter() - began) / repeats * 1e6)
    quartiles = [float(q) for q in np.percentile(samples, [25, 50, 75])]
    return {"name": name, "check": checked, "samples": len(samples), "quartiles": quartiles}


if __name__ == "__main__":
    for wanted in sys.argv[3:] or STEPS:
        print(json.dumps(measured(sys.argv[1], wanted, float(sys.argv[2]))), flush=True)
