"""The message `TrackableObjectGraph`: the objects of a checkpoint, their edges and the keys of their values."""

from __future__ import annotations

import functools
from typing import Any

from ferroflow._src.base.proto.described import Field, add_file, described_class

FILE = "tensorflow/core/protobuf/trackable_object_graph.proto"
_OBJECT = "TrackableObjectGraph.TrackableObject"
REFERENCE = f"{_OBJECT}.ObjectReference"
SLOT = f"{_OBJECT}.SlotVariableReference"
_TENSOR = f"{_OBJECT}.SerializedTensor"
_MESSAGES = {
    "TrackableObjectGraph": (Field(1, "nodes", _OBJECT, "repeated"),),
    _OBJECT: (
        Field(1, "children", REFERENCE, "repeated"),
        Field(2, "attributes", _TENSOR, "repeated"),
        Field(3, "slot_variables", SLOT, "repeated"),
    ),
    REFERENCE: (Field(1, "node_id", "int32"), Field(2, "local_name", "string")),
    _TENSOR: (
        Field(1, "name", "string"),
        Field(2, "full_name", "string"),
        Field(3, "checkpoint_key", "string"),
        Field(4, "optional_restore", "bool"),
    ),
    SLOT: (
        Field(1, "original_variable_node_id", "int32"),
        Field(2, "slot_name", "string"),
        Field(3, "slot_variable_node_id", "int32"),
    ),
}


@functools.cache
def object_graph_class() -> Any:
    """Returns the class of the message, made at the first call, as protobuf costs 20 ms at import."""
    add_file(FILE, (), _MESSAGES)
    return described_class("TrackableObjectGraph")
