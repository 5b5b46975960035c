"""Incomplete gamma and beta, zeta and polygamma: closed forms, and gradients that equal central differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import ferroflow as tf

_ERF = np.vectorize(math.erf)
_X = np.array([0.1, 0.6, 1.0, 2.5, 7.0])
_P = np.array([0.05, 0.3, 0.5, 0.75, 0.99])


def _double(value: float) -> tf.Tensor:
    return tf.constant(value, "float64")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("found", "want"),
    [
        pytest.param(lambda c: tf.igamma(c(1.0), c(_X)), -np.expm1(-_X), id="igamma"),
        pytest.param(lambda c: tf.igamma(c(0.5), c(_X)), _ERF(np.sqrt(_X)), id="igamma-half"),
        pytest.param(lambda c: tf.igammac(c(2.0), c(_X)), (1 + _X) * np.exp(-_X), id="igammac"),
        pytest.param(lambda c: tf.betainc(c(2.0), c(1.0), c(_P)), _P**2, id="betainc"),
        pytest.param(lambda c: tf.betainc(c(1.0), c(3.0), c(_P)), 1 - (1 - _P) ** 3, id="betainc-mirrored"),
        pytest.param(lambda c: tf.zeta(c([2.0, 4.0]), c(1.0)), [math.pi**2 / 6, math.pi**4 / 90], id="zeta"),
        pytest.param(lambda c: tf.polygamma(c(1.0), c([1.0, 0.5])), [math.pi**2 / 6, math.pi**2 / 2], id="polygamma"),
    ],
)
def test_closed_forms(found: Callable[..., Any], want: Any, dtype: str) -> None:
    y = found(lambda value: tf.constant(value, dtype))
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(y), want, rtol=2e-7 if dtype == "float32" else 5e-15)


@pytest.mark.parametrize(
    ("function", "at"),
    [
        pytest.param(lambda x: tf.igamma(_double(2.5), x), _X, id="igamma"),
        pytest.param(lambda x: tf.igammac(_double(2.5), x), _X, id="igammac"),
        pytest.param(lambda x: tf.betainc(_double(2.5), tf.constant(1.5, "float64"), x), _P, id="betainc"),
        pytest.param(lambda x: tf.zeta(_double(3.0), x), _X, id="zeta"),
        pytest.param(lambda x: tf.polygamma(_double(2.0), x), _X, id="polygamma"),
        pytest.param(tf.digamma, _X, id="digamma"),
        pytest.param(lambda x: tf.manip.roll(x, 2, 0) * [1, 2, 3, 4, 5], _X, id="roll"),
        pytest.param(lambda x: tf.sparse_segment_mean(x, [0, 2, 2, 4], [0, 0, 0, 1]), _X, id="sparse_segment_mean"),
        pytest.param(lambda x: tf.sparse_segment_sqrt_n(x, [0, 2, 2, 4], [0, 0, 0, 1]), _X, id="sparse_segment_sqrt_n"),
        pytest.param(lambda x: tf.sparse_segment_sum(x, [0, 2, 2, 4], [0, 0, 0, 1]), _X, id="sparse_segment_sum"),
    ],
)
def test_gradients_are_central_differences(function: Callable[..., Any], at: Any) -> None:
    x = tf.placeholder("float64", [len(at)])
    y = tf.reduce_sum(function(x))
    gradient = tf.gradients(y, x)[0]
    step = 1e-5
    with tf.Session() as session:
        found = session.run(gradient, {x: at})
        for i, value in enumerate(at):
            moved = np.eye(len(at))[i] * step * value
            low, high = session.run(y, {x: at - moved}), session.run(y, {x: at + moved})
            np.testing.assert_allclose(found[i], (high - low) / (2 * step * value), rtol=1e-6, atol=1e-8)


def test_the_first_argument_gets_no_gradient() -> None:
    a, x = tf.constant(2.5), tf.constant([1.0, 2.0])
    for function in (tf.zeta, tf.polygamma):
        assert tf.gradients(function(a, x), [a, x])[0] is None


def test_bits() -> None:
    x, y = tf.constant([12, 10, -5], "int32"), tf.constant([10, 3, 1], "int32")
    with tf.Session() as session:
        assert session.run(tf.bitwise.bitwise_and(x, y)).tolist() == [8, 2, 1]
        assert session.run(tf.bitwise.bitwise_or(x, y)).tolist() == [14, 11, -5]
        assert session.run(tf.bitwise.bitwise_xor(x, y)).tolist() == [6, 9, -6]
        assert session.run(tf.bitwise.left_shift(x, y)).tolist() == [12288, 80, -10]
        assert session.run(tf.bitwise.right_shift(x, y)).tolist() == [0, 1, -3]
        assert session.run(tf.bitwise.invert(x)).tolist() == [-13, -11, 4]


def test_parallel_stack_makes_rows() -> None:
    rows = tf.parallel_stack([tf.constant([1.0, 5.0]), tf.constant([4.0, 3.0])])
    assert rows.op.type == "ParallelConcat"
    with tf.Session() as session:
        assert session.run(rows).tolist() == [[1.0, 5.0], [4.0, 3.0]]


def test_an_op_that_is_not_registered_is_not_found() -> None:
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'Nope'"):
        tf.get_default_graph().create_op("Nope", [], ["float32"])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["i0", "i0e", "i1", "i1e"])
def test_bessel_functions(name: str, dtype: str) -> None:
    """Values are SciPy's, also around 8 and far away; the gradient is I0' = I1, I1' = I0 - I1 / x."""
    x = np.array([0.0, 1e-3, -0.5, 1.0, -7.9, 8.0, 8.1, 30.0, -85.0], dtype)
    values = tf.constant(x)
    found = getattr(tf.math, f"bessel_{name}")(values)
    (slope,) = tf.gradients(found, values)
    want = getattr(scipy.special, name)(x.astype("float64"))
    first, second = scipy.special.iv(0, x.astype("float64")), scipy.special.iv(1, x.astype("float64"))
    slopes = second if name[1] == "0" else first - np.divide(second, x, out=np.full(x.shape, 0.5), where=x != 0)
    if name.endswith("e"):
        slopes = slopes * np.exp(-np.abs(x)) - np.sign(x) * want
    with tf.Session() as session:
        got, got_slope = session.run([found, slope])
    # Values of float32 are rounded once.
    np.testing.assert_allclose(got, want, rtol=6e-8 if dtype == "float32" else 1e-13)
    precision = 2e-6 if dtype == "float32" else 1e-13
    # Slopes of a Chebyshev sum are less precise at its ends, such as 8.
    np.testing.assert_allclose(got_slope, slopes, rtol=2e-5 if dtype == "float32" else 1e-9, atol=precision)


@pytest.mark.parametrize("name", ["i0", "i0e", "i1", "i1e"])
def test_bessel_functions_refuse_integers(name: str) -> None:
    with pytest.raises(TypeError, match="int32"):
        getattr(tf.math, f"bessel_{name}")(tf.constant([1, 2]))
