"""Gradient rules of functions of one argument, as a page of calculus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.autodiff.counting import counted
from ferroflow._src.autodiff.rules.registering import register, register_none, register_unary
from ferroflow._src.autodiff.terms import complex_of, conj, densified, imag, real, term, zeros_like
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor

cos, cosh, exp, sin, sinh = map(term, ["Cos", "Cosh", "Exp", "Sin", "Sinh"])
neg, reciprocal, sign, sqrt, square = map(term, ["Neg", "Reciprocal", "Sign", "Sqrt", "Square"])
absolute, bessel_i0e, bessel_i1e = map(term, ["Abs", "BesselI0e", "BesselI1e"])
select = term("Select", 3)
digamma, sigmoid = map(term, ["Digamma", "Sigmoid"])
add, mul, sub = (term(op_type, 2) for op_type in ["Add", "Mul", "Sub"])
inv_grad, reciprocal_grad, rsqrt_grad, sigmoid_grad, sqrt_grad, tanh_grad = (
    term(op_type, 2) for op_type in ["InvGrad", "ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad"]
)


def _waiting(value: float, g: Tensor, x: Tensor) -> Tensor:
    """Returns a number of the dtype of `x` that waits for the gradient `g`, as TF 1.x keeps it out of memory until
    then.
    """
    with control_dependencies([g]):
        return constant(value, dtype=x.dtype.base_dtype)


def _one(g: Tensor) -> Tensor:
    return _waiting(1, g, g)


def _sign(g: Tensor, x: Tensor) -> Tensor:
    # TF 1.x: the zeros are a Fill of the shape.
    with counted(3):
        return zeros_like(x)


def _bessel_i0e(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sub(bessel_i1e(x), sign(x) * y)


def _bessel_i1e(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Returns the gradient, which is 1/2 at zero: the formula for the other numbers divides by x."""
    epsilon = float(np.finfo(x.dtype.base_dtype.as_numpy_dtype).eps)
    zeros = zeros_like(x)
    is_not_tiny = absolute(x) > epsilon
    safe = select(is_not_tiny, x, epsilon + zeros)
    slope = sub(bessel_i0e(safe), y * (sign(safe) + reciprocal(safe)))
    return g * select(is_not_tiny, slope, 0.5 + zeros)


def _number(value: float, g: Tensor) -> Tensor:
    return constant(value, dtype=g.dtype.base_dtype)


# Complex inputs and outputs come conjugated: gradients of real functions of complex numbers are.
register_unary(
    of_input={
        "Abs": lambda g, x: g * sign(x),
        "Acos": lambda g, x: -g * reciprocal(sqrt(sub(_one(g), square(x)))),
        "Asin": lambda g, x: g * reciprocal(sqrt(sub(_one(g), square(x)))),
        "Atan": lambda g, x: g * reciprocal(add(_one(g), square(x))),
        "Atanh": lambda g, x: g * reciprocal(sub(_one(g), square(x))),
        "Conj": lambda g, x: conj(g),
        "Cos": lambda g, x: -g * sin(x),
        "Cosh": lambda g, x: g * sinh(x),
        "Digamma": lambda g, x: g * term("Polygamma", 2)(_waiting(1, g, x), x),
        "Erf": lambda g, x: g * _number(2 / np.sqrt(np.pi), g) * exp(-square(x)),
        "Erfc": lambda g, x: g * _number(-2 / np.sqrt(np.pi), g) * exp(-square(x)),
        "Expm1": lambda g, x: g * exp(x),
        "Lgamma": lambda g, x: g * digamma(x),
        "Log": lambda g, x: g * reciprocal(x),
        "Log1p": lambda g, x: g * reciprocal(1 + x),
        "Neg": lambda g, x: -g,
        "Sign": _sign,
        "Sin": lambda g, x: g * cos(x),
        "Sinh": lambda g, x: g * cosh(x),
        "Square": lambda g, x: mul(g, mul(x, _waiting(2, g, x))),
        "Tan": lambda g, x: square(reciprocal(cos(x))) * g,
    },
    of_output={
        "Acosh": lambda g, y: g / sinh(y),
        "Asinh": lambda g, y: g / cosh(y),
        "Erfinv": lambda g, y: g * _number(np.sqrt(np.pi) / 2, g) * exp(square(y)),
        "Exp": lambda g, y: g * y,
        "Ndtri": lambda g, y: g * _number(np.sqrt(2 * np.pi), g) * exp(square(y) / 2.0),
        "Sigmoid": lambda g, y: sigmoid_grad(y, g),
        "Tanh": lambda g, y: tanh_grad(y, g),
    },
)


# These conjugate by themselves, or have no complex arguments.
register(
    {
        "BesselI0e": lambda op, g: _bessel_i0e(g, op.inputs[0], op.outputs[0]),
        "BesselI1e": lambda op, g: _bessel_i1e(g, op.inputs[0], op.outputs[0]),
        "Inv": lambda op, g: inv_grad(op.outputs[0], g),
        "Reciprocal": lambda op, g: reciprocal_grad(op.outputs[0], g),
        "Rsqrt": lambda op, g: rsqrt_grad(op.outputs[0], g),
        "Sqrt": lambda op, g: sqrt_grad(op.outputs[0], g),
    }
)


def _of_dense(rule: Callable[[Operation, Tensor], Any]) -> Callable[[Operation, Any], Any]:
    """Returns the rule for a gradient that may be slices, which Python's operators refuse."""
    return lambda op, g: rule(op, densified(g))


def _reciprocal_grad(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    """Returns -b conj(a)^2 of inputs a, b."""
    a, b = conj(op.inputs[0]), op.inputs[1]
    return conj(g) * -2.0 * b * a, reciprocal_grad(a, g)


def _sqrt_grad(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    """Returns y = b / (2 conj(a)) for inputs a, b."""
    ratio = g / op.inputs[0]
    return -conj(ratio) * op.outputs[0], 0.5 * ratio


def _rsqrt_grad(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    """Returns -b conj(a)^3 / 2 of inputs a, b."""
    a, b = conj(op.inputs[0]), op.inputs[1]
    return -1.5 * conj(g) * b * square(a), rsqrt_grad(a, g)


def _tanh_grad(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    """Returns b (1 - a^2) of inputs a, b."""
    a, b = conj(op.inputs[0]), conj(op.inputs[1])
    return g * -2.0 * b * a, tanh_grad(a, g)


def _sigmoid_grad(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    """Returns b a (1 - a) of inputs a, b."""
    a, b = conj(op.inputs[0]), conj(op.inputs[1])
    gb = g * b
    return gb - 2.0 * gb * a, sigmoid_grad(a, g)


def _complex_abs(op: Operation, g: Tensor) -> Tensor:
    y = op.outputs[0]
    return term("DivNoNan", 2)(complex_of(g, zeros_like(g)) * op.inputs[0], complex_of(y, zeros_like(y)))


def _angle(op: Operation, g: Tensor) -> Any:
    x = op.inputs[0]
    inverse = reciprocal(complex_of(imag(x), real(x)))
    return -complex_of(g, constant(0, dtype=g.dtype)) * inverse


register(
    {
        "Angle": _angle,
        "ComplexAbs": _complex_abs,
        "Imag": lambda op, g: complex_of(constant(0, dtype=g.dtype), g),
        "InvGrad": _of_dense(_reciprocal_grad),
        "Real": lambda op, g: complex_of(g, constant(0, dtype=g.dtype)),
        "ReciprocalGrad": _of_dense(_reciprocal_grad),
        "RsqrtGrad": _of_dense(_rsqrt_grad),
        "SigmoidGrad": _of_dense(_sigmoid_grad),
        "SqrtGrad": _of_dense(_sqrt_grad),
        "TanhGrad": _of_dense(_tanh_grad),
    }
)

register_none(
    [
        "BitwiseAnd",
        "BitwiseOr",
        "BitwiseXor",
        "Ceil",
        "Floor",
        "Invert",
        "LeftShift",
        "PopulationCount",
        "RightShift",
        "Rint",
        "Round",
    ]
)
