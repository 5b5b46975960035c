"""Conversion of Python values to tensors, through a registry of functions by type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.array_conversion import exceeds_int32, holds_dimension
from ferroflow._src.base.shown import shown
from ferroflow._src.base.tensor_shape import Dimension, TensorShape
from ferroflow._src.base.typing import DTypeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.arguments import register_converter
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor

# A function of (value, dtype, name, as_ref) that gives a Tensor or NotImplemented.
_Conversion = Callable[..., Any]

_functions: dict[int, list[tuple[Any, _Conversion]]] = {}
_by_type: dict[type, list[tuple[Any, _Conversion]]] = {}


def register_tensor_conversion_function(base_type: Any, conversion_func: _Conversion, priority: int = 100) -> None:
    """Registers how objects of a type become tensors.

    Args:
        base_type: type or tuple of types.
        conversion_func: callable of (value, dtype=, name=, as_ref=) that gives a Tensor of `dtype` or NotImplemented.
        priority: int; lower ones are tried first, equal ones in the order of registration.

    Raises:
        TypeError: if an argument has the wrong type.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not types or not all(isinstance(t, type) for t in types):
        raise TypeError("base_type must be a type or a tuple of types.")
    if not callable(conversion_func):
        raise TypeError("conversion_func must be callable.")
    _functions.setdefault(priority, []).append((base_type, conversion_func))
    _by_type.clear()


def _functions_for(cls: type) -> list[tuple[Any, _Conversion]]:
    found = _by_type.get(cls)
    if found is None:
        found = []
        for priority in sorted(_functions):
            found += [(base, f) for base, f in _functions[priority] if issubclass(cls, base)]
        _by_type[cls] = found
    return found


def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    preferred_dtype: DTypeLike | None = None,
    as_ref: bool = False,
    dtype_hint: DTypeLike | None = None,
) -> Tensor:
    """Converts a value to a tensor.

    Args:
        value: Tensor, Variable, NumPy array or scalar, number, bool, string, nested list of those (tensors included),
            or an object of a registered type.
        dtype: the element type; by default the value decides it.
        name: name of a constant made for the value.
        preferred_dtype: DType, used if it fits the value and `dtype` is None.
        as_ref: bool. If True, a variable's reference is returned instead of its value.
        dtype_hint: the newer name of `preferred_dtype`.

    Returns:
        Tensor of `dtype`, if it is given, and of the shape of `value`.

    Raises:
        TypeError: if no conversion is registered for the value's type, or the value does not fit `dtype`.
        ValueError: if a tensor has another dtype than `dtype`.
        RuntimeError: if a registered conversion returns no Tensor, or one with a different dtype.

    Example:
        >>> x = tf.convert_to_tensor([[1, 2], [3, 4]], dtype=tf.float32)
        >>> print(x.dtype, x.shape)
        <dtype: 'float32'> (2, 2)
    """
    if isinstance(value, Tensor):
        if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor with dtype "
                f"{value.dtype.name}: "
                f"{str(value)!r}"
            )
        return value
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    preferred_dtype = dtype_hint if preferred_dtype is None else preferred_dtype
    if preferred_dtype is not None:
        preferred_dtype = dtypes.as_dtype(preferred_dtype)
    for base_type, function in _functions_for(type(value)):
        result: Any = NotImplemented
        if dtype is None and preferred_dtype is not None:
            try:
                result = function(value, dtype=preferred_dtype, name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                # The preference does not fit: the value's own type is taken.
                result = NotImplemented
            if result is not NotImplemented and result.dtype.base_dtype != preferred_dtype.base_dtype:
                raise TypeError(
                    f"convert_to_tensor did not convert to the preferred dtype: {result.dtype.base_dtype} vs "
                    f"{preferred_dtype.base_dtype} "
                )
        if result is NotImplemented:
            result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is NotImplemented:
            continue
        if not isinstance(result, Tensor):
            raise RuntimeError(
                f"{'' if name is None else name + ': '}Conversion function {function!r} for type {base_type} returned "
                f"non-Tensor: {result!r}"
            )
        if dtype is not None and not dtype.is_compatible_with(result.dtype):
            raise RuntimeError(
                f"{'' if name is None else name + ': '}Conversion function {function!r} for type {base_type} returned "
                f"incompatible dtype: requested = {dtype.base_dtype.name}, actual = {result.dtype.base_dtype.name}"
            )
        return result
    raise TypeError(
        f"Cannot convert {shown(value, repr)} with type {type(value)} to Tensor: no conversion function registered."
    )


def convert_index(value: TensorLike, name: str | None = None) -> Tensor:
    """Converts sizes, positions or counts to a tensor: int32, or int64 where a Python value needs 64 bits.

    Args:
        value: Tensor of int32, or int or nested list of ints, Dimensions and such Tensors.
        name: name of a constant made for the value.

    Returns:
        Tensor of int32 or int64, of the shape of `value`.

    Raises:
        TypeError: if `value` is not an integer, or is a list of int32 tensors and ints that need 64 bits.
        ValueError: if `value` is a tensor that is not int32.
    """
    return convert_to_tensor(value, dtype=dtypes.int64 if exceeds_int32(value) else dtypes.int32, name=name)


def convert_shape(value: TensorLike | ShapeTensorLike, name: str | None = None) -> Tensor:
    """Converts a shape to a tensor: an empty list, and a list with a `Dimension`, are integers.

    Args:
      value: Tensor of int32 or int64, TensorShape, array, or list of ints, Dimensions and scalar tensors of int32.
      name: name of a constant made for the value.

    Returns:
      Tensor of shape [rank], of int32 or int64 where `value` is a shape.

    Raises:
        TypeError: if `value` cannot be converted.
    """
    if isinstance(value, list | tuple) and (not value or holds_dimension(value)):
        return convert_index(value, name)
    return convert_to_tensor(value, name=name)


def convert_n_to_tensor(
    values: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    as_ref: bool = False,
) -> list[Tensor]:
    """Returns `convert_to_tensor` of each value; constants are named `name_0`, `name_1` ...

    Raises:
        TypeError: if `values` is not a sequence.
    """
    if not isinstance(values, list | tuple):
        raise TypeError("values must be a list.")
    return [
        convert_to_tensor(
            value,
            dtype=dtype,
            name=None if name is None else f"{name}_{i}",
            preferred_dtype=preferred_dtype,
            as_ref=as_ref,
        )
        for i, value in enumerate(values)
    ]


def _constant(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Tensor:
    return constant(value, dtype, name=name or "Const")


def _shape(value: TensorShape, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Tensor:
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape to a Tensor: {value}")
    # All of them are known: the shape is fully defined.
    dims = [d for d in value.as_list() if d is not None]
    if dtype is None:
        big = next((d for d in dims if d >= 2**31), None)
        dtype = dtypes.int32 if big is None else dtypes.int64
    elif dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"Cannot convert a TensorShape to dtype: {dtype}")
    return constant(dims, dtype=dtype, name=name or "shape_as_tensor")


def _dimension(value: Dimension, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Tensor:
    if value.value is None:
        raise ValueError(f"Cannot convert an unknown Dimension to a Tensor: {value}")
    if dtype is not None and dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"Cannot convert a TensorShape to dtype: {dtype}")
    if dtype is None:
        dtype = dtypes.int64 if exceeds_int32(value) else dtypes.int32
    return constant(value.value, dtype=dtype, name=name or "shape_as_tensor")


def _operation(value: Operation, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Tensor:
    raise TypeError(
        f"Can't convert Operation {value.name!r} to Tensor (target dtype={dtype and dtype.name!r}, name={name!r}, "
        f"as_ref={as_ref})"
    )


def _holds_tensor(items: Any) -> bool:
    # No recursion: Python 3.12 and later bound its depth by the C stack.
    pending = [items]
    while pending:
        for item in pending.pop():
            if isinstance(item, Tensor) or _is_tensor_like(item):
                return True
            if isinstance(item, list | tuple):
                pending.append(item)
    return False


def _is_tensor_like(item: Any) -> bool:
    """Returns True for objects whose registered conversion gives a tensor of the graph: variables."""
    return hasattr(item, "_as_graph_element") and hasattr(item, "dtype")


def _pack(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    """Stacks nested lists that contain tensors along new first dimensions.

    TF 1.15: the first tensor decides the dtype; if another dtype is requested, all tensors are cast to it.
    """
    if as_ref or not _holds_tensor(value):
        return NotImplemented
    inferred = _nested_dtype(value)
    if inferred is None:
        return NotImplemented
    if dtype is not None and dtype.base_dtype != inferred:
        value, inferred = _cast_tensors(value, dtype.base_dtype), dtype.base_dtype
    return _packed(value, inferred, name or "packed")


def _cast_tensors(items: Any, dtype: Any) -> Any:
    """Returns nested lists with their tensors of other dtypes cast to `dtype`."""
    result: list[Any] = []
    for item in items:
        if isinstance(item, Tensor) or _is_tensor_like(item):
            cast = item.dtype.base_dtype != dtype
            result.append(tensor_op("Cast", [convert_to_tensor(item)], {"DstT": dtype}) if cast else item)
        else:
            result.append(_cast_tensors(item, dtype) if isinstance(item, list | tuple) else item)
    return result


def _nested_dtype(items: Any) -> Any:
    for item in items:
        if isinstance(item, Tensor) or _is_tensor_like(item):
            return item.dtype.base_dtype
        if isinstance(item, list | tuple):
            found = _nested_dtype(item)
            if found is not None:
                return found
    return None


def _packed(items: Any, dtype: Any, name: str) -> Tensor:
    with name_scope(name) as scope:
        parts: list[Any] = []
        for i, item in enumerate(items):
            if isinstance(item, list | tuple):
                packs = _holds_tensor(item)
                parts.append(_packed(item, dtype, str(i)) if packs else constant(item, dtype=dtype, name=str(i)))
            elif isinstance(item, Tensor) or _is_tensor_like(item):
                tensor = convert_to_tensor(item)
                if tensor.dtype.base_dtype != dtype:
                    raise TypeError(
                        f"Cannot convert a list containing a tensor of dtype {tensor.dtype.base_dtype} to {dtype} "
                        f"(Tensor is: {tensor!r})"
                    )
                parts.append(tensor)
            else:
                parts.append(constant(item, dtype=dtype, name=str(i)))
        return tensor_op("Pack", [parts], name=scope)


register_tensor_conversion_function((list, tuple), _pack, 99)
register_tensor_conversion_function((list, tuple), _constant, 100)
register_tensor_conversion_function((np.ndarray, np.generic, int, float, complex, bool, str, bytes), _constant, 100)
register_tensor_conversion_function(TensorShape, _shape, 100)
register_tensor_conversion_function(Dimension, _dimension, 100)
register_tensor_conversion_function(Operation, _operation, 100)
register_tensor_conversion_function(object, _constant, 200)
register_converter(convert_to_tensor)
