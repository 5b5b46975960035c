"""Gradient rules of functions of two arguments with broadcasting, and of sums of many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.autodiff.broadcasting import reduced_to_arguments
from ferroflow._src.autodiff.counting import counted
from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import (
    cast,
    conj,
    imag,
    known_dims,
    ones_like,
    real,
    same_known_shape,
    select,
    term,
    zeros_like,
)
from ferroflow._src.base import dtypes
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor

log, neg, square, exp, lgamma = map(term, ["Log", "Neg", "Square", "Exp", "Lgamma"])
mul, real_div, floor_div, power, div_no_nan, mul_no_nan = (
    term(op_type, 2) for op_type in ["Mul", "RealDiv", "FloorDiv", "Pow", "DivNoNan", "MulNoNan"]
)
not_equal, greater_equal, less_equal = (term(op_type, 2) for op_type in ["NotEqual", "GreaterEqual", "LessEqual"])
greater, less, minimum = (term(op_type, 2) for op_type in ["Greater", "Less", "Minimum"])
xlogy, xdivy, zeta, polygamma, igamma_grad_a = (
    term(op_type, 2) for op_type in ["Xlogy", "Xdivy", "Zeta", "Polygamma", "IgammaGradA"]
)

Pair = tuple[Any, Any]
# (g, x, y) -> the gradients of x and y, before reduction to their shapes.
Formula = Callable[[Any, Any, Any], Pair]
# TF 1.x: two shapes, the dimensions of the sums, and a sum and a reshape for each argument.
_REDUCTION = 7
_REDUCTION_OF_ONE = 5


def _reduced(x: Tensor, y: Tensor, gx: Any, gy: Any, operations: int = _REDUCTION) -> Pair:
    """Returns gradients of the shapes of two arguments, counted as `operations` operations."""
    with counted(operations):
        return reduced_to_arguments(x, y, gx, gy)


def _operations(x: Tensor, y: Tensor, g: Any) -> int:
    """Returns how many operations TensorFlow 1.15 adds for the sums of the gradients of a basic function."""
    of_x, of_y = known_dims(x), known_dims(y)
    if of_x is None or of_y is None or not isinstance(g, Tensor):
        return _REDUCTION
    known = get_default_graph().broadcast_shapes
    # Two shapes and the dimensions of the sums, once in a graph; a sum, a reshape and two constants for each argument.
    dimensions = 0 if (of_x, of_y) in known else 3
    known.add((of_x, of_y))
    of_g = known_dims(g)
    return dimensions + 4 * (of_x != of_g) + 4 * (of_y != of_g)


def _broadcast(formula: Formula, operations: int = _REDUCTION) -> Callable[[Operation, Any], Pair]:
    """Returns the rule of a broadcasting op; its formula sees complex arguments conjugated."""

    def rule(op: Operation, g: Any) -> Pair:
        x, y = op.inputs
        return _reduced(x, y, *formula(g, conj(x), conj(y)), operations)

    return rule


def _add(op: Operation, g: Any) -> Pair:
    x, y = op.inputs
    if same_known_shape(g, x, y):
        return g, g
    return _reduced(x, y, g, g, _operations(x, y, g))


def _sub(op: Operation, g: Any) -> Pair:
    x, y = op.inputs
    if same_known_shape(g, x, y):
        return g, -g
    return _reduced(x, y, g, -g, _operations(x, y, g))


def _mul(op: Operation, g: Any) -> Pair:
    x, y = op.inputs
    if x.dtype.base_dtype == dtypes.float32 and same_known_shape(g, x, y):
        return mul(g, y), mul(g, x)
    return _reduced(x, y, mul(g, conj(y)), mul(conj(x), g), _operations(x, y, g))


def _pow(op: Operation, g: Any) -> Pair:
    x, y = op.inputs
    cx, cy = conj(x), conj(y)
    gx = g * cy * power(cx, cy - 1)
    # log(x) counts only where it is finite: x = 0 is no singularity of x^y for positive y.
    mask = not_equal(cx, 0) if x.dtype.is_complex else cx > 0
    safe = select(mask, cx, ones_like(x))
    log_x = select(mask, log(safe), zeros_like(x))
    return _reduced(x, y, gx, g * conj(op.outputs[0]) * log_x, _operations(x, y, g))


def _extreme(is_x: Callable[[Any, Any], Tensor]) -> Formula:
    def formula(g: Any, x: Any, y: Any) -> Pair:
        # TF 1.x: the zeros are a Fill of the gradient's shape.
        with counted(6):
            zeros = zeros_like(g)
            mask = is_x(x, y)
            return select(mask, g, zeros), select(mask, zeros, g)

    return formula


def _squared_difference(op: Operation, g: Any) -> Pair:
    x, y = op.inputs
    gx = mul(constant(2, dtype=g.dtype.base_dtype, name="scalar"), g) * (x - y)
    if same_known_shape(gx, x, y):
        return gx, -gx
    return _reduced(x, y, gx, -gx, _operations(x, y, g))


def _atan2(g: Any, y: Any, x: Any) -> Pair:
    scaled = g / (square(y) + square(x))
    return x * scaled, -y * scaled


def _nonzero(x: Any) -> Tensor:
    return cast(not_equal(x, 0.0), x.dtype)


def _div_no_nan(g: Any, x: Any, y: Any) -> Pair:
    return div_no_nan(g, y), g * div_no_nan(div_no_nan(-x, y), y)


def _xlogy(g: Any, x: Any, y: Any) -> Pair:
    return xlogy(_nonzero(x), y) * g, xdivy(x, y) * g


def _xdivy(g: Any, x: Any, y: Any) -> Pair:
    return xdivy(_nonzero(x), y) * g, xdivy(neg(x), square(y)) * g


def _igamma(g: Any, a: Any, x: Any) -> Pair:
    # In logarithms, because gamma(a) grows large.
    density = exp(-x + (a - 1) * log(x) - lgamma(a))
    return igamma_grad_a(a, x) * g, density * g


def _igammac(g: Any, a: Any, x: Any) -> Pair:
    ga, gx = _igamma(g, a, x)
    return -ga, -gx


def _betainc(op: Operation, g: Any) -> tuple[None, None, Any]:
    a, b, x = op.inputs
    log_beta = lgamma(a) + lgamma(b) - lgamma(a + b)
    density = exp(xlogy(b - 1, 1 - x) + xlogy(a - 1, x) - log_beta)
    # a and b have the same shape; where x differs from it, one of the two is a scalar.
    return None, None, _reduced(a, x, None, density * g, _REDUCTION_OF_ONE)[1]


register(
    {
        "Add": _add,
        "AddV2": _add,
        "Mul": _mul,
        "Pow": _pow,
        "SquaredDifference": _squared_difference,
        "Sub": _sub,
        "AccumulateNV2": lambda op, g: [g] * len(op.inputs),
        "AddN": lambda op, g: [g] * len(op.inputs),
        "Betainc": _betainc,
        "Cross": lambda op, g: (term("Cross", 2)(op.inputs[1], g), term("Cross", 2)(g, op.inputs[0])),
    }
)

register(
    {
        op_type: _broadcast(formula)
        for op_type, formula in {
            "Complex": lambda g, x, y: (real(g), imag(g)),
            "Div": lambda g, x, y: (g / y, g * (-x / y / y)),
            "DivNoNan": _div_no_nan,
            "FloorMod": lambda g, x, y: (g, g * neg(floor_div(x, y))),
            "Igamma": _igamma,
            "Igammac": _igammac,
            "Maximum": _extreme(greater_equal),
            "Minimum": _extreme(less_equal),
            "MulNoNan": lambda g, x, y: (mul_no_nan(g, y), mul_no_nan(x, g)),
            "NextAfter": lambda g, x, y: (g, zeros_like(y) * g),
            "RealDiv": lambda g, x, y: (real_div(g, y), g * real_div(real_div(-x, y), y)),
            "Xdivy": _xdivy,
            "Xlogy": _xlogy,
        }.items()
    }
)

register(
    {
        # TF 1.x: its gradient has no sums, because its arguments have one shape.
        "Atan2": _broadcast(_atan2, operations=0),
        "Polygamma": _broadcast(lambda g, n, x: (None, polygamma(n + 1, x) * g), _REDUCTION_OF_ONE),
        "Zeta": _broadcast(lambda g, x, q: (None, -x * zeta(x + 1, q) * g), _REDUCTION_OF_ONE),
    }
)


def _clip_by_value(op: Operation, g: Any) -> tuple[Any, Any, Any]:
    x, low, high = op.inputs
    zeros = zeros_like(g)
    # The lower bound counts last: an element that both bounds move is the lower one.
    above, below = greater(x, high), less(minimum(x, high), low)
    of_rest = select(below, zeros, g)
    _, of_low = reduced_to_arguments(x, low, g, select(below, g, zeros))
    _, of_high = reduced_to_arguments(x, high, g, select(above, of_rest, zeros))
    return select(above, zeros, of_rest), of_low, of_high


register({"ClipByValue": _clip_by_value})
register_none(["FloorDiv", "TruncateDiv"])
