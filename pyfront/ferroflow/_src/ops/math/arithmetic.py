"""Arithmetic of two and more tensors, element by element, with broadcasting."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ferroflow._src.base import dtypes, tensor_shape
from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.typing import DTypeLike, TensorLike, TensorLikes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_n_to_tensor, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import DispatchedFamily, add_dispatch_support
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.cast import cast

_NUMBER = "a number dtype"
_REAL = "a real number dtype"
_FLOAT = "float32 or float64"
_INTEGER = "an integer dtype"


# The names of operations that differ from their types.
_OP_NAMES = {"DivNoNan": "div_no_nan", "MulNoNan": "multiply_no_nan"}


@DispatchedFamily
def _binary(op_type: str, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes {what}, element by element, with broadcasting.

    Args:
        x: Tensor of {taken}.
        y: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of the shape that the shapes of `x` and `y` broadcast to.

    Raises:
        TypeError: if the dtypes differ or are not supported.
        ValueError: if the shapes do not broadcast.
    """
    return tensor_op(op_type, [x, y], name=name or _OP_NAMES.get(op_type))


add = _binary("add", "Add", what="`x + y`", taken="a number dtype or string (strings are joined)")
subtract = _binary("subtract", "Sub", what="`x - y`", taken=_NUMBER)
multiply = _binary("multiply", "Mul", what="`x * y`", taken=_NUMBER)
realdiv = _binary("realdiv", "RealDiv", what="`x / y` for real and complex numbers", taken=_NUMBER)
truncatediv = _binary("truncatediv", "TruncateDiv", what="`x / y` rounded towards zero", taken=_INTEGER)
floor_div = _binary("floor_div", "FloorDiv", what="`x / y` rounded towards minus infinity", taken=_REAL)
floormod = _binary(
    "floormod", "FloorMod", what="the remainder of the floor division, which has the sign of `y`", taken=_REAL
)
truncatemod = _binary(
    "truncatemod",
    "TruncateMod",
    what="the remainder of the division towards zero, which has the sign of `x`",
    taken=_REAL,
)
div_no_nan = _binary("div_no_nan", "DivNoNan", what="`x / y`, and 0 where `y` is 0", taken=_FLOAT)
multiply_no_nan = _binary("multiply_no_nan", "MulNoNan", what="`x * y`, and 0 where `y` is 0", taken=_FLOAT)
xlogy = _binary("xlogy", "Xlogy", what="`x * log(y)`, and 0 where `x` is 0", taken=_FLOAT)
xdivy = _binary("xdivy", "Xdivy", what="`x / y`, and 0 where `x` is 0", taken=_FLOAT)
maximum = _binary("maximum", "Maximum", what="the larger of `x` and `y`", taken=_REAL)
minimum = _binary("minimum", "Minimum", what="the smaller of `x` and `y`", taken=_REAL)
squared_difference = _binary("squared_difference", "SquaredDifference", what="`(x - y) * (x - y)`", taken=_NUMBER)
bitwise_and = _binary("bitwise_and", "BitwiseAnd", what="the bits set in both `x` and `y`", taken=_INTEGER)
bitwise_or = _binary("bitwise_or", "BitwiseOr", what="the bits set in `x` or `y`", taken=_INTEGER)
bitwise_xor = _binary("bitwise_xor", "BitwiseXor", what="the bits set in just one of `x` and `y`", taken=_INTEGER)
left_shift = _binary("left_shift", "LeftShift", what="the bits of `x` moved `y` places up", taken=_INTEGER)
right_shift = _binary("right_shift", "RightShift", what="the bits of `x` moved `y` places down", taken=_INTEGER)


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """Returns the next number after `x1` towards `x2`; `x2` if they are equal.

    Args:
        x1: tensor of float32 or float64, of any shape.
        x2: tensor of the same dtype; shape broadcasts with that of `x1`.
        name: name of the operation.

    Returns:
        A tensor of the same dtype and the broadcast shape.

    Raises:
        TypeError: if the dtypes differ or are not supported.
        ValueError: if their shapes do not broadcast.
    """
    return tensor_op("NextAfter", [x1, x2], name=name)


def mod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns the same function as `floormod`.

    Args:
        x: Tensor of a real number dtype.
        y: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of the shape that the shapes of `x` and `y` broadcast to.

    Example:
        >>> print(sess.run(tf.mod([7, -7], 3)))
        [1 2]
    """
    return tensor_op("FloorMod", [x, y], name=name)


@add_dispatch_support
def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the angle of the point (x, y), in radians, in the quadrant given by their signs.

    Args:
        y: Tensor of float32 or float64.
        x: Tensor of the dtype of `y`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `y`, of the shape that the shapes of `x` and `y` broadcast to.
    """
    return tensor_op("Atan2", [y, x], name=name)


@add_dispatch_support
def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x` to the power of `y`, element by element, with broadcasting.

    Args:
        x: Tensor of float16, float32, float64, int32, int64, complex64 or complex128.
        y: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`.

    Example:
        >>> print(sess.run(tf.pow([2.0, 3.0], [10.0, 2.0])))
        [1024.    9.]
    """
    with name_scope(name, "Pow", [x]) as scope:
        return tensor_op("Pow", [x, y], name=scope)


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the lower regularized incomplete gamma function P(a, x).

    Args:
        a: Tensor of float32 or float64.
        x: Tensor of the dtype of `a`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `a`.
    """
    return tensor_op("Igamma", [a, x], name=name)


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the upper regularized incomplete gamma function Q(a, x).

    Args:
        a: Tensor of float32 or float64.
        x: Tensor of the dtype of `a`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `a`.
    """
    return tensor_op("Igammac", [a, x], name=name)


def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Hurwitz zeta function.

    Args:
        x: Tensor of float32 or float64.
        q: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`.
    """
    return tensor_op("Zeta", [x, q], name=name)


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the polygamma function of order `a`.

    Args:
        a: Tensor of float32 or float64.
        x: Tensor of the dtype of `a`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `a`.
    """
    return tensor_op("Polygamma", [a, x], name=name)


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the regularized incomplete beta integral.

    Args:
        a: Tensor of float32 or float64.
        b: Tensor of the dtype of `a`.
        x: Tensor of the dtype of `a`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `a`.
    """
    return tensor_op("Betainc", [a, b, x], name=name)


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """Computes the vector product of vectors of three elements.

    Args:
        a: Tensor of a real number dtype, of shape [..., 3].
        b: Tensor of the dtype and shape of `a`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `a`.
    """
    return tensor_op("Cross", [a, b], name=name)


# TF 1.x: integers are divided as floats that hold them, so that `/` means the same for all numbers.
_TRUEDIV_DTYPES = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.bfloat16: None,
    dtypes.float16: None,
    dtypes.float32: None,
    dtypes.float64: None,
    dtypes.complex64: None,
    dtypes.complex128: None,
}


def _require_same_dtype(x: Any, y: Any) -> Any:
    x_dtype, y_dtype = x.dtype.base_dtype, y.dtype.base_dtype
    if x_dtype != y_dtype:
        raise TypeError(f"x and y must have the same dtype, got {x_dtype!r} != {y_dtype!r}")
    return x_dtype


@add_dispatch_support
def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides like Python 3: converts integers to floats first.

    Args:
        x: Tensor of a number dtype.
        y: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of the shape that the shapes broadcast to; of float32 for integers of 8 and 16 bits, of float64 for
        longer
        ones, else of the dtype of `x`.

    Raises:
        TypeError: if the dtypes differ or are not numbers.

    Example:
        >>> print(sess.run(tf.truediv([7, 8], 2)))
        [3.5 4. ]
    """
    with name_scope(name, "truediv", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y")
        dtype = _require_same_dtype(x, y)
        if dtype not in _TRUEDIV_DTYPES:
            raise TypeError(f"Invalid dtype {dtype!r} in __truediv__")
        floating = _TRUEDIV_DTYPES[dtype]
        if floating is not None:
            x, y = cast(x, floating), cast(y, floating)
        return tensor_op("RealDiv", [x, y], name=scope)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides like Python 2: for integers, returns the floor of the quotient.

    Args:
        x: Tensor of a number dtype.
        y: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of the shape that the shapes broadcast to.

    Raises:
        TypeError: if the dtypes differ.

    Example:
        >>> print(sess.run(tf.div([7, -7], 2)), sess.run(tf.div(7.0, 2.0)))
        [ 3 -4] 3.5
    """
    with name_scope(name, "div", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        dtype = _require_same_dtype(x, y)
        return tensor_op("RealDiv" if dtype.is_floating or dtype.is_complex else "FloorDiv", [x, y], name=scope)


@add_dispatch_support
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides and rounds towards minus infinity.

    Args:
        x: Tensor of a real number dtype.
        y: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of the shape that the shapes broadcast to.
    """
    with name_scope(name, "floordiv", [x, y]) as scope:
        return tensor_op("FloorDiv", [x, y], name=scope)


_PLAIN: Final = (bool, int, float, complex, list, tuple, np.ndarray, np.generic)


@add_dispatch_support
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides as the operator `/` does.

    Args:
        x: Tensor of a number dtype.
        y: Tensor of the dtype of `x`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x / y`, of the shape that both broadcast to.

    Raises:
        TypeError: if the dtypes differ or cannot be divided.
    """
    # NumPy would divide by each element of a ragged tensor.
    is_of_numpy = isinstance(x, np.ndarray | np.generic) and not isinstance(y, _PLAIN)
    if name is not None or (is_of_numpy and not hasattr(y, "__array_priority__")):
        return truediv(x, y, name=name)
    dividend: Any = convert_to_tensor(x) if isinstance(x, _PLAIN) and isinstance(y, _PLAIN) else x
    quotient: Tensor = dividend / y
    return quotient


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `1 / x`, and 0 if `x` is 0.

    Args:
        x: Tensor of float16, float32, float64, complex64 or complex128.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    with name_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        one = convert_to_tensor(1, dtype=x.dtype.base_dtype, name="one")
        return div_no_nan(one, x, name=scope)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Multiplies a tensor or slices of one by a number.

    Args:
        scalar: Tensor of the dtype of `x`, of shape [].
        x: Tensor or IndexedSlices of a number dtype.
        name: str, name of the operation.

    Returns:
        Tensor or IndexedSlices of the dtype and shape of `x`.

    Raises:
        ValueError: if `scalar` is not a scalar.
    """
    scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
    shape = scalar.get_shape()
    if shape.ndims != 0:
        raise ValueError(f"Only scalar multiply works, got shape {shape}")
    if isinstance(x, IndexedSlices):
        product = tensor_op("Mul", [scalar, x.values], name=name or "mul")
        return IndexedSlices(product, x.indices, x.dense_shape)
    return tensor_op("Mul", [scalar, x], name=name or "mul")


_ADD_N_MESSAGE = "inputs must be a list of at least one Tensor with the same dtype and shape"


def _tensors_to_add(inputs: Any) -> list[Any]:
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(_ADD_N_MESSAGE)
    if any(isinstance(x, IndexedSlices) for x in inputs):
        raise ValueError(_ADD_N_MESSAGE)
    return convert_n_to_tensor(inputs)


@add_dispatch_support
def add_n(inputs: TensorLikes, name: str | None = None) -> Tensor:
    """Adds up tensors, from the first to the last.

    Args:
        inputs: list of Tensors of one number dtype and one shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of the inputs.

    Raises:
        ValueError: if `inputs` is not a list, is empty, or its shapes differ.
        TypeError: if the dtypes differ.

    Example:
        >>> print(sess.run(tf.add_n([[1, 2], [10, 20], [100, 200]])))
        [111 222]
    """
    inputs = _tensors_to_add(inputs)
    if len(inputs) == 1:
        return tensor_op("Identity", [inputs[0]], name=name) if name else inputs[0]
    return tensor_op("AddN", [inputs], name=name)


def accumulate_n(
    inputs: TensorLikes, shape: Any = None, tensor_dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Adds up tensors as `add_n` does, with their shape and dtype checked.

    Args:
        inputs: list of Tensors of one number dtype and one shape.
        shape: TensorShape, the shape that all have; None for that of the inputs.
        tensor_dtype: DType, the dtype that all have; None for that of the inputs.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of the inputs.

    Raises:
        ValueError: if `inputs` is not a list, is empty, or its shapes or dtypes differ.
        TypeError: if `tensor_dtype` is not the dtype of the inputs.
    """
    inputs = _tensors_to_add(inputs)
    if any(x.dtype.base_dtype != inputs[0].dtype.base_dtype for x in inputs):
        raise ValueError(_ADD_N_MESSAGE)
    merged = tensor_shape.as_shape(shape)
    for x in inputs:
        merged = merged.merge_with(x.get_shape())
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) != inputs[0].dtype.base_dtype:
        raise TypeError(f"tensor_dtype is {tensor_dtype}, but input is of type {inputs[0].dtype}")
    if len(inputs) == 1:
        return inputs[0] if name is None else tensor_op("Identity", [inputs[0]], name=name)
    return tensor_op("AccumulateNV2", [inputs], {"shape": merged}, name=name)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """Computes a polynomial by Horner's scheme.

    Args:
        coeffs: list of Tensors of a number dtype, the coefficients, that of the highest power first.
        x: Tensor of the dtype of the coefficients.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of the shape that all shapes broadcast to.
    """
    with name_scope(name, "polyval", [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name="x")
        if len(coeffs) < 1:
            return tensor_op("ZerosLike", [x], name=scope)
        tensors = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        result: Tensor = tensors[0]
        for coefficient in tensors[1:]:
            result = coefficient + result * x
        return result


add_example(
    add,
    """
    >>> print(sess.run(tf.add([[1], [2]], [10, 20])))
    [[11 21]
     [12 22]]
    >>> print(sess.run(tf.add(["ferro"], "flow")))
    [b'ferroflow']
    """,
)
add_example(
    multiply,
    """
    >>> print(sess.run(tf.multiply([[1, 2], [3, 4]], [10, 100])))
    [[ 10 200]
     [ 30 400]]
    """,
)
add_example(
    subtract,
    """
    >>> print(sess.run(tf.subtract([5, 7], 3)))
    [2 4]
    """,
)
add_example(
    maximum,
    """
    >>> print(sess.run(tf.maximum([1, 5, 3], [4, 2, 3])))
    [4 5 3]
    """,
)
add_example(
    squared_difference,
    """
    >>> print(sess.run(tf.squared_difference([1.0, 5.0], [4.0, 3.0])))
    [9. 4.]
    """,
)
add_example(
    minimum,
    """
    >>> print(sess.run(tf.minimum([1, 5, 3], [4, 2, 3])))
    [1 2 3]
    """,
)
