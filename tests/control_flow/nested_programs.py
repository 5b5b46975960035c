"""Programs of nested conditionals, loops, maps, scans and arrays, run by the library or by Python.

A program makes a vector of three elements from one, with the vector `x` and the number `i` of the innermost loop's
iteration at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies

import ferroflow as tf

Program = tuple[Any, ...]
SIZE = 3
_LEAVES = ("times", "sine", "count", "hyperbolic", "square", "scan", "map")

_leaf = strategies.sampled_from([(name,) for name in _LEAVES])


def _nested(inner: Any) -> Any:
    return strategies.one_of(
        strategies.tuples(strategies.just("then"), inner, inner),
        strategies.tuples(strategies.just("positive"), inner, inner),
        strategies.tuples(strategies.just("even"), inner, inner),
        strategies.tuples(strategies.just("loop"), strategies.integers(0, 3), inner),
        strategies.tuples(strategies.just("array"), strategies.integers(1, 3), inner),
    )


programs = strategies.recursive(_leaf, _nested, max_leaves=6)


class InPython:
    """Python's control flow over NumPy arrays, which may be complex: what is compared is the real part."""

    sin, tanh = staticmethod(np.sin), staticmethod(np.tanh)

    def number(self, i: int) -> float:
        return float(i)

    def cond(self, pred: bool, when_true: Callable[[], Any], when_false: Callable[[], Any]) -> Any:
        return when_true() if pred else when_false()

    def is_positive(self, a: Any) -> bool:
        return bool(a.sum().real > 0)

    def is_even(self, i: int) -> bool:
        return i % 2 == 0

    def loop(self, count: int, body: Callable[[int, Any], Any], a: Any) -> Any:
        for i in range(count):
            a = body(i, a)
        return a

    def scan(self, step: Callable[[Any, Any], Any], a: Any) -> Any:
        values = [a[0]]
        for e in a[1:]:
            values.append(step(values[-1], e))
        return np.array(values)

    def map(self, function: Callable[[Any], Any], a: Any) -> Any:
        return np.array([function(e) for e in a])

    def array(self, count: int, body: Callable[[int, Any], Any], a: Any) -> Any:
        """The sum of the values of all iterations, the later ones with greater weights."""
        values = []
        for i in range(count):
            a = body(i, a)
            values.append(a)
        return sum((k + 1.0) * v for k, v in enumerate(values))


class InGraph:
    """The library's control flow over tensors."""

    sin, tanh = staticmethod(tf.sin), staticmethod(tf.tanh)
    cond, scan, map = staticmethod(tf.cond), staticmethod(tf.scan), staticmethod(tf.map_fn)

    def number(self, i: Any) -> Any:
        return tf.cast(i, tf.float64)

    def is_positive(self, a: Any) -> Any:
        return tf.reduce_sum(a) > 0.0

    def is_even(self, i: Any) -> Any:
        return tf.equal(i % 2, 0)

    def loop(self, count: int, body: Callable[[Any, Any], Any], a: Any) -> Any:
        return tf.while_loop(lambda i, a: i < count, lambda i, a: (i + 1, body(i, a)), [0, a])[1]

    def array(self, count: int, body: Callable[[Any, Any], Any], a: Any) -> Any:
        def step(i: Any, a: Any, values: Any) -> Any:
            a = body(i, a)
            return i + 1, a, values.write(i, a)

        values = tf.TensorArray(tf.float64, count, element_shape=[SIZE])
        values = tf.while_loop(lambda i, a, v: i < count, step, [0, a, values])[2]
        weights = tf.range(1.0, count + 1.0, dtype=tf.float64)
        return tf.reduce_sum(values.stack() * weights[:, None], 0)


def run(program: Program, lib: Any, a: Any, x: Any, i: Any) -> Any:
    """What a program makes of `a`."""
    kind, *parts = program
    inner = [lambda a=a, i=i, part=part: run(part, lib, a, x, i) for part in parts if isinstance(part, tuple)]
    if kind == "then":
        return run(parts[1], lib, inner[0](), x, i)
    if kind in ("positive", "even"):
        return lib.cond(lib.is_positive(a) if kind == "positive" else lib.is_even(i), *inner)
    if kind in ("loop", "array"):
        repeat = lib.loop if kind == "loop" else lib.array
        return repeat(parts[0], lambda j, b: run(parts[1], lib, b, x, j), a)
    return {
        "times": lambda: a * x,
        "sine": lambda: lib.sin(a) + x * 0.5,
        "count": lambda: a * (lib.number(i) - 1.5),
        "hyperbolic": lambda: lib.tanh(a * x),
        "square": lambda: a * a * 0.5 - x,
        "scan": lambda: lib.scan(lambda b, e: b * 0.5 + e * x[1], a),
        "map": lambda: lib.map(lambda e: e * x[0] + e * e, a),
    }[kind]()
