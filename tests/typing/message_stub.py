"""Writes the stub of the message classes, which are made at runtime: `python tests/typing/message_stub.py`."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import ferroflow
from ferroflow._src.base.proto.descriptor_set import load_descriptors

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

STUB = Path(ferroflow.__file__).parent / "_src" / "base" / "proto" / "__init__.pyi"
_PACKAGES = ("tensorflow", "tensorflow.boosted_trees", "tensorflow.error", "tensorflow.tfprof")
_HEAD = '''"""The types of the messages and enums: written by tests/typing/message_stub.py, not by hand."""

import builtins
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, SupportsFloat, SupportsIndex, TypeAlias

from google.protobuf.internal.containers import (
    MessageMap,
    RepeatedCompositeFieldContainer,
    RepeatedScalarFieldContainer,
    ScalarMap,
)
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message

_Int: TypeAlias = SupportsIndex
_Float: TypeAlias = SupportsFloat | SupportsIndex

def text_format() -> ModuleType: ...
def json_format() -> ModuleType: ...
def decode_errors() -> tuple[type[Exception], ...]: ...
def descriptor_pool() -> Any: ...
'''
# By `FieldDescriptor.cpp_type`: the type that reading gives, and the one that the constructor takes.
_SCALARS = {
    1: ("int", "_Int"),
    2: ("int", "_Int"),
    3: ("int", "_Int"),
    4: ("int", "_Int"),
    5: ("float", "_Float"),
    6: ("float", "_Float"),
    7: ("bool", "bool | _Int"),
    8: ("int", "_Int | str"),
}
_TYPE_BYTES = 12
_MESSAGE = 10


def _python_name(descriptor: Descriptor) -> str:
    for package in sorted(_PACKAGES, key=len, reverse=True):
        if descriptor.full_name.startswith(f"{package}."):
            return descriptor.full_name.removeprefix(f"{package}.")
    return "Message"


def _types(field: FieldDescriptor) -> tuple[str, str]:
    """Returns the type of one value of a field as it is read, and as the constructor takes it."""
    if field.cpp_type == _MESSAGE:
        name = _python_name(field.message_type)
        return name, f"{name} | Mapping[str, Any]"
    if field.cpp_type in _SCALARS:
        return _SCALARS[field.cpp_type]
    return ("bytes", "bytes") if field.type == _TYPE_BYTES else ("str", "str | bytes")


def _field(field: FieldDescriptor) -> tuple[str, str]:
    """Returns the types of a field: of the attribute, and of the constructor's argument."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        key, value = field.message_type.fields
        _, (value_out, value_in) = _types(key), _types(value)
        kind = "MessageMap" if value.cpp_type == _MESSAGE else "ScalarMap"
        return f"{kind}[{_types(key)[0]}, {value_out}]", f"Mapping[{_types(key)[0]}, {value_in}]"
    out, taken = _types(field)
    if _is_repeated(field):
        kind = "RepeatedCompositeFieldContainer" if field.cpp_type == _MESSAGE else "RepeatedScalarFieldContainer"
        return f"{kind}[{out}]", f"Iterable[{taken}]"
    return out, taken


def _is_repeated(field: FieldDescriptor) -> bool:
    found = getattr(field, "is_repeated", None)  # protobuf 6.31 and later
    return bool(field.label == field.LABEL_REPEATED if found is None else found)


def _enum_lines(enum: EnumDescriptor, indent: str) -> Iterator[str]:
    yield f"{indent}{enum.name}: EnumTypeWrapper"
    for value in enum.values:
        if not keyword.iskeyword(value.name):
            yield f"{indent}{value.name}: int"


def _message_lines(message: Descriptor, indent: str = "") -> Iterator[str]:
    inner = f"{indent}    "
    yield f"{indent}class {message.name}(Message):"
    for nested in message.nested_types:
        if not nested.GetOptions().map_entry:
            yield from _message_lines(nested, inner)
    for enum in message.enum_types:
        yield from _enum_lines(enum, inner)
    fields = [field for field in message.fields if not keyword.iskeyword(field.name)]
    # A field `bytes` hides the type of that name in its class.
    hidden = "|".join(sorted({field.name for field in fields} & {"bytes", "str", "int", "float", "bool"})) or "$^"
    types = {
        field.name: tuple(re.sub(rf"\b({hidden})\b", r"builtins.\1", text) for text in _field(field))
        for field in fields
    }
    for name, (read, _) in types.items():
        yield f"{inner}{name}: {read}"
    arguments = ", ".join(f"{name}: {taken} | None = None" for name, (_, taken) in types.items())
    yield f"{inner}def __init__(self{', *, ' if arguments else ''}{arguments}) -> None: ..."


def stub_text() -> str:
    """Returns the text of the stub, not formatted."""
    files = [file for file in load_descriptors().files if file.package in _PACKAGES]
    lines = [_HEAD]
    for file in files:
        for message in file.message_types_by_name.values():
            lines += _message_lines(message)
    # Once each: two enums have a constant `OK`.
    lines += dict.fromkeys(
        line for file in files for enum in file.enum_types_by_name.values() for line in _enum_lines(enum, "")
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    STUB.write_text(stub_text(), encoding="utf-8")
