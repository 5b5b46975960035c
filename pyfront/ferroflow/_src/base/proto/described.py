"""Messages that are described in Python, for the files of TensorFlow that the engine does not read."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base.proto.descriptor_set import load_descriptors
from ferroflow._src.base.proto.symbols import message_class

PACKAGE = "tensorflow"
_OPTIONAL, _REPEATED = 1, 3
_MESSAGE, _ENUM = 11, 14
_SCALARS = {"double": 1, "int64": 3, "int32": 5, "bool": 8, "string": 9, "sint64": 18}


class Field(NamedTuple):
    """A field of a message.

    Attributes:
        number: int, its number.
        name: str, its name.
        kind: str, a scalar type of protobuf, or the name of a message or enum within the package.
        label: str: "", "repeated", "map" for a map with text as its keys, or the name of the field's oneof.
        is_enum: bool. If True, `kind` is an enum.
    """

    number: int
    name: str
    kind: str
    label: str = ""
    is_enum: bool = False


def add_file(name: str, imports: tuple[str, ...], messages: dict[str, tuple[Field, ...]]) -> None:
    """Adds a file of messages to the pool of ferroflow's messages.

    Args:
        name: str, the path of TensorFlow's file.
        imports: the paths of the files in the pool that it needs.
        messages: the fields of each message. The name of a nested message has that of the one around it, and a point.
    """
    from google.protobuf import descriptor_pb2

    file = descriptor_pb2.FileDescriptorProto(name=name, package=PACKAGE, syntax="proto3")
    file.dependency.extend(load_descriptors().path(path) for path in imports)
    made: dict[str, Any] = {}
    for path, fields in messages.items():
        outer, _, own = path.rpartition(".")
        message = made[path] = made[outer].nested_type.add(name=own) if outer else file.message_type.add(name=own)
        oneofs: list[str] = []
        for field in fields:
            _add_field(message, path, field, oneofs)
        for oneof in oneofs:
            message.oneof_decl.add(name=oneof)
    load_descriptors().pool.AddSerializedFile(file.SerializeToString())


def described_class(name: str) -> Any:
    """Returns the class of a message in the pool.

    Args:
        name: str, the name within the package.
    """
    return message_class(load_descriptors().pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))


def _add_field(message: Any, path: str, field: Field, oneofs: list[str]) -> None:
    is_repeated = field.label in ("repeated", "map")
    made = message.field.add(name=field.name, number=field.number, label=_REPEATED if is_repeated else _OPTIONAL)
    if field.label == "map":
        entry = f"{''.join(part.capitalize() for part in field.name.split('_'))}Entry"
        _set_type(made, f"{path}.{entry}", False)
        nested = message.nested_type.add(name=entry)
        nested.options.map_entry = True
        _set_type(nested.field.add(name="key", number=1, label=_OPTIONAL), "string", False)
        _set_type(nested.field.add(name="value", number=2, label=_OPTIONAL), field.kind, field.is_enum)
        return
    _set_type(made, field.kind, field.is_enum)
    if field.label and not is_repeated:
        if field.label not in oneofs:
            oneofs.append(field.label)
        made.oneof_index = oneofs.index(field.label)


def _set_type(field: Any, kind: str, is_enum: bool) -> None:
    scalar = _SCALARS.get(kind)
    if scalar is not None:
        field.type = scalar
        return
    field.type = _ENUM if is_enum else _MESSAGE
    field.type_name = f".{PACKAGE}.{kind}"
