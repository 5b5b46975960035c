"""Structures of Python values as `StructuredValue` messages: signatures of functions in SavedModels of objects."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.proto.saved_objects import structured_value_class
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.composite_specs import IndexedSlicesSpec, SparseTensorSpec
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.type_spec import state_of

# TensorFlow's numbers of the classes.
_CLASSES = {1: SparseTensorSpec, 2: IndexedSlicesSpec}
_NUMBERS: dict[Any, int] = {kind: number for number, kind in _CLASSES.items()}


class NotEncodableError(Exception):
    """Error: a value has no counterpart in the message."""


def encoded(value: Any) -> Any:
    """Returns the StructuredValue message of a structure.

    Args:
        value: None, a number, text, TensorShape, DType, TensorSpec, SparseTensorSpec or IndexedSlicesSpec. Also a list,
            tuple, named tuple or dict of these.

    Raises:
        NotEncodableError: if the structure has other values.
    """
    message = structured_value_class()()
    _encode(value, message)
    return message


def _encode(value: Any, message: Any) -> None:
    if value is None:
        message.none_value.SetInParent()
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int):
        message.int64_value = value
    elif isinstance(value, float):
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, TensorShape):
        message.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, dtypes.DType):
        message.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorSpec):
        spec = message.tensor_spec_value
        spec.name = value.name or ""
        spec.shape.CopyFrom(value.shape.as_proto())
        spec.dtype = value.dtype.as_datatype_enum
    elif type(value) in _NUMBERS:
        described = message.type_spec_value
        described.type_spec_class = _NUMBERS[type(value)]
        described.type_spec_class_name = type(value).__name__
        _encode(state_of(value), described.type_state)
    else:
        _encode_sequence(value, message)


def _encode_sequence(value: Any, message: Any) -> None:
    if isinstance(value, Mapping):
        message.dict_value.SetInParent()
        for key, item in value.items():
            _encode(item, message.dict_value.fields[key])
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        message.named_tuple_value.name = type(value).__name__
        for key, item in zip(value._fields, value, strict=True):
            _encode(item, message.named_tuple_value.values.add(key=key).value)
    elif isinstance(value, tuple | list):
        held = message.tuple_value if isinstance(value, tuple) else message.list_value
        held.SetInParent()
        for item in value:
            _encode(item, held.values.add())
    else:
        raise NotEncodableError(f"No encoder for object [{value}] of type [{type(value)}].")


def decoded(message: Any) -> Any:
    """Returns the structure that a StructuredValue message describes.

    Args:
        message: StructuredValue message.

    Raises:
        ValueError: if the message has a value of a kind that is unknown here.
    """
    kind = message.WhichOneof("kind")
    if kind in ("bool_value", "int64_value", "float64_value", "string_value"):
        return getattr(message, kind)
    if kind == "none_value":
        return None
    if kind == "tensor_shape_value":
        return TensorShape(message.tensor_shape_value)
    if kind == "tensor_dtype_value":
        return dtypes.as_dtype(message.tensor_dtype_value)
    if kind == "tensor_spec_value":
        spec = message.tensor_spec_value
        return TensorSpec(TensorShape(spec.shape), dtypes.as_dtype(spec.dtype), spec.name or None)
    if kind == "list_value":
        return [decoded(item) for item in message.list_value.values]
    if kind == "tuple_value":
        return tuple(decoded(item) for item in message.tuple_value.values)
    if kind == "dict_value":
        return {key: decoded(item) for key, item in message.dict_value.fields.items()}
    if kind == "named_tuple_value":
        pairs = message.named_tuple_value.values
        made = namedtuple(message.named_tuple_value.name, [pair.key for pair in pairs])  # type: ignore[misc]
        return made(*(decoded(pair.value) for pair in pairs))
    if kind == "type_spec_value" and message.type_spec_value.type_spec_class in _CLASSES:
        described = message.type_spec_value
        return _CLASSES[described.type_spec_class](*decoded(described.type_state))
    name = message.type_spec_value.type_spec_class_name if kind == "type_spec_value" else kind
    raise ValueError(f"The type '{name}' of a function's signature is not supported.")


def specifications(results: Any) -> Any:
    """Returns a structure of results with a specification for each Tensor, named by its path.

    Args:
        results: structure of Tensors, SparseTensors, IndexedSlices and other values.
    """
    leaves = []
    for path, leaf in nest.flatten_with_joined_string_paths(results):
        if isinstance(leaf, Tensor):
            leaves.append(TensorSpec(leaf.shape, leaf.dtype, path or None))
        else:
            leaves.append(getattr(leaf, "_type_spec", leaf))
    return nest.pack_sequence_as(results, leaves)
