"""Records of the functions of one tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from ops.cases.record import (
    ALL_NUMBERS,
    FLOATS,
    INTEGERS,
    NUMBERS,
    REAL_FLOATS,
    Record,
    Refused,
    Values,
    call,
)

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.math import elementwise


def _row(
    name: str,
    reference: Callable[..., Any],
    dtypes: tuple[str, ...],
    low: float = -2.0,
    high: float = 2.0,
    returns: str | None = None,
    differentiable: bool = True,
    lossy: bool = False,
) -> Record:
    function = getattr(elementwise, name)
    return Record(
        name=name,
        function=function,
        reference=reference,
        variants=tuple(call(Values(shape, low, high)) for shape in ((4, 3), (), (0, 2), (2, 1, 17))),
        dtypes=dtypes,
        returns=returns,
        differentiable=(0,) if differentiable else (),
        shapes="any",
        refused=(Refused(lambda: function(constant("text")), TypeError, "string"),) if name != "conj" else (),
        lossy=lossy,
    )


def _sign(x: Any) -> Any:
    return (
        np.where(x == 0, x, x / np.where(x == 0, 1, np.abs(x)))
        if np.iscomplexobj(x)
        else np.where(x == x, np.sign(x), 0).astype(x.dtype)
    )


RECORDS = [
    _row("negative", np.negative, NUMBERS),
    _row("sign", _sign, NUMBERS, differentiable=False),
    _row("square", np.square, NUMBERS),
    _row("sqrt", np.sqrt, FLOATS, low=0.1),
    _row("rsqrt", lambda x: 1 / np.sqrt(x), FLOATS, low=0.1),
    _row("reciprocal", np.reciprocal, FLOATS, low=0.2),
    _row("exp", np.exp, FLOATS),
    _row("expm1", np.expm1, FLOATS),
    _row("log", np.log, FLOATS, low=0.1),
    _row("log1p", np.log1p, FLOATS, low=-0.5),
    _row("sin", np.sin, FLOATS),
    _row("cos", np.cos, FLOATS),
    _row("tan", np.tan, REAL_FLOATS, low=-1.2, high=1.2),
    _row("asin", np.arcsin, REAL_FLOATS, low=-0.9, high=0.9),
    _row("acos", np.arccos, REAL_FLOATS, low=-0.9, high=0.9),
    _row("atan", np.arctan, REAL_FLOATS),
    _row("sinh", np.sinh, FLOATS),
    _row("cosh", np.cosh, FLOATS),
    _row("asinh", np.arcsinh, FLOATS),
    _row("acosh", np.arccosh, REAL_FLOATS, low=1.2, high=3.0),
    _row("atanh", np.arctanh, FLOATS, low=-0.8, high=0.8),
    _row("tanh", np.tanh, FLOATS),
    _row("sigmoid", lambda x: 1 / (1 + np.exp(-x)), FLOATS),
    _row("log_sigmoid", lambda x: -np.log1p(np.exp(-x)), REAL_FLOATS),
    _row("erf", scipy.special.erf, REAL_FLOATS),
    _row("erfc", scipy.special.erfc, REAL_FLOATS),
    _row("lgamma", scipy.special.gammaln, REAL_FLOATS, low=0.5, high=4.0, lossy=True),
    _row("digamma", scipy.special.digamma, REAL_FLOATS, low=0.5, high=4.0, differentiable=False, lossy=True),
    _row("abs", np.abs, REAL_FLOATS + INTEGERS),
    _row("floor", np.floor, REAL_FLOATS, differentiable=False),
    _row("ceil", np.ceil, REAL_FLOATS, differentiable=False),
    _row("rint", np.rint, ("float32", "float64"), differentiable=False),
    _row("round", np.rint, REAL_FLOATS + INTEGERS, differentiable=False),
    _row("conj", np.conj, ALL_NUMBERS),
    _row("is_nan", np.isnan, REAL_FLOATS, returns="bool", differentiable=False),
    _row("is_inf", np.isinf, REAL_FLOATS, returns="bool", differentiable=False),
    _row("is_finite", np.isfinite, REAL_FLOATS, returns="bool", differentiable=False),
    _row("logical_not", np.logical_not, ("bool",), differentiable=False),
]
