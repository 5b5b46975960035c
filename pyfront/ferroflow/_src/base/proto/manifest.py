"""The messages of session bundles, models exported before there were SavedModels: signatures and asset files."""

from __future__ import annotations

import functools
from typing import Any

from ferroflow._src.base.proto.descriptor_set import load_descriptors
from ferroflow._src.base.proto.symbols import message_class

_PACKAGE = "tensorflow.serving"
_FILE = "tensorflow/contrib/session_bundle/manifest.proto"
_REPEATED, _OPTIONAL = 3, 1
_STRING, _MESSAGE = 9, 11
# By message: the fields in the order of their numbers, which begin with 1. A field's type is a message, "string", or
# "map " with a message by name.
_FIELDS = {
    "TensorBinding": {"tensor_name": "string"},
    "AssetFile": {"tensor_binding": "TensorBinding", "filename": "string"},
    "RegressionSignature": {"input": "TensorBinding", "output": "TensorBinding"},
    "ClassificationSignature": {"input": "TensorBinding", "classes": "TensorBinding", "scores": "TensorBinding"},
    "GenericSignature": {"map": "map TensorBinding"},
    "Signature": {
        "regression_signature": "RegressionSignature",
        "classification_signature": "ClassificationSignature",
        "generic_signature": "GenericSignature",
    },
    "Signatures": {"default_signature": "Signature", "named_signatures": "map Signature"},
}
_ONE_OF = {"Signature": "type"}


@functools.cache
def manifest_classes() -> dict[str, Any]:
    """Returns the classes of the messages by name, made at the first call, as protobuf costs 20 ms at import."""
    pool = load_descriptors().pool
    pool.AddSerializedFile(_file().SerializeToString())
    return {name: message_class(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _FIELDS}


def _file() -> Any:
    from google.protobuf import descriptor_pb2

    file = descriptor_pb2.FileDescriptorProto(name=_FILE, package=_PACKAGE, syntax="proto3")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        if name in _ONE_OF:
            message.oneof_decl.add(name=_ONE_OF[name])
        for number, (field, kind) in enumerate(fields.items(), 1):
            _add_field(message, f".{_PACKAGE}", field, number, kind)
    return file


def _add_field(message: Any, package: str, name: str, number: int, kind: str) -> None:
    is_map, _, value = kind.rpartition(" ")
    if is_map:
        entry = "".join(part.capitalize() for part in name.split("_")) + "Entry"
        nested = message.nested_type.add(name=entry)
        nested.options.map_entry = True
        _add_field(nested, package, "key", 1, "string")
        _add_field(nested, package, "value", 2, value)
        path = f"{package}.{message.name}.{entry}"
        message.field.add(name=name, number=number, label=_REPEATED, type=_MESSAGE, type_name=path)
        return
    field = message.field.add(name=name, number=number, label=_OPTIONAL, type=_STRING)
    if kind != "string":
        field.type, field.type_name = _MESSAGE, f"{package}.{kind}"
    if message.oneof_decl:
        field.oneof_index = 0
