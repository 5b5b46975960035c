"""Derivatives by central differences, in float64: what gradients are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import ferroflow as tf

_STEP = 1e-6
# Of second-order error at that step and of rounding, for values of order one.
_TOLERANCE = {"rtol": 2e-6, "atol": 2e-7}


def check(
    function: Callable[..., Any], inputs: Sequence[np.ndarray], seed: int = 0, static_shapes: bool = True
) -> None:
    """Compares the gradients of `function` with differences, contracted with random numbers.

    Args:
      function: of tensors; gives a tensor, or a list of tensors.
      inputs: float64 arrays, one for each argument.
      seed: of the random numbers that stand for what comes after the function.
      static_shapes: whether the graph knows the shapes.
    """
    random = np.random.RandomState(seed)
    with tf.Graph().as_default():
        xs = [tf.placeholder(tf.float64, x.shape if static_shapes else None) for x in inputs]
        ys = function(*xs)
        ys = ys if isinstance(ys, list) else [ys]
        with tf.Session() as session:
            run = session.make_callable(ys, xs)
            weights = [random.standard_normal(y.shape) for y in run(*inputs)]
            found = tf.gradients(ys, xs, grad_ys=[tf.constant(w) for w in weights])
            found = session.run([_dense(g) for g in found], dict(zip(xs, inputs, strict=True)))

            def contracted(values: Sequence[np.ndarray]) -> float:
                return float(sum((w * y).sum() for w, y in zip(weights, run(*values), strict=True)))

            for position, gradient in enumerate(found):
                np.testing.assert_allclose(gradient, _differences(contracted, inputs, position), **_TOLERANCE)


def _dense(gradient: Any) -> Any:
    assert gradient is not None
    return tf.convert_to_tensor(gradient)


def _differences(function: Callable[..., float], inputs: Sequence[np.ndarray], position: int) -> np.ndarray:
    result = np.empty(inputs[position].shape)
    for index in np.ndindex(*result.shape):
        moved = [np.array(x) for x in inputs]
        moved[position][index] += _STEP
        above = function(moved)
        moved[position][index] -= 2 * _STEP
        result[index] = (above - function(moved)) / (2 * _STEP)
    return result
