"""`symbolic_gradient` of functions that `Defun` made."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow.python.framework import function
from ferroflow.python.ops import functional_ops

_FIRST = """
import ferroflow as tf
from ferroflow.python.framework import function
from ferroflow.python.ops import functional_ops

@function.Defun(tf.float32)
def squared(x):
    return x * x

x = tf.constant([1.0, 3.0])
print(tf.Session().run(functional_ops.symbolic_gradient([x, x], [tf.float32], squared))[0].tolist())
"""


def test_it_needs_no_gradient_before() -> None:
    made = subprocess.run([sys.executable, "-c", _FIRST], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[2.0, 18.0]"


_I = tf.int32

# By function: the types of its arguments, the function, and the gradients that TensorFlow 1.15.5 gives at x = [3, -2]
# and y = [2, 5], if 1, 2, ... arrive at the elements of each result.
WHOLE_NUMBERS = {
    "product": ([_I], lambda x: x * x, [[6, -8]]),
    "sum of both": ([_I, _I], lambda x, y: x + 2 * y, [[1, 2], [2, 4]]),
    "square": ([_I], lambda x: tf.square(x), [[6, -8]]),
    "absolute value": ([_I], lambda x: tf.abs(x), [[1, -2]]),
    "quotient": ([_I, _I], lambda x, y: x // y, [[0, 0], [0, 0]]),
    "total": ([_I], lambda x: tf.reduce_sum(x) * x, [[0, 1]]),
    "mean": ([_I], lambda x: tf.reduce_mean(x) * x, [[0, 0]]),
    "greatest": ([_I], lambda x: tf.reduce_max(x) * x, [[2, 6]]),
    "greater": ([_I, _I], lambda x, y: tf.maximum(x, y) * 2, [[2, 0], [0, 4]]),
    "squared difference": ([_I, _I], lambda x, y: tf.squared_difference(x, y), [[2, -28], [-2, 28]]),
    "matrices": ([_I], lambda x: tf.matmul(x[:, None], x[None])[0], [[2, 6]]),
    "joined": ([_I, _I], lambda x, y: tf.reduce_sum(tf.concat([x * 2, y * y], 0)) * x, [[29, 60], [-4, -10]]),
    "stacked": ([_I, _I], lambda x, y: tf.reduce_sum(tf.stack([x * 2, y * y]), 0), [[2, 4], [4, 20]]),
    "part": ([_I], lambda x: x[1:] * x, [[-2, -5]]),
    "chosen": ([_I, _I], lambda x, y: tf.where(x > y, x * x, y), [[6, 0], [0, 2]]),
    "rectified": ([_I], lambda x: tf.nn.relu(x), [[1, 0]]),
    "through a float": ([_I], lambda x: tf.cast(tf.cast(x, tf.float32) * 1.5, _I), [[1, 3]]),
    "stopped": ([_I], lambda x: tf.stop_gradient(x) * x, [[3, -4]]),
    "two results": ([_I, _I], lambda x, y: (x * y, x + y), [[3, 12], [4, -2]]),
    "unused": ([_I, _I], lambda x, y: x * 3, [[3, 6], [0, 0]]),
    "to whole numbers": ([tf.float32], lambda x: tf.cast(x * 2, _I), [[2.0, 4.0]]),
    "from whole numbers": ([_I], lambda x: tf.cast(x, tf.float32) * 2.5, [[2, 5]]),
    "of both kinds": ([_I, tf.float32], lambda x, y: (x * x, y * y), [[6, -8], [4.0, 20.0]]),
    "of 64 bits": ([tf.int64], lambda x: x * x, [[6, -8]]),
    "of 8 bits": ([tf.int8], lambda x: x * x, [[6, -8]]),
}


def _gradients(types: list[tf.DType], f: Any, arguments: list[Any]) -> list[Any]:
    """Returns the gradients of a function's arguments if 1, 2, ... arrive at the elements of each result."""
    with tf.Graph().as_default(), tf.Session() as session:
        made = function.Defun(*types, func_name="differentiated")(f)
        inputs = [tf.constant(x, dtype) for x, dtype in zip(arguments, types, strict=True)]
        results = made(*inputs)
        arriving = [
            tf.constant(np.arange(1, y.size + 1).reshape(y.shape), y.dtype)
            for y in session.run(list(results) if isinstance(results, tuple | list) else [results])
        ]
        found = functional_ops.symbolic_gradient([*inputs, *arriving], types, made)
        assert [g.dtype for g in found] == types
        return [g.tolist() for g in session.run(found)]


@pytest.mark.parametrize("name", WHOLE_NUMBERS)
def test_gradients_of_whole_numbers_are_tensorflows(name: str) -> None:
    types, f, expected = WHOLE_NUMBERS[name]
    assert _gradients(types, f, [[3, -2], [2, 5]][: len(types)]) == expected


def test_a_call_inside_passes_whole_numbers_on() -> None:
    @function.Defun(_I, _I)
    def inner(x, y):  # type: ignore[no-untyped-def]  # as a program writes it
        return x * y, x - y

    def product(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        first, second = inner(x, y)
        return first * second

    assert _gradients([_I, _I], product, [[3, -2], [2, 5]]) == [[8, -90], [-3, 48]]


@pytest.mark.parametrize("least", [False, True])
@pytest.mark.parametrize(("arriving", "share"), [(6, 3), (7, 3), (-7, -3)])
def test_equal_extremes_share_a_whole_gradient_cut_off_at_0(least: bool, arriving: int, share: int) -> None:
    sign = -1 if least else 1

    def extreme(x: tf.Tensor) -> tf.Tensor:
        return tf.constant([arriving, 0]) * (tf.reduce_min(x) if least else tf.reduce_max(x))

    assert _gradients([_I], extreme, [[5 * sign, 5 * sign, 2 * sign]]) == [[share, share, 0]]


_UNARY = (tf.square, tf.negative, tf.identity, lambda x: x[::-1], lambda x: tf.reduce_sum(x) * x, tf.abs)
_BINARY = (tf.add, tf.subtract, tf.multiply, tf.squared_difference, tf.maximum, tf.minimum)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=3),
    st.lists(st.integers(-4, 4), min_size=6, max_size=6),
)
def test_a_whole_gradient_is_the_one_of_the_same_floats(steps: list[tuple[int, int]], numbers: list[int]) -> None:
    def f(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        for unary, binary in steps:
            x, y = _BINARY[binary](_UNARY[unary](x), y), x
        return x

    arguments = [numbers[:3], numbers[3:]]
    whole = _gradients([tf.int64, tf.int64], f, arguments)
    assert whole == _gradients([tf.float64, tf.float64], f, arguments)


def test_a_loop_of_floats_counts_its_steps() -> None:
    def power(x: tf.Tensor, n: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, tf.ones_like(x)])[1]

    gradient, count = _gradients([tf.float32, _I], power, [[2.0, 3.0], 3])
    assert gradient == [12.0, 54.0]
    assert count == 0
