"""TensorFlow's wire messages and enums by name (`GraphDef`, `DataType`, `DT_FLOAT`), made on first use."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from ferroflow._src.base.proto.descriptor_set import load_descriptors
from ferroflow._src.base.proto.symbols import all_symbols


def __getattr__(name: str) -> Any:
    # Importing protobuf costs 20 ms, and most programs never touch a message: names are resolved on first use.
    if not name.startswith("_"):
        found = all_symbols().get(name)
        if found is not None:
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def text_format() -> ModuleType:
    """Returns Protobuf's module of the text format, loaded on first use."""
    return importlib.import_module("google.protobuf.text_format")


def json_format() -> ModuleType:
    """Returns Protobuf's module of messages in JSON, loaded on first use."""
    return importlib.import_module("google.protobuf.json_format")


def decode_errors() -> tuple[type[Exception], ...]:
    """Returns the classes of what protobuf raises for bytes that are not a message: they differ by its
    implementations.
    """
    return (importlib.import_module("google.protobuf.message").DecodeError, ValueError)


def descriptor_pool() -> Any:
    """Returns the pool of these messages, of which text with messages of any type is read."""
    return load_descriptors().pool


def __dir__() -> list[str]:
    return sorted({*globals(), *all_symbols()})
