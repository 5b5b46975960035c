"""Small random programs, the same for every module with TF1's functions: inputs and choices follow from a number."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

COUNT = 3600
# Programs built into one graph.
BATCH = 120


class Program(NamedTuple):
    """What one program computes.

    Attributes:
        name: the function that decides what difference is allowed.
        kind: "exact", "elementwise" or "sum".
        build: takes the module and gives a tensor.
    """

    name: str
    kind: str
    build: Callable[[Any], Any]


_SHAPES = [(), (1,), (7,), (3, 4), (2, 3, 2), (1, 5), (4, 1)]
_FLOATS = ["float32", "float32", "float64"]
_INTS = ["int32", "int64"]

# By name, the interval that arguments come from.
UNARY = {
    "abs": (-5, 5),
    "acos": (-0.99, 0.99),
    "acosh": (1.01, 20),
    "asin": (-0.99, 0.99),
    "asinh": (-5, 5),
    "atan": (-5, 5),
    "atanh": (-0.95, 0.95),
    "ceil": (-5, 5),
    "cos": (-6, 6),
    "cosh": (-5, 5),
    "digamma": (0.2, 8),
    "erf": (-3, 3),
    "erfc": (-3, 3),
    "exp": (-10, 10),
    "expm1": (-3, 3),
    "floor": (-5, 5),
    "lgamma": (0.2, 8),
    "log": (0.01, 50),
    "log1p": (-0.9, 50),
    "negative": (-5, 5),
    "reciprocal": (0.1, 9),
    "rint": (-5, 5),
    "round": (-5, 5),
    "rsqrt": (0.01, 50),
    "sigmoid": (-9, 9),
    "sign": (-5, 5),
    "sin": (-6, 6),
    "sinh": (-5, 5),
    "sqrt": (0.01, 50),
    "square": (-5, 5),
    "tan": (-1.4, 1.4),
    "tanh": (-5, 5),
    "nn.elu": (-5, 5),
    "nn.relu": (-5, 5),
    "nn.relu6": (-3, 9),
    "nn.selu": (-5, 5),
    "nn.softplus": (-9, 9),
    "nn.softsign": (-5, 5),
}
BINARY = {
    "add": (-5, 5),
    "atan2": (0.1, 5),
    "divide": (0.1, 5),
    "div_no_nan": (0.1, 5),
    "floordiv": (0.5, 9),
    "floormod": (0.5, 9),
    "maximum": (-5, 5),
    "minimum": (-5, 5),
    "multiply": (-5, 5),
    "pow": (0.3, 3),
    "squared_difference": (-5, 5),
    "subtract": (-5, 5),
}
# These round nothing, so that they may surround a function that does.
_EXACT_UNARY = ["abs", "negative", "nn.relu", "identity"]
_REDUCTIONS = ["reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min"]
_COMPARISONS = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
_INT_BINARY = [
    "add",
    "subtract",
    "multiply",
    "floordiv",
    "floormod",
    "maximum",
    "minimum",
    "truncatediv",
    "truncatemod",
]


def _function(tf: Any, name: str) -> Any:
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


class _Choices:
    """The choices of one program."""

    def __init__(self, number: int) -> None:
        self.choose = random.Random(number)
        self._numbers = np.random.RandomState(number)

    def shape(self) -> tuple[int, ...]:
        return self.choose.choice(_SHAPES)

    def broadcast(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        shape = self.shape()
        other = tuple(1 if self.choose.random() < 0.3 else n for n in shape)[self.choose.randint(0, len(shape)) :]
        return (shape, other) if self.choose.random() < 0.5 else (other, shape)

    def reals(self, shape: tuple[int, ...], low: float, high: float, dtype: str) -> Any:
        return self._numbers.uniform(low, high, shape).astype(dtype)

    def whole(self, shape: tuple[int, ...], low: int, high: int, dtype: str = "int32") -> Any:
        return self._numbers.randint(low, high + 1, shape).astype(dtype)


def _unary(c: _Choices) -> Program:
    name, before, after = c.choose.choice(sorted(UNARY)), c.choose.choice(_EXACT_UNARY), c.choose.choice(_EXACT_UNARY)
    low, high = UNARY[name]
    x = c.reals(c.shape(), low, high, c.choose.choice(_FLOATS))
    inner = before if low < 0 and before in ("identity", "negative") and low == -high else "identity"

    def build(tf: Any) -> Any:
        return _function(tf, after)(_function(tf, name)(_function(tf, inner)(tf.constant(x))))

    return Program(name, "elementwise", build)


def _binary(c: _Choices) -> Program:
    name = c.choose.choice(sorted(BINARY))
    dtype, (a, b) = c.choose.choice(_FLOATS), c.broadcast()
    x, y = c.reals(a, *BINARY[name], dtype), c.reals(b, *BINARY[name], dtype)
    return Program(name, "elementwise", lambda tf: _function(tf, name)(tf.constant(x), tf.constant(y)))


def _whole_binary(c: _Choices) -> Program:
    name, dtype, (a, b) = c.choose.choice(_INT_BINARY), c.choose.choice(_INTS), c.broadcast()
    x, y = c.whole(a, -50, 50, dtype), c.whole(b, 1, 9, dtype)
    return Program(name, "exact", lambda tf: _function(tf, name)(tf.constant(x), tf.constant(y)))


def _comparison(c: _Choices) -> Program:
    name, (a, b) = c.choose.choice(_COMPARISONS), c.broadcast()
    dtype = c.choose.choice(["float32", *_INTS])
    x, y = c.whole(a, -2, 2, dtype), c.whole(b, -2, 2, dtype)
    return Program(name, "exact", lambda tf: _function(tf, name)(tf.constant(x), tf.constant(y)))


def _reduction(c: _Choices) -> Program:
    name, shape = c.choose.choice(_REDUCTIONS), c.choose.choice([(6,), (3, 4), (2, 3, 4), (40, 3), (3, 100)])
    dtype, keep = c.choose.choice([*_FLOATS, "int32"]), c.choose.random() < 0.5
    axes = c.choose.choice([None, *range(-len(shape), len(shape))])
    x = c.whole(shape, -9, 9, dtype) if dtype == "int32" else c.reals(shape, 0.7, 1.4, dtype)
    kind = "exact" if dtype == "int32" else "sum"
    return Program(name, kind, lambda tf: _function(tf, name)(tf.constant(x), axis=axes, keepdims=keep))


def _position(c: _Choices) -> Program:
    name, x = c.choose.choice(["argmax", "argmin"]), c.whole((4, 5), 0, 6, "float32")
    axis = c.choose.choice([0, 1, -1])
    return Program(name, "exact", lambda tf: _function(tf, name)(tf.constant(x), axis))


def _running(c: _Choices) -> Program:
    name, x = c.choose.choice(["cumsum", "cumprod"]), c.reals((4, 3), 0.7, 1.4, c.choose.choice(_FLOATS))
    how = {key: c.choose.random() < 0.5 for key in ("exclusive", "reverse")}
    axis = c.choose.choice([0, 1, -1])
    return Program(name, "sum", lambda tf: _function(tf, name)(tf.constant(x), axis, **how))


def _matmul(c: _Choices) -> Program:
    dtype, (m, k, n) = c.choose.choice(_FLOATS), (c.choose.randint(1, 20) for _ in range(3))
    first, second = (c.choose.random() < 0.5 for _ in range(2))
    batch = (2,) if c.choose.random() < 0.3 else ()
    a = c.reals((*batch, k, m) if first else (*batch, m, k), 0.1, 1, dtype)
    b = c.reals((*batch, n, k) if second else (*batch, k, n), 0.1, 1, dtype)
    how = {"transpose_a": first, "transpose_b": second}
    return Program("matmul", "sum", lambda tf: tf.matmul(tf.constant(a), tf.constant(b), **how))


def _network(c: _Choices) -> Program:
    name = c.choose.choice(["nn.softmax", "nn.log_softmax", "reduce_logsumexp", "nn.l2_normalize"])
    x = c.reals((3, c.choose.randint(1, 9)), -4, 4, c.choose.choice(_FLOATS))
    return Program(name, "sum", lambda tf: _function(tf, name)(tf.constant(x), axis=-1))


def _gradient(c: _Choices) -> Program:
    name = c.choose.choice([n for n in sorted(UNARY) if n not in ("ceil", "floor", "rint", "round", "sign")])
    x = c.reals((5,), *UNARY[name], "float64")

    def build(tf: Any) -> Any:
        at = tf.constant(x)
        return tf.gradients(_function(tf, name)(at), at)[0]

    return Program(f"gradient of {name}", "sum", build)


def _array(c: _Choices) -> Program:
    choose, x = c.choose, c.whole((2, 3, 4), -99, 99, c.choose.choice(["float32", "int32", "int64"]))
    order = choose.sample([0, 1, 2], 3)
    begin = [choose.randint(0, n - 1) for n in x.shape]
    size = [choose.randint(1, n - b) for n, b in zip(x.shape, begin, strict=True)]
    stride = [choose.choice([-2, -1, 1, 2]) for _ in range(3)]
    axis, pads = choose.randint(0, 2), [[choose.randint(0, 2), choose.randint(0, 2)] for _ in range(3)]
    picks = [choose.randint(0, x.shape[axis] - 1) for _ in range(choose.randint(0, 4))]
    mirror = [[min(p, n - 1) for p in pair] for pair, n in zip(pads, x.shape, strict=True)]
    mode = choose.choice(["REFLECT", "SYMMETRIC"])
    cut = tuple(slice(None, None, s) for s in stride)
    table: dict[str, Callable[[Any, Any], Any]] = {
        "transpose": lambda tf, t: tf.transpose(t, order),
        "reshape": lambda tf, t: tf.reshape(t, [4, -1]),
        "slice": lambda tf, t: tf.slice(t, begin, size),
        "strided slice": lambda tf, t: t[cut],
        "mixed slice": lambda tf, t: t[begin[0], ..., None, begin[2] :: 2],
        "pad": lambda tf, t: tf.pad(t, pads),
        "mirror pad": lambda tf, t: tf.pad(t, mirror, mode=mode),
        "tile": lambda tf, t: tf.tile(t, [1, 2, axis]),
        "gather": lambda tf, t: tf.gather(t, np.array(picks, np.int32), axis=axis),
        "gather_nd": lambda tf, t: tf.gather_nd(t, [begin[:2], [1, 2]]),
        "reverse": lambda tf, t: tf.reverse(t, [axis]),
        "concat": lambda tf, t: tf.concat([t, t, -t], axis - 3),
        "stack": lambda tf, t: tf.stack([t, -t], axis - 3),
        "split": lambda tf, t: tf.split(t, [1, x.shape[axis] - 1], axis)[1],
        "unstack": lambda tf, t: tf.unstack(t, axis=axis)[-1],
        "expand_dims": lambda tf, t: tf.expand_dims(t, axis - 2),
        "one_hot": lambda tf, t: tf.one_hot(np.array(begin, np.int32), 4, on_value=t[0, 0, 0], off_value=t[1, 2, 3]),
        "where": lambda tf, t: tf.where(t > 0),
        "select": lambda tf, t: tf.where(t > 0, t, -t),
        "unique": lambda tf, t: tf.unique(tf.reshape(t, [-1]) % 5)[1],
        "top_k": lambda tf, t: tf.nn.top_k(t, 2)[axis % 2],
        "roll": lambda tf, t: tf.roll(t, begin[1], axis),
        "scatter_nd": lambda tf, t: tf.scatter_nd([[begin[0]], [begin[2]]], t, [5, 3, 4]),
        "space_to_batch": lambda tf, t: tf.space_to_batch_nd(t, [2], [[1, 0]]),
        "reverse_sequence": lambda tf, t: tf.reverse_sequence(
            t, np.array(size[:2], np.int32), seq_axis=1, batch_axis=0
        ),
        "sequence_mask": lambda tf, t: tf.sequence_mask(np.array(begin, np.int32), 5),
        "diag": lambda tf, t: tf.matrix_diag(t),
        "band_part": lambda tf, t: tf.matrix_band_part(t, begin[0], begin[1]),
        "segment_sum": lambda tf, t: tf.segment_sum(t, np.array([0, begin[0]], np.int32)),
        "unsorted_segment_sum": lambda tf, t: tf.unsorted_segment_sum(t, np.array([begin[2], begin[0]], np.int32), 4),
        "range": lambda tf, t: tf.range(begin[0], begin[2] + 7, begin[1] + 1),
    }
    name = choose.choice(sorted(table))
    return Program(name, "exact", lambda tf: table[name](tf, tf.constant(x)))


def _conversion(c: _Choices) -> Program:
    source = c.choose.choice(["float32", "float64", "int32", "int64", "uint8", "int16", "bool"])
    target = c.choose.choice(["float16", "float32", "float64", "int32", "int64", "uint8", "int8", "int16", "bool"])
    low = 0 if target.startswith("u") or source.startswith("u") else -100
    x = c.whole((9,), 0, 1, source) if source == "bool" else c.whole((9,), low, 100).astype(source)
    if source.startswith("float") and c.choose.random() < 0.5:
        x = (x + c.reals((9,), 0, 0.99, source)).astype(source) if low == 0 else (x * 0.37).astype(source)
    name = "cast"
    # TensorFlow 2.21 computes a wrong limit, the least int64, for saturating casts between int64 and floats.
    odd = "int64" in (source, target) and "f" in (source[0], target[0])
    # TF 1.x: what limits the values takes neither the small integers nor bool.
    if target not in ("bool", "float16") and source not in ("bool", "int16", "uint8") and not odd:
        name = c.choose.choice(["cast", "saturate_cast"])
    return Program(name, "exact", lambda tf: _function(tf, name)(tf.constant(x), target))


def _random(c: _Choices) -> Program:
    seed, choose = c.choose.randint(1, 1 << 30), c.choose
    shape, dtype = choose.choice([[3], [2, 3], [17], []]), choose.choice(["float32", "float64", "float16"])
    pair, wide = [choose.randint(-9, 1 << 40), seed], choose.choice(["int32", "int64"])
    weights, value = c.reals((2, 4), -2, 2, "float32"), c.whole((6, 2), -9, 9)
    table: dict[str, Callable[[Any], Any]] = {
        "random_uniform": lambda tf: tf.random_uniform(shape, -1, 3, dtype, seed=seed),
        "random_uniform, whole": lambda tf: tf.random_uniform(shape, -3, 1000, wide, seed=seed),
        "random_normal": lambda tf: tf.random_normal(shape, 1, 2, dtype, seed=seed),
        "truncated_normal": lambda tf: tf.truncated_normal(shape, 1, 2, dtype, seed=seed),
        "random_shuffle": lambda tf: tf.random_shuffle(tf.constant(value), seed=seed),
        "random_crop": lambda tf: tf.random_crop(tf.constant(value), [3, 1], seed=seed),
        "multinomial": lambda tf: tf.multinomial(tf.constant(weights), 5, seed=seed),
        "random_gamma": lambda tf: tf.random_gamma([5], [0.5, 2.5], 2.0, seed=seed),
        "random_poisson": lambda tf: tf.random_poisson([0.5, 4.0, 30.0], [4], seed=seed),
        "dropout": lambda tf: tf.nn.dropout(tf.ones([12]), 0.75, seed=seed),
        "stateless_uniform": lambda tf: tf.random.stateless_uniform(shape, pair, dtype=dtype),
        "stateless_uniform, whole": lambda tf: tf.random.stateless_uniform(shape, pair, -5, 90, wide),
        "stateless_normal": lambda tf: tf.random.stateless_normal(shape, pair, dtype=dtype),
        "stateless_truncated_normal": lambda tf: tf.random.stateless_truncated_normal(shape, pair, dtype=dtype),
        "stateless_multinomial": lambda tf: tf.random.stateless_multinomial(tf.constant(weights), 5, pair),
    }
    name = choose.choice(sorted(table))
    return Program(name, "exact", table[name])


_MAKERS = [_unary] * 6 + [_binary] * 4 + [_whole_binary] * 2 + [_array] * 6 + [_random] * 4
_MAKERS += [
    _comparison,
    _reduction,
    _reduction,
    _position,
    _running,
    _matmul,
    _matmul,
    _network,
    _gradient,
    _conversion,
]


def program(number: int) -> Program:
    """The program of a number in [0, COUNT)."""
    choices = _Choices(number)
    return choices.choose.choice(_MAKERS)(choices)


def results(tf: Any, numbers: range) -> list[Any]:
    """The values of programs, computed in one graph by a module with TF1's functions."""
    with tf.Graph().as_default():
        tensors = [program(number).build(tf) for number in numbers]
        with tf.Session() as session:
            return list(session.run(tensors))
