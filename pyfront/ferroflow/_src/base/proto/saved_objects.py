"""The messages of SavedModels of objects: `SavedObjectGraph`, and `StructuredValue` for structures of Python."""

from __future__ import annotations

import functools
from typing import Any

from ferroflow._src.base.proto import object_graph
from ferroflow._src.base.proto.described import Field, add_file, described_class

_STRUCT_FILE = "tensorflow/core/protobuf/struct.proto"
_FILE = "tensorflow/core/protobuf/saved_object_graph.proto"
_VALUE = "StructuredValue"
_KIND = "kind"
_STRUCT = {
    _VALUE: (
        Field(1, "none_value", "NoneValue", _KIND),
        Field(11, "float64_value", "double", _KIND),
        Field(12, "int64_value", "sint64", _KIND),
        Field(13, "string_value", "string", _KIND),
        Field(14, "bool_value", "bool", _KIND),
        Field(31, "tensor_shape_value", "TensorShapeProto", _KIND),
        Field(32, "tensor_dtype_value", "DataType", _KIND, is_enum=True),
        Field(33, "tensor_spec_value", "TensorSpecProto", _KIND),
        Field(34, "type_spec_value", "TypeSpecProto", _KIND),
        Field(51, "list_value", "ListValue", _KIND),
        Field(52, "tuple_value", "TupleValue", _KIND),
        Field(53, "dict_value", "DictValue", _KIND),
        Field(54, "named_tuple_value", "NamedTupleValue", _KIND),
    ),
    "NoneValue": (),
    "ListValue": (Field(1, "values", _VALUE, "repeated"),),
    "TupleValue": (Field(1, "values", _VALUE, "repeated"),),
    "DictValue": (Field(1, "fields", _VALUE, "map"),),
    "PairValue": (Field(1, "key", "string"), Field(2, "value", _VALUE)),
    "NamedTupleValue": (Field(1, "name", "string"), Field(2, "values", "PairValue", "repeated")),
    "TensorSpecProto": (
        Field(1, "name", "string"),
        Field(2, "shape", "TensorShapeProto"),
        Field(3, "dtype", "DataType", is_enum=True),
    ),
    # The class is an enum, which has the numbers of int32 on the wire.
    "TypeSpecProto": (
        Field(1, "type_spec_class", "int32"),
        Field(2, "type_state", _VALUE),
        Field(3, "type_spec_class_name", "string"),
    ),
}
_OBJECTS = {
    "SavedObjectGraph": (
        Field(1, "nodes", "SavedObject", "repeated"),
        Field(2, "concrete_functions", "SavedConcreteFunction", "map"),
    ),
    "SavedObject": (
        Field(1, "children", object_graph.REFERENCE, "repeated"),
        Field(3, "slot_variables", object_graph.SLOT, "repeated"),
        Field(4, "user_object", "SavedUserObject", _KIND),
        Field(5, "asset", "SavedAsset", _KIND),
        Field(6, "function", "SavedFunction", _KIND),
        Field(7, "variable", "SavedVariable", _KIND),
        Field(8, "bare_concrete_function", "SavedBareConcreteFunction", _KIND),
        Field(9, "constant", "SavedConstant", _KIND),
        Field(10, "resource", "SavedResource", _KIND),
    ),
    "SavedUserObject": (
        Field(1, "identifier", "string"),
        Field(2, "version", "VersionDef"),
        Field(3, "metadata", "string"),
    ),
    "SavedAsset": (Field(1, "asset_file_def_index", "int32"),),
    "SavedFunction": (Field(1, "concrete_functions", "string", "repeated"), Field(2, "function_spec", "FunctionSpec")),
    "SavedConcreteFunction": (
        Field(2, "bound_inputs", "int32", "repeated"),
        Field(3, "canonicalized_input_signature", _VALUE),
        Field(4, "output_signature", _VALUE),
    ),
    "SavedBareConcreteFunction": (
        Field(1, "concrete_function_name", "string"),
        Field(2, "argument_keywords", "string", "repeated"),
        Field(3, "allowed_positional_arguments", "int64"),
    ),
    "SavedConstant": (Field(1, "operation", "string"),),
    "SavedVariable": (
        Field(1, "dtype", "DataType", is_enum=True),
        Field(2, "shape", "TensorShapeProto"),
        Field(3, "trainable", "bool"),
        Field(4, "synchronization", "VariableSynchronization", is_enum=True),
        Field(5, "aggregation", "VariableAggregation", is_enum=True),
        Field(6, "name", "string"),
    ),
    "FunctionSpec": (
        Field(1, "fullargspec", _VALUE),
        Field(2, "is_method", "bool"),
        Field(5, "input_signature", _VALUE),
    ),
    "SavedResource": (Field(1, "device", "string"),),
    # A MetaGraphDef with this field alone.
    "MetaGraphObjects": (Field(7, "object_graph_def", "SavedObjectGraph"),),
}

_FILES = {"struct": _STRUCT, "saved_object_graph": _OBJECTS}


@functools.cache
def _meta_graph_objects() -> Any:
    object_graph.object_graph_class()
    types = ("tensorflow/types.proto", "tensorflow/tensor_shape.proto")
    add_file(_STRUCT_FILE, types, _STRUCT)
    others = ("tensorflow/versions.proto", "tensorflow/variable.proto", object_graph.FILE, _STRUCT_FILE)
    add_file(_FILE, (*types, *others), _OBJECTS)
    return described_class("MetaGraphObjects")


def saved_object_graph_class() -> Any:
    """Returns the class of the message `SavedObjectGraph`."""
    _meta_graph_objects()
    return described_class("SavedObjectGraph")


def structured_value_class() -> Any:
    """Returns the class of the message `StructuredValue`."""
    _meta_graph_objects()
    return described_class(_VALUE)


def messages_of_file(stem: str) -> dict[str, Any]:
    """Returns the classes of the messages of a file, by their names.

    Args:
        stem: str, "struct" or "saved_object_graph".
    """
    _meta_graph_objects()
    return {name: described_class(name) for name in _FILES[stem]}


def objects_of(meta_graph_def: Any) -> Any:
    """Returns the SavedObjectGraph message of a MetaGraphDef; None if it has none.

    Args:
        meta_graph_def: MetaGraphDef message.
    """
    found = _meta_graph_objects().FromString(meta_graph_def.SerializeToString())
    return found.object_graph_def if found.HasField("object_graph_def") else None


def set_objects(meta_graph_def: Any, objects: Any) -> None:
    """Adds a SavedObjectGraph message to a MetaGraphDef, in which it is an unknown field.

    Args:
        meta_graph_def: MetaGraphDef message.
        objects: SavedObjectGraph message.
    """
    meta_graph_def.MergeFromString(_meta_graph_objects()(object_graph_def=objects).SerializeToString())
