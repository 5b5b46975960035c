"""The message `TrackableObjectGraph`: the objects of a checkpoint, their edges and the keys of their values."""

from __future__ import annotations

import functools
from typing import Any

from ferroflow._src.base.proto.descriptor_set import load_descriptors
from ferroflow._src.base.proto.symbols import message_class

_PACKAGE = "tensorflow"
_FILE = "tensorflow/core/protobuf/trackable_object_graph.proto"
_OBJECT = "TrackableObject"
_REPEATED, _OPTIONAL = 3, 1
_BOOL, _INT32, _STRING, _MESSAGE = 8, 5, 9, 11
# By message: the fields in the order of their numbers, which begin with 1, and their types.
_FIELDS = {
    "ObjectReference": (("node_id", _INT32), ("local_name", _STRING)),
    "SerializedTensor": (
        ("name", _STRING),
        ("full_name", _STRING),
        ("checkpoint_key", _STRING),
        ("optional_restore", _BOOL),
    ),
    "SlotVariableReference": (
        ("original_variable_node_id", _INT32),
        ("slot_name", _STRING),
        ("slot_variable_node_id", _INT32),
    ),
}
_CHILDREN = (
    ("children", "ObjectReference"),
    ("attributes", "SerializedTensor"),
    ("slot_variables", "SlotVariableReference"),
)


@functools.cache
def object_graph_class() -> Any:
    """Returns the class of the message, made at the first call, as protobuf costs 20 ms at import."""
    pool = load_descriptors().pool
    pool.AddSerializedFile(_file().SerializeToString())
    return message_class(pool.FindMessageTypeByName(f"{_PACKAGE}.TrackableObjectGraph"))


def _file() -> Any:
    from google.protobuf import descriptor_pb2

    file = descriptor_pb2.FileDescriptorProto(name=_FILE, package=_PACKAGE, syntax="proto3")
    graph = file.message_type.add(name="TrackableObjectGraph")
    path = f".{_PACKAGE}.TrackableObjectGraph.{_OBJECT}"
    graph.field.add(name="nodes", number=1, label=_REPEATED, type=_MESSAGE, type_name=path)
    node = graph.nested_type.add(name=_OBJECT)
    for number, (name, message) in enumerate(_CHILDREN, 1):
        node.field.add(name=name, number=number, label=_REPEATED, type=_MESSAGE, type_name=f"{path}.{message}")
    for name, fields in _FIELDS.items():
        inner = node.nested_type.add(name=name)
        for number, (field, kind) in enumerate(fields, 1):
            inner.field.add(name=field, number=number, label=_OPTIONAL, type=kind)
    return file
