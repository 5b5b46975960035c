"""Arrays in messages: `TensorProto` from values and back."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ferroflow._src.base import dtypes, proto
from ferroflow._src.base.array_conversion import to_compact_array
from ferroflow._src.base.dtypes import DType
from ferroflow._src.base.typing import DTypeLike, ShapeLike, TensorLike

_MAX_CONTENT_BYTES: Final = 2**31

# TF 1.x writes more than one value of these types as raw bytes.
_RAW_TYPES: Final = frozenset(
    {
        *(dtypes.float32, dtypes.float64, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
        *(dtypes.uint8, dtypes.uint32, dtypes.uint64),
        *(dtypes.qint8, dtypes.quint8, dtypes.qint16, dtypes.quint16, dtypes.qint32),
    }
)

_VALUE_FIELDS: Final[dict[DType, str]] = {
    dtypes.float16: "half_val",
    dtypes.bfloat16: "half_val",
    dtypes.float32: "float_val",
    dtypes.float64: "double_val",
    dtypes.int8: "int_val",
    dtypes.int16: "int_val",
    dtypes.int32: "int_val",
    dtypes.uint8: "int_val",
    dtypes.uint16: "int_val",
    dtypes.qint8: "int_val",
    dtypes.quint8: "int_val",
    dtypes.qint16: "int_val",
    dtypes.quint16: "int_val",
    dtypes.qint32: "int_val",
    dtypes.int64: "int64_val",
    dtypes.uint32: "uint32_val",
    dtypes.uint64: "uint64_val",
    dtypes.bool: "bool_val",
    dtypes.string: "string_val",
    dtypes.complex64: "scomplex_val",
    dtypes.complex128: "dcomplex_val",
}


def _is_tensor_proto(value: Any) -> bool:
    # By its fields, so that one made by TensorFlow itself is accepted too.
    return hasattr(value, "tensor_shape") and hasattr(value, "tensor_content")


def make_tensor_proto(
    values: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """Returns a `TensorProto` with given values.

    Args:
        values: a number, bool, string, nested list of those, NumPy array, or object with `__array__`. A `TensorProto`
            is returned as it is.
        dtype: a value that `as_dtype` accepts, or None to take it from `values`.
        shape: list of ints, or None for the shape of `values`. If it has more elements, the last value fills the rest.
        verify_shape: If True, `values` must have exactly the shape `shape`.
        allow_broadcast: accepted; missing elements always repeat the last value.

    Returns:
        The `TensorProto`.

    Raises:
        TypeError: if `values` has no tensor type or does not fit `dtype`; or, with `verify_shape`, if its shape is not
            `shape`.
        ValueError: if `values` is None, not rectangular, has more elements than `shape`, or takes 2 GiB or more.

    Example:
        >>> proto = tf.contrib.util.make_tensor_proto([[1, 2], [3, 4]], dtype=tf.float32)
        >>> print(proto.dtype == tf.float32.as_datatype_enum, len(proto.tensor_content))
        True 16
        >>> print(tf.contrib.util.make_ndarray(proto))
        [[1. 2.]
         [3. 4.]]
    """
    del allow_broadcast
    if _is_tensor_proto(values):
        return values
    array, full_shape = to_compact_array(values, dtype, shape, verify_shape)
    tensor_type = dtypes.as_dtype(array.dtype)
    if tensor_type not in _VALUE_FIELDS:
        raise TypeError(f"Element type not supported in TensorProto: {tensor_type.name}")
    if array.nbytes >= _MAX_CONTENT_BYTES:
        raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
    message = proto.TensorProto(dtype=tensor_type.as_datatype_enum)
    # A scalar has a shape too: one without dimensions.
    message.tensor_shape.SetInParent()
    for size in full_shape:
        message.tensor_shape.dim.add(size=size)
    if array.size > 1 and array.size == math.prod(full_shape) and tensor_type in _RAW_TYPES:
        message.tensor_content = array.tobytes()
    else:
        field = getattr(message, _VALUE_FIELDS[tensor_type])
        field.extend(_field_values(array, tensor_type))
    return message


def _field_values(array: np.ndarray[Any, Any], tensor_type: DType) -> list[Any]:
    flat = array.reshape(-1)
    if tensor_type in (dtypes.float16, dtypes.bfloat16):
        flat = flat.view(np.uint16)
    elif tensor_type.is_complex:
        flat = flat.view(tensor_type.real_dtype.as_numpy_dtype)
    elif tensor_type.is_quantized:
        flat = flat[tensor_type.name]
    values: list[Any] = flat.tolist()
    return values


def make_ndarray(tensor: Any) -> np.ndarray[Any, Any]:
    """Returns the array that a `TensorProto` holds.

    Args:
        tensor: a `TensorProto`.

    Returns:
        A new array of its shape and type; strings are bytes objects. Values that are left out at the end are equal to
        the last one, or 0 (false, empty) if there is none.

    Raises:
        TypeError: if its dtype has no NumPy type.
        ValueError: if there are more values than the shape has elements, or the raw content does not have the shape's
            size.

    Example:
        >>> node = tf.constant([1.0, 2.5]).op.node_def
        >>> print(tf.contrib.util.make_ndarray(node.attr["value"].tensor))
        [1.  2.5]
    """
    shape = tuple(dim.size for dim in tensor.tensor_shape.dim)
    if any(size < 0 for size in shape) or tensor.tensor_shape.unknown_rank:
        raise ValueError(f"A TensorProto must have a fully defined shape, got dimensions {list(shape)}.")
    size = math.prod(shape)
    tensor_type = dtypes.as_dtype(tensor.dtype).base_dtype
    field = _VALUE_FIELDS.get(tensor_type)
    if field is None:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}")
    numpy_type = np.dtype(tensor_type.as_numpy_dtype)
    if tensor.tensor_content:
        if tensor_type is dtypes.string or len(tensor.tensor_content) != size * numpy_type.itemsize:
            raise ValueError(
                f"A TensorProto of type {tensor_type.name} and shape {list(shape)} has tensor_content of "
                f"{len(tensor.tensor_content)} bytes."
            )
        # The wire is little-endian.
        wire_type = numpy_type.newbyteorder("<") if numpy_type.kind != "V" else numpy_type
        return np.frombuffer(tensor.tensor_content, dtype=wire_type).astype(numpy_type).reshape(shape)
    given = _decoded(getattr(tensor, field), tensor_type, numpy_type)
    if given.size == size:
        return given.reshape(shape)
    if given.size > size:
        raise ValueError(f"A TensorProto of shape {list(shape)} has {given.size} values.")
    if given.size == 0:
        return np.full(shape, b"" if tensor_type is dtypes.string else np.zeros((), numpy_type), numpy_type)
    full = np.full(size, given[-1], numpy_type)
    full[: given.size] = given
    return full.reshape(shape)


def _decoded(field: Any, tensor_type: DType, numpy_type: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Returns the values of a repeated field as a vector."""
    if tensor_type is dtypes.string:
        strings = np.empty(len(field), np.object_)
        strings[:] = list(field)
        return strings
    if tensor_type in (dtypes.float16, dtypes.bfloat16):
        return np.array(field, np.uint16).view(numpy_type)
    if tensor_type.is_complex:
        return np.array(field, tensor_type.real_dtype.as_numpy_dtype).view(numpy_type)
    if tensor_type.is_quantized:
        stored = numpy_type[0]
        return np.array(field, np.int64).astype(stored).view(numpy_type)
    if tensor_type.is_integer:
        # An unsigned value may come as a negative int32 on the wire: wrap it.
        wide = np.uint64 if tensor_type is dtypes.uint64 else np.int64
        return np.array(field, wide).astype(numpy_type)
    return np.array(field, numpy_type)


# TF 1.x: the name in `tensor_util`.
MakeNdarray = make_ndarray


def ShapeEquals(tensor_proto: Any, shape: ShapeLike) -> bool:  # noqa: N802 (TF 1.x: the name in `tensor_util`)
    """Returns True if a `TensorProto` has a shape.

    Args:
        tensor_proto: a `TensorProto`.
        shape: list or tuple of ints, or a `TensorShapeProto`.

    Raises:
        TypeError: if an argument has a wrong type.
    """
    if not _is_tensor_proto(tensor_proto):
        raise TypeError("tensor_proto is not a tensor_pb2.TensorProto object")
    if hasattr(shape, "dim"):
        shape = [dim.size for dim in shape.dim]
    elif not isinstance(shape, (list, tuple)):
        raise TypeError("shape is not a list or tuple")
    return [dim.size for dim in tensor_proto.tensor_shape.dim] == list(shape)
