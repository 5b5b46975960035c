"""Trains one network nine times, three times with each way of gating gradients, and counts the different results.

Without an argument it trains with ferroflow; with `tensorflow.compat.v1`, and a Python that has it, with TensorFlow.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from typing import Any

import numpy as np

LAYERS, UNITS, BATCH, STEPS, TIMES = 4, 256, 128, 10, 3


def trained(tf: Any, gate: int) -> str:
    """The variables after training from the same start, as a digest of their bits."""
    random = np.random.RandomState(0)
    inputs = random.randn(STEPS, BATCH, UNITS).astype(np.float32)
    weights = [(random.randn(UNITS, UNITS) / 16).astype(np.float32) for _ in range(LAYERS)]
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [BATCH, UNITS])
        variables = [tf.Variable(value) for value in weights]
        y = x
        for variable in variables:
            y = tf.nn.tanh(tf.matmul(y, variable))
        loss = tf.reduce_mean(tf.square(y - x))
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        train = optimizer.apply_gradients(optimizer.compute_gradients(loss, variables, gate_gradients=gate))
        session.run(tf.global_variables_initializer())
        for batch in inputs:
            session.run(train, {x: batch})
        return hashlib.sha256(b"".join(value.tobytes() for value in session.run(variables))).hexdigest()[:12]


def main() -> None:
    """Prints the results by gate, and how many there are."""
    tf = importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "ferroflow")
    if hasattr(tf, "disable_v2_behavior"):
        tf.disable_v2_behavior()
    found: set[str] = set()
    for gate in ("GATE_NONE", "GATE_OP", "GATE_GRAPH"):
        results = [trained(tf, getattr(tf.train.Optimizer, gate)) for _ in range(TIMES)]
        print(f"{gate:10}", *results)
        found.update(results)
    print(f"{len(found)} different {'result' if len(found) == 1 else 'results'} of {3 * TIMES}")


if __name__ == "__main__":
    main()
