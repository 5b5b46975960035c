"""Writes random_seeds.json: what TensorFlow's random ops give under the rules of graph and op seeds.

    TENSORFLOW_PYTHON tests/golden/make_random_seeds.py

Each case is a list of graph seed, op seed, and op; its golden values are the IEEE bits of two consecutive runs, as hex.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

# (graph seed, op seed, op); an op without an op seed takes the next of the graph's counter.
CASES: list[tuple[int | None, int | None, str]] = [
    (1, 2, "uniform"),
    (None, 2, "uniform"),
    (1, None, "uniform"),
    (1, None, "second uniform"),
    (0, 0, "uniform"),
    (None, -1, "uniform"),
    (1, 2, "normal"),
    (1, 2, "normal with mean and stddev"),
    (1, 2, "truncated"),
    (1, 2, "integers"),
    (1, 2, "long integers"),
    (1, 2, "shuffle"),
    (7, None, "glorot variable"),
]


def build(tf: Any, op: str, seed: int | None) -> Any:
    """The tensor of a case."""
    if op == "second uniform":
        tf.random_uniform([4])
        return tf.random_uniform([4])
    if op == "glorot variable":
        return tf.get_variable("w", [3, 4]).initial_value
    return {
        "uniform": lambda: tf.random_uniform([8], -3.0, 5.0, seed=seed),
        "normal": lambda: tf.random_normal([8], seed=seed),
        "normal with mean and stddev": lambda: tf.random_normal([8], mean=5.0, stddev=0.5, seed=seed),
        "truncated": lambda: tf.truncated_normal([8], stddev=0.1, seed=seed),
        "integers": lambda: tf.random_uniform([8], -5, 100, dtype=tf.int32, seed=seed),
        "long integers": lambda: tf.random_uniform([8], 0, 10**12, dtype=tf.int64, seed=seed),
        "shuffle": lambda: tf.random_shuffle(tf.range(10), seed=seed),
    }[op]()


def values(tf: Any) -> list[list[str]]:
    """The bytes of two runs of every case, as hex."""
    result = []
    for graph_seed, op_seed, op in CASES:
        with tf.Graph().as_default():
            if graph_seed is not None:
                tf.set_random_seed(graph_seed)
            tensor = build(tf, op, op_seed)
            with tf.Session() as sess:
                result.append([sess.run(tensor).tobytes().hex() for _ in range(2)])
    return result


if __name__ == "__main__":
    import tensorflow.compat.v1 as tensorflow

    tensorflow.disable_v2_behavior()
    path = pathlib.Path(__file__).with_name("random_seeds.json")
    path.write_text(json.dumps(values(tensorflow), indent=1) + "\n")
