"""Conversions between element types."""

from __future__ import annotations

from typing import Any, overload

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.deprecation import warn_deprecated
from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.dispatch import add_dispatch_support
from ferroflow._src.framework.handles import Tensor


@overload
def cast(x: SparseTensor, dtype: DTypeLike, name: str | None = None) -> SparseTensor: ...  # type: ignore[overload-overlap]
@overload
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor: ...
@add_dispatch_support
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor | SparseTensor:
    """Converts elements to another dtype.

    Args:
        x: Tensor or SparseTensor of a number dtype or bool, of any shape.
        dtype: DType, the dtype to convert to.
        name: str, name of the operation.

    Returns:
        Tensor or SparseTensor of `dtype` and of the shape of `x`; `x` itself if it has that dtype.

    Raises:
        TypeError: if there is no conversion between the two dtypes.

    Example:
        >>> print(sess.run(tf.cast([1.8, -1.8], tf.int32)))
        [ 1 -1]
        >>> print(sess.run(tf.cast([True, False], tf.float32)))
        [1. 0.]
    """
    base_type = dtypes.as_dtype(dtype).base_dtype
    # TF 1.15: what has the dtype takes no name.
    if isinstance(x, Tensor) and x.dtype == base_type:
        return x
    with name_scope(name, "Cast", [x]) as scope:
        if isinstance(x, SparseTensor):
            return SparseTensor(x.indices, cast(x.values, base_type, name=scope), x.dense_shape)
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex and base_type.is_floating:
            tf_logging.warn("Casting complex to real discards imaginary part.")
        if x.dtype.base_dtype == base_type:
            return x
        return tensor_op("Cast", [x], {"DstT": base_type}, name=scope)


# Binary digits of a number of each float dtype.
_DIGITS = {dtypes.bfloat16: 8, dtypes.float16: 11, dtypes.float32: 24, dtypes.float64: 53}


def _largest_within(source: dtypes.DType, target: dtypes.DType) -> Any:
    """Returns the largest number of a dtype that is in the range of another, smaller one."""
    bits = int(target.max).bit_length() if target.is_integer else 0
    digits = _DIGITS.get(source, bits)
    # The end of the range itself would be rounded up, to a number outside.
    return 2**bits - 2 ** (bits - digits) if bits > digits else target.max


@add_dispatch_support
def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Any:
    """Converts elements to another dtype; values outside its range become its nearest limit, or the float next to that.

    Args:
        value: Tensor of a number dtype, of any shape.
        dtype: DType, the dtype to convert to.
        name: str, name of the operation.

    Returns:
        Tensor of `dtype` and of the shape of `value`.
    """
    with name_scope(name, "saturate_cast", [value]) as scope:
        value = convert_to_tensor(value, name="value")
        dtype = dtypes.as_dtype(dtype).base_dtype
        if value.dtype.min < dtype.min:
            value = tensor_op("Maximum", [value, convert_to_tensor(dtype.min, dtype=value.dtype, name="min")])
        if value.dtype.max > dtype.max:
            most = _largest_within(value.dtype, dtype)
            value = tensor_op("Minimum", [value, convert_to_tensor(most, dtype=value.dtype, name="max")])
        return cast(value, dtype, name=scope)


def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Any:
    """Reads the bytes of a tensor as elements of another dtype.

    Args:
        input: Tensor of a number dtype, of any shape.
        type: DType, the dtype to read. Where its elements are smaller, a dimension is added at the end; if they are
            larger, the last dimension must hold just one of them and goes away.
        name: str, name of the operation.

    Returns:
        Tensor of `type`.

    Raises:
        ValueError: if the last dimension does not fit.
    """
    return tensor_op("Bitcast", [input], {"type": dtypes.as_dtype(type)}, name=name)


@FunctionFamily
def _caster(target: tuple[str, dtypes.DType], x: TensorLike, name: str = "") -> Any:
    """Deprecated: use `tf.cast(x, tf.{value[1].name})` instead.

    Args:
        x: Tensor or SparseTensor of a number dtype or bool, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor or SparseTensor of {value[1].name} and of the shape of `x`.
    """
    public_name, dtype = target
    warn_deprecated(f"tf.{public_name}", f"tf.cast(x, tf.{dtype.name})")
    return cast(x, dtype, name=name)


to_float = _caster("to_float", ("to_float", dtypes.float32), {"name": "ToFloat"})
to_double = _caster("to_double", ("to_double", dtypes.float64), {"name": "ToDouble"})
to_int32 = _caster("to_int32", ("to_int32", dtypes.int32), {"name": "ToInt32"})
to_int64 = _caster("to_int64", ("to_int64", dtypes.int64), {"name": "ToInt64"})
to_bfloat16 = _caster("to_bfloat16", ("to_bfloat16", dtypes.bfloat16), {"name": "ToBFloat16"})
to_complex64 = _caster("to_complex64", ("to_complex64", dtypes.complex64), {"name": "ToComplex64"})
to_complex128 = _caster("to_complex128", ("to_complex128", dtypes.complex128), {"name": "ToComplex128"})


add_example(
    to_float,
    """
    >>> print(sess.run(tf.to_float([1, 2])))
    [1. 2.]
    """,
)
add_example(
    to_int32,
    """
    >>> print(sess.run(tf.to_int32([1.8, -1.8])))
    [ 1 -1]
    """,
)
