"""Message classes, enum wrappers and enum constants found by TensorFlow's names, made once each."""

from __future__ import annotations

import copyreg
from typing import TYPE_CHECKING, Any

from ferroflow._src.base.fork_locks import RenewedLock
from ferroflow._src.base.proto.descriptor_set import load_descriptors

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor
    from google.protobuf.message import Message

_PACKAGES = ("tensorflow", "tensorflow.boosted_trees", "tensorflow.error", "tensorflow.tfprof")
_PUBLIC_MODULE = __package__

_lock = RenewedLock()
_symbols: dict[str, Any] | None = None


def all_symbols() -> dict[str, Any]:
    """Returns all top-level names: message class, `EnumTypeWrapper`, or int for an enum constant.

    Nested messages and enums are attributes of their parents, as protobuf makes them.
    """
    global _symbols
    with _lock:
        if _symbols is None:
            _symbols = _make_symbols()
        return _symbols


def _make_symbols() -> dict[str, Any]:
    from google.protobuf.internal import enum_type_wrapper

    found: dict[str, Any] = {}
    for file in load_descriptors().files:
        if file.package not in _PACKAGES:
            continue
        for name, descriptor in file.message_types_by_name.items():
            found[name] = message_class(descriptor)
        for name, enum in file.enum_types_by_name.items():
            found[name] = enum_type_wrapper.EnumTypeWrapper(enum)
            for value in enum.values:
                found[value.name] = value.number
    return found


def message_class(descriptor: Descriptor) -> type[Message]:
    """Returns the class of a message, with its module, its way of pickling and its nested messages as attributes."""
    from google.protobuf import message_factory

    made = message_factory.GetMessageClass(descriptor)
    made.__module__ = _PUBLIC_MODULE
    copyreg.pickle(made, _reduce)
    for nested in descriptor.nested_types:
        nested_class = message_class(nested)
        if not hasattr(made, nested.name):  # protobuf's pure Python implementation leaves them out
            setattr(made, nested.name, nested_class)
    return made


# protobuf searches for a pickled nested message in its default pool, if it is unknown or TensorFlow's.
def _reduce(message: Message) -> tuple[Any, ...]:
    return _restore, (message.DESCRIPTOR.full_name, message.SerializePartialToString())


def _restore(full_name: str, serialized: bytes) -> Message:
    from google.protobuf import message_factory

    all_symbols()
    descriptor = load_descriptors().pool.FindMessageTypeByName(full_name)
    return message_factory.GetMessageClass(descriptor).FromString(serialized)


# Pickles hold this path, which stays when this file moves.
_restore.__module__ = "ferroflow.core"
