"""Distribution functions of the normal and the Laplace distribution, and their inverses and logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.comparison import greater, less
from ferroflow._src.ops.math.elementwise import abs as absolute, erf, erfc, exp, log, log1p, sqrt, square

# From here on log(1 - e) is -e to the dtype's precision; below, the series has its precision.
_LOG_NDTR_SEGMENTS = {dtypes.float32: (-10.0, 5.0), dtypes.float64: (-20.0, 8.0)}

# Rational approximations of the inverse of the normal distribution function, lowest power first. Source: S. Moshier,
# Cephes Mathematical Library, ndtri.
_CENTRE = (
    (
        -1.23916583867381258016e0,
        1.39312609387279679503e1,
        -5.66762857469070293439e1,
        9.80010754185999661536e1,
        -5.99633501014107895267e1,
    ),
    (
        -1.18331621121330003142e0,
        1.59056225126211695515e1,
        -8.20372256168333339912e1,
        2.00260212380060660359e2,
        -2.25462687854119370527e2,
        8.63602421390890590575e1,
        4.67627912898881538453e0,
        1.95448858338141759834e0,
        1.0,
    ),
)
_TAIL = (
    (
        -8.57456785154685413611e-4,
        -3.50424626827848203418e-2,
        -1.40256079171354495875e-1,
        2.18663306850790267539e0,
        1.46849561928858024014e1,
        4.40805073893200834700e1,
        5.71628192246421288162e1,
        3.15251094599893866154e1,
        4.05544892305962419923e0,
    ),
    (
        -9.33259480895457427372e-4,
        -3.80806407691578277194e-2,
        -1.42182922854787788574e-1,
        2.50464946208309415979e0,
        1.50425385692907503408e1,
        4.13172038254672030440e1,
        4.53907635128879210584e1,
        1.57799883256466749731e1,
        1.0,
    ),
)
_FAR_TAIL = (
    (
        6.23974539184983293730e-9,
        2.65806974686737550832e-6,
        3.01581553508235416007e-4,
        1.23716634817820021358e-2,
        2.01485389549179081538e-1,
        1.33303460815807542389e0,
        3.93881025292474443415e0,
        6.91522889068984211695e0,
        3.23774891776946035970e0,
    ),
    (
        6.79019408009981274425e-9,
        2.89247864745380683936e-6,
        3.28014464682127739104e-4,
        1.34204006088543189037e-2,
        2.16236993594496635890e-1,
        1.37702099489081330271e0,
        3.67983563856160859403e0,
        6.02427039364742014255e0,
        1.0,
    ),
)


def _as_floats(x: Any, name: str) -> Any:
    x = convert_to_tensor(x, name=name)
    if x.dtype.base_dtype not in _LOG_NDTR_SEGMENTS:
        raise TypeError(f"{name}.dtype={x.dtype} is not handled, see docstring for supported types.")
    return x


def ndtr(x: TensorLike, name: str = "ndtr") -> Any:
    """Returns the probability of at most x under the standard normal distribution.

    Args:
        x: Tensor of float32 or float64, of any shape.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `x`.

    Raises:
        TypeError: if the dtype of `x` is not supported.
    """
    with name_scope(name, values=[x]):
        return _ndtr(_as_floats(x, "x"))


def _ndtr(x: Any) -> Any:
    half_sqrt_2 = constant(0.5 * math.sqrt(2.0), dtype=x.dtype, name="half_sqrt_2")
    w = x * half_sqrt_2
    z = absolute(w)
    tail = where(greater(w, 0.0), 2.0 - erfc(z), erfc(z))
    return 0.5 * where(less(z, half_sqrt_2), 1.0 + erf(w), tail)


def _polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    result: Any = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = coefficient + result * x
    return result


def _ratio(x: Any, coefficients: tuple[Sequence[float], Sequence[float]]) -> Any:
    return _polynomial(x, coefficients[0]) / _polynomial(x, coefficients[1])


def ndtri(p: Any, name: str = "ndtri") -> Any:
    """Returns the value up to which lies the probability p under the standard normal distribution.

    Args:
        p: Tensor of float32 or float64, in [0, 1], of any shape.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `p`.

    Raises:
        TypeError: if the dtype of `p` is not supported.
    """
    with name_scope(name, values=[p]):
        p = _as_floats(p, "p")
        # Up to exp(-2) from either end the tail's approximations hold, beyond exp(-32) the far tail's.
        is_upper = p > 1.0 - np.exp(-2.0)
        lower = where(is_upper, 1.0 - p, p)
        # No NaN of the branch that is not taken may reach the gradient.
        safe = where(lower <= 0.0, making.fill(shaping.shape(p), constant(0.5, dtype=p.dtype)), lower)
        w = safe - 0.5
        ww = w**2
        centre = (w + w * ww * _ratio(ww, _CENTRE)) * -np.sqrt(2.0 * np.pi)
        z = sqrt(-2.0 * log(safe))
        first = z - log(z) / z
        tail = first - _ratio(1.0 / z, _TAIL) / z
        far_tail = first - _ratio(1.0 / z, _FAR_TAIL) / z
        x = where(safe > np.exp(-2.0), centre, where(z >= 8.0, far_tail, tail))
        x = where(is_upper, x, -x)
        infinity = making.fill(shaping.shape(p), constant(np.inf, dtype=p.dtype))
        return where(p <= 0.0, -infinity, where(p >= 1.0, infinity, x))


def erfinv(x: Any, name: str = "erfinv") -> Any:
    """Returns the inverse of the error function.

    Args:
        x: Tensor of float32 or float64, in [-1, 1], of any shape.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `x`.

    Raises:
        TypeError: if the dtype of `x` is not supported.
    """
    with name_scope(name, values=[x]):
        x = _as_floats(x, "x")
        return ndtri((x + 1.0) / 2.0) / np.sqrt(2)


def log_ndtr(x: TensorLike, series_order: int = 3, name: str = "log_ndtr") -> Any:
    """Returns the logarithm of the probability of at most x under the standard normal distribution.

    Args:
        x: Tensor of float32 or float64, of any shape.
        series_order: int, in [0, 30], the terms of the series used far below 0.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `x`.

    Raises:
        TypeError: if `x` has another dtype, or `series_order` is not an int.
        ValueError: if `series_order` is out of range.
    """
    if not isinstance(series_order, int):
        raise TypeError("series_order must be a Python integer.")
    if series_order < 0:
        raise ValueError("series_order must be non-negative.")
    if series_order > 30:
        raise ValueError("series_order must be <= 30.")
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.base_dtype not in _LOG_NDTR_SEGMENTS:
            raise TypeError(f"x.dtype={x.dtype} is not supported.")
        lowest, highest = _LOG_NDTR_SEGMENTS[x.dtype.base_dtype]
        # Arguments are clipped to their segment: a branch that is not taken must not bring NaN into the gradient.
        middle = log(_ndtr(maximum(x, lowest)))
        low = _log_ndtr_series(minimum(x, lowest), series_order)
        return where(greater(x, highest), -_ndtr(-x), where(greater(x, lowest), middle, low))


def _log_ndtr_series(x: Any, series_order: int) -> Any:
    """Returns the asymptotic series for large negative x: `phi(x) / -x * (1 - 1 / x**2 + 3 / x**4 - 15 / x**6 ...)`."""
    xx = square(x)
    log_scale = -0.5 * xx - log(-x) - 0.5 * math.log(2.0 * math.pi)
    if series_order == 0:
        return log_scale
    odd: Any = 0.0
    even: Any = 0.0
    power = xx
    for n in range(1, series_order + 1):
        term = float(np.prod(np.arange(2 * n - 1, 1, -2, dtype=np.float64))) / power
        odd, even = (odd + term, even) if n % 2 else (odd, even + term)
        power = power * xx
    return log_scale + log(1.0 + even - odd)


def log_cdf_laplace(x: TensorLike, name: str = "log_cdf_laplace") -> Any:
    """Returns the logarithm of the probability of at most x under the standard Laplace distribution.

    Args:
        x: Tensor of float32 or float64, of any shape.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        lower = -np.log(2.0) + x
        # The magnitude keeps the exponential from overflowing where the other branch is taken.
        upper = log1p(-0.5 * exp(-absolute(x)))
        return where(x < 0.0, lower, upper)
