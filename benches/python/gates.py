"""Trains one network nine times, three times with each way of gating gradients, and counts the different results.

    python benches/python/gates.py [--tensorflow1 PYTHON] [--tensorflow2 PYTHON] [--rounds 3]

Each library runs in a process of its own. Prints a table of the numbers of different results, one for each round.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from typing import Any

import numpy as np
from libraries import load

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


def results(library: str) -> int:
    """Returns how many different results the library has of nine trainings."""
    tf = load(library)
    gates = [getattr(tf.train.Optimizer, name) for name in ("GATE_NONE", "GATE_OP", "GATE_GRAPH")]
    return len({trained(tf, gate) for gate in gates for _ in range(TIMES)})


def main() -> None:
    """Parses the command line and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow1", help="an interpreter that has TensorFlow 1.15")
    parser.add_argument("--tensorflow2", help="an interpreter that has TensorFlow 2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        print(results(args.worker))
        return
    pythons = {"ferroflow": sys.executable, "TensorFlow 1.15": args.tensorflow1, "TensorFlow 2.21": args.tensorflow2}
    print("| library | different results of nine |\n|---|---|")
    for name, python in pythons.items():
        if python:
            module = "ferroflow" if name == "ferroflow" else "tensorflow"
            counts = [
                subprocess.run([python, __file__, "--worker", module], stdout=subprocess.PIPE, check=True).stdout
                for _ in range(args.rounds)
            ]
            print(f"| {name} | {', '.join(count.decode().split()[-1] for count in counts)} |", flush=True)


if __name__ == "__main__":
    main()
