"""Elementwise functions of one tensor: each row of this file is an op, its public name and its formula."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import DispatchedFamily, add_dispatch_support
from ferroflow._src.framework.handles import Tensor

_REAL = "float16, bfloat16, float32 or float64"
_FLOATING = "float16, bfloat16, float32, float64, complex64 or complex128"
_NUMERIC = "float16, bfloat16, float32, float64, int32, int64, complex64 or complex128"
_INTEGER = "int8, int16, int32, int64, uint8 or uint16"


@DispatchedFamily
def _unary(op_type: str, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes {what}, element by element.

    Args:
        x: Tensor of {taken}, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of {returned} and of the shape of `x`.

    Raises:
        TypeError: if the dtype of `x` is not supported.
    """
    return tensor_op(op_type, [x], name=name)


@DispatchedFamily
def _unary_of_sparse(op_type: str, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes {what}, element by element.

    Args:
        x: Tensor or SparseTensor of {taken}, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor or SparseTensor of the dtype of `x` and of the shape of `x`.

    Raises:
        TypeError: if the dtype of `x` is not supported.
    """
    with name_scope(name, op_type, [x]) as scope:
        if isinstance(x, SparseTensor):
            values = tensor_op(op_type, [x.values], name=scope)
            sparse: Any = SparseTensor(indices=x.indices, values=values, dense_shape=x.dense_shape)
            # Most callers pass a Tensor, so type checkers see one.
            shown: Tensor = sparse
            return shown
        return tensor_op(op_type, [x], name=scope)


_SAME = "the dtype of `x`"
negative = _unary_of_sparse("negative", "Neg", what="`-x`", taken=_NUMERIC)
sign = _unary_of_sparse(
    "sign", "Sign", what="-1, 0 or 1 for `x` below, equal to or above 0, and `x / |x|` for complex", taken=_NUMERIC
)
square = _unary_of_sparse("square", "Square", what="`x * x`", taken=_NUMERIC)
sqrt = _unary_of_sparse("sqrt", "Sqrt", what="the square root of `x`", taken=_FLOATING)
erf = _unary_of_sparse("erf", "Erf", what="the error function of `x`", taken=_REAL)
tanh = _unary_of_sparse("tanh", "Tanh", what="the hyperbolic tangent of `x`", taken=_FLOATING)

reciprocal = _unary("reciprocal", "Reciprocal", what="`1 / x`", taken=_NUMERIC, returned=_SAME)
rsqrt = _unary("rsqrt", "Rsqrt", what="`1 / sqrt(x)`", taken=_FLOATING, returned=_SAME)
exp = _unary("exp", "Exp", what="e to the power of `x`", taken=_FLOATING, returned=_SAME)
expm1 = _unary("expm1", "Expm1", what="`exp(x) - 1`, precise near 0", taken=_FLOATING, returned=_SAME)
log = _unary("log", "Log", what="the natural logarithm of `x`", taken=_FLOATING, returned=_SAME)
log1p = _unary(
    "log1p", "Log1p", what="the natural logarithm of `1 + x`, precise near 0", taken=_FLOATING, returned=_SAME
)
sin = _unary("sin", "Sin", what="the sine of `x`, in radians", taken=_FLOATING, returned=_SAME)
cos = _unary("cos", "Cos", what="the cosine of `x`, in radians", taken=_FLOATING, returned=_SAME)
tan = _unary("tan", "Tan", what="the tangent of `x`, in radians", taken=_NUMERIC, returned=_SAME)
asin = _unary("asin", "Asin", what="the inverse sine of `x`, in radians", taken=_NUMERIC, returned=_SAME)
acos = _unary("acos", "Acos", what="the inverse cosine of `x`, in radians", taken=_NUMERIC, returned=_SAME)
atan = _unary("atan", "Atan", what="the inverse tangent of `x`, in radians", taken=_NUMERIC, returned=_SAME)
sinh = _unary("sinh", "Sinh", what="the hyperbolic sine of `x`", taken=_FLOATING, returned=_SAME)
cosh = _unary("cosh", "Cosh", what="the hyperbolic cosine of `x`", taken=_FLOATING, returned=_SAME)
asinh = _unary("asinh", "Asinh", what="the inverse hyperbolic sine of `x`", taken=_FLOATING, returned=_SAME)
acosh = _unary("acosh", "Acosh", what="the inverse hyperbolic cosine of `x`", taken=_FLOATING, returned=_SAME)
atanh = _unary("atanh", "Atanh", what="the inverse hyperbolic tangent of `x`", taken=_FLOATING, returned=_SAME)
erfc = _unary("erfc", "Erfc", what="one minus the error function of `x`", taken=_REAL, returned=_SAME)
lgamma = _unary(
    "lgamma",
    "Lgamma",
    what="the logarithm of the absolute value of the gamma function of `x`",
    taken=_REAL,
    returned=_SAME,
)
digamma = _unary("digamma", "Digamma", what="the derivative of `lgamma` at `x`", taken=_REAL, returned=_SAME)
floor = _unary("floor", "Floor", what="the largest whole number that is not above `x`", taken=_REAL, returned=_SAME)
ceil = _unary("ceil", "Ceil", what="the smallest whole number that is not below `x`", taken=_REAL, returned=_SAME)
rint = _unary(
    "rint",
    "Rint",
    what="the whole number nearest to `x`, an even one for a half",
    taken="float32 or float64",
    returned=_SAME,
)
is_nan = _unary("is_nan", "IsNan", what="whether `x` is not a number", taken=_REAL, returned="bool")
is_inf = _unary("is_inf", "IsInf", what="whether `x` is plus or minus infinity", taken=_REAL, returned="bool")
is_finite = _unary(
    "is_finite", "IsFinite", what="whether `x` is neither infinite nor not a number", taken=_REAL, returned="bool"
)
logical_not = _unary("logical_not", "LogicalNot", what="whether `x` is False", taken="bool", returned="bool")
invert = _unary("invert", "Invert", what="`x` with every bit flipped", taken=_INTEGER, returned=_SAME)


@add_dispatch_support
def abs(x: TensorLike, name: str | None = None) -> Any:
    """Computes the absolute value, element by element.

    Args:
        x: Tensor or SparseTensor of a number dtype, of any shape; for complex elements the modulus is computed.
        name: str, name of the operation.

    Returns:
        Tensor or SparseTensor of the shape of `x` and of its dtype; of float32 and float64 for complex64 and
        complex128.

    Example:
        >>> print(sess.run(tf.abs([-2.5, 3.0])))
        [2.5 3. ]
        >>> print(sess.run(tf.abs(tf.constant([3.0 - 4.0j]))))
        [5.]
    """
    with name_scope(name, "Abs", [x]) as scope:
        if isinstance(x, SparseTensor):
            return SparseTensor(indices=x.indices, values=_dense_abs(x.values, scope), dense_shape=x.dense_shape)
        return _dense_abs(convert_to_tensor(x, name="x"), scope)


def _dense_abs(x: Any, scope: str) -> Any:
    if x.dtype.is_complex:
        return tensor_op("ComplexAbs", [x], {"Tout": x.dtype.real_dtype}, name=scope)
    return tensor_op("Abs", [x], name=scope)


@add_dispatch_support
def round(x: TensorLike, name: str | None = None) -> Any:
    """Rounds to the nearest whole number, halves to the even one, element by element.

    Args:
        x: Tensor of a number dtype, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`; `x` itself if it holds integers.

    Example:
        >>> print(sess.run(tf.round([0.5, 1.5, 2.3, -2.7])))
        [ 0.  2.  2. -3.]
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

    Example:
        >>> print(sess.run(tf.nn.sigmoid([-100.0, 0.0, 2.0])).round(3))
        [0.    0.5   0.881]
    """
    with name_scope(name, "Sigmoid", [x]) as scope:
        return tensor_op("Sigmoid", [convert_to_tensor(x, name="x")], name=scope)


@add_dispatch_support
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


@add_dispatch_support
def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the complex conjugate, element by element.

    Args:
        x: Tensor of a number dtype, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`; `x` itself if it is real.

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


add_example(
    square,
    """
    >>> print(sess.run(tf.square([-3.0, 0.5])))
    [9.   0.25]
    """,
)
add_example(
    log,
    """
    >>> print(sess.run(tf.log([1.0, np.e, 100.0])).round(3))
    [0.    1.    4.605]
    """,
)
add_example(
    sqrt,
    """
    >>> print(sess.run(tf.sqrt([4.0, 2.25])))
    [2.  1.5]
    """,
)
add_example(
    exp,
    """
    >>> print(sess.run(tf.exp([0.0, 1.0])).round(4))
    [1.     2.7183]
    """,
)
add_example(
    tanh,
    """
    >>> print(sess.run(tf.nn.tanh([-100.0, 0.0, 1.0])).round(3))
    [-1.     0.     0.762]
    """,
)
add_example(
    negative,
    """
    >>> print(sess.run(tf.negative([1.5, -2.0])))
    [-1.5  2. ]
    """,
)
add_example(
    sin,
    """
    >>> print(sess.run(tf.sin([0.0, np.pi / 6, np.pi / 2])).round(3))
    [0.  0.5 1. ]
    """,
)
add_example(
    sign,
    """
    >>> print(sess.run(tf.sign([-2.5, 0.0, 7.0])))
    [-1.  0.  1.]
    """,
)
