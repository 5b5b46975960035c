"""Elementwise functions of one tensor: each row of this file is an op, its public name and its formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import TensorLike, makes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    name_scope,
)
from ferroflow._src.framework.tensor import Tensor

_REAL = "float16, bfloat16, float32 or float64"
_FLOATING = "float16, bfloat16, float32, float64, complex64 or complex128"
_NUMERIC = "float16, bfloat16, float32, float64, int32, int64, complex64 or complex128"
_INTEGER = "int8, int16, int32, int64, uint8 or uint16"
_Unary = Callable[..., Any]


def _described(function: _Unary, public_name: str, what: str, taken: str, returned: str, sparse: bool) -> _Unary:
    function.__name__ = function.__qualname__ = public_name
    kind = "Tensor or SparseTensor" if sparse else "Tensor"
    function.__doc__ = f"""Computes {what}, element by element.

    Args:
        x: {kind} of {taken}, of any shape.
        name: str, name of the operation.

    Returns:
        {kind} of {returned} and of the shape of `x`.

    Raises:
        TypeError: if the dtype of `x` is not supported.
    """
    return function


def _unary_signature(x: TensorLike, name: str | None = None) -> Tensor:
    """Has the signature of the functions that `_unary` makes."""
    raise NotImplementedError


@makes(_unary_signature)
def _unary(public_name: str, op_type: str, what: str, taken: str, returned: str = "the dtype of `x`") -> _Unary:
    def function(x: TensorLike, name: str | None = None) -> Any:
        return tensor_op(op_type, [x], name=name)

    return _described(function, public_name, what, taken, returned, sparse=False)


def _unary_of_sparse_signature(x: TensorLike, name: str | None = None) -> Tensor:
    """Has the signature of the functions that `_unary_of_sparse` makes."""
    raise NotImplementedError


@makes(_unary_of_sparse_signature)
def _unary_of_sparse(public_name: str, op_type: str, what: str, taken: str) -> _Unary:
    def function(x: TensorLike, name: str | None = None) -> Any:
        with name_scope(name, op_type, [x]) as scope:
            if isinstance(x, SparseTensor):
                values = tensor_op(op_type, [x.values], name=scope)
                return SparseTensor(indices=x.indices, values=values, dense_shape=x.dense_shape)
            return tensor_op(op_type, [x], name=scope)

    return _described(function, public_name, what, taken, "the dtype of `x`", sparse=True)


negative = _unary_of_sparse("negative", "Neg", "`-x`", _NUMERIC)
sign = _unary_of_sparse(
    "sign", "Sign", "-1, 0 or 1 for `x` below, equal to or above 0, and `x / |x|` for complex", _NUMERIC
)
square = _unary_of_sparse("square", "Square", "`x * x`", _NUMERIC)
sqrt = _unary_of_sparse("sqrt", "Sqrt", "the square root of `x`", _FLOATING)
erf = _unary_of_sparse("erf", "Erf", "the error function of `x`", _REAL)
tanh = _unary_of_sparse("tanh", "Tanh", "the hyperbolic tangent of `x`", _FLOATING)

reciprocal = _unary("reciprocal", "Reciprocal", "`1 / x`", _NUMERIC)
rsqrt = _unary("rsqrt", "Rsqrt", "`1 / sqrt(x)`", _FLOATING)
exp = _unary("exp", "Exp", "e to the power of `x`", _FLOATING)
expm1 = _unary("expm1", "Expm1", "`exp(x) - 1`, precise near 0", _FLOATING)
log = _unary("log", "Log", "the natural logarithm of `x`", _FLOATING)
log1p = _unary("log1p", "Log1p", "the natural logarithm of `1 + x`, precise near 0", _FLOATING)
sin = _unary("sin", "Sin", "the sine of `x`, in radians", _FLOATING)
cos = _unary("cos", "Cos", "the cosine of `x`, in radians", _FLOATING)
tan = _unary("tan", "Tan", "the tangent of `x`, in radians", _NUMERIC)
asin = _unary("asin", "Asin", "the inverse sine of `x`, in radians", _NUMERIC)
acos = _unary("acos", "Acos", "the inverse cosine of `x`, in radians", _NUMERIC)
atan = _unary("atan", "Atan", "the inverse tangent of `x`, in radians", _NUMERIC)
sinh = _unary("sinh", "Sinh", "the hyperbolic sine of `x`", _FLOATING)
cosh = _unary("cosh", "Cosh", "the hyperbolic cosine of `x`", _FLOATING)
asinh = _unary("asinh", "Asinh", "the inverse hyperbolic sine of `x`", _FLOATING)
acosh = _unary("acosh", "Acosh", "the inverse hyperbolic cosine of `x`", _FLOATING)
atanh = _unary("atanh", "Atanh", "the inverse hyperbolic tangent of `x`", _FLOATING)
erfc = _unary("erfc", "Erfc", "one minus the error function of `x`", _REAL)
lgamma = _unary("lgamma", "Lgamma", "the logarithm of the absolute value of the gamma function of `x`", _REAL)
digamma = _unary("digamma", "Digamma", "the derivative of `lgamma` at `x`", _REAL)
floor = _unary("floor", "Floor", "the largest whole number that is not above `x`", _REAL)
ceil = _unary("ceil", "Ceil", "the smallest whole number that is not below `x`", _REAL)
rint = _unary("rint", "Rint", "the whole number nearest to `x`, an even one for a half", "float32 or float64")
is_nan = _unary("is_nan", "IsNan", "whether `x` is not a number", _REAL, "bool")
is_inf = _unary("is_inf", "IsInf", "whether `x` is plus or minus infinity", _REAL, "bool")
is_finite = _unary("is_finite", "IsFinite", "whether `x` is neither infinite nor not a number", _REAL, "bool")
logical_not = _unary("logical_not", "LogicalNot", "whether `x` is False", "bool", "bool")
invert = _unary("invert", "Invert", "`x` with every bit flipped", _INTEGER)


def abs(x: TensorLike, name: str | None = None) -> Any:
    """Computes the absolute value, element by element.

    Args:
        x: Tensor or SparseTensor of a number dtype, of any shape; for complex elements the modulus is computed.
        name: str, name of the operation.

    Returns:
        Tensor or SparseTensor of the shape of `x` and of its dtype; of float32 and float64 for complex64 and
        complex128.
    """
    with name_scope(name, "Abs", [x]) as scope:
        if isinstance(x, SparseTensor):
            return SparseTensor(indices=x.indices, values=_dense_abs(x.values, scope), dense_shape=x.dense_shape)
        return _dense_abs(convert_to_tensor(x, name="x"), scope)


def _dense_abs(x: Any, scope: str) -> Any:
    if x.dtype.is_complex:
        return tensor_op("ComplexAbs", [x], {"Tout": x.dtype.real_dtype}, name=scope)
    return tensor_op("Abs", [x], name=scope)


def round(x: TensorLike, name: str | None = None) -> Any:
    """Rounds to the nearest whole number, halves to the even one, element by element.

    Args:
        x: Tensor of a number dtype, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`; `x` itself where it holds integers.
    """
    x = convert_to_tensor(x, name="x")
    if x.dtype.is_integer:
        return x
    return tensor_op("Round", [x], name=name)


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `1 / (1 + exp(-x))`, element by element.

    Args:
        x: Tensor of float16, bfloat16, float32, float64, complex64 or complex128, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    with name_scope(name, "Sigmoid", [x]) as scope:
        return tensor_op("Sigmoid", [convert_to_tensor(x, name="x")], name=scope)


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logarithm of the sigmoid, as `-softplus(-x)`, element by element.

    Args:
        x: Tensor of float16, bfloat16, float32 or float64, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return tensor_op("Neg", [tensor_op("Softplus", [tensor_op("Neg", [x])])], name=scope)


def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the complex conjugate, element by element.

    Args:
        x: Tensor of a number dtype, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`; `x` itself where it is real.

    Raises:
        TypeError: if `x` holds no numbers.
    """
    with name_scope(name, "Conj", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return tensor_op("Conj", [x], name=scope)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}")


def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the angle of complex numbers in the complex plane, element by element.

    Args:
        input: Tensor of a number dtype, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the shape of `input`, in radians: of float32 for complex64, of float64 for complex128; zeros where
        `input` is real.
    """
    with name_scope(name, "Angle", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return tensor_op("Angle", [input], {"Tout": input.dtype.real_dtype}, name=scope)
        return tensor_op("ZerosLike", [input], name="zeros_like")
