"""Conversion of collections' objects to messages of a MetaGraphDef, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ferroflow._src.base import proto
from ferroflow._src.base.late_modules import LateModules


class _Functions(NamedTuple):
    proto_type: Any
    to_proto: Callable[..., Any] | None
    from_proto: Callable[..., Any] | None


_registered: dict[str, _Functions] = {}
# Modules that register functions. They are imported when a MetaGraphDef is first written or read.
late_modules: Final = LateModules()


def register_proto_function(
    collection_name: str,
    proto_type: Any = None,
    to_proto: Callable[..., Any] | None = None,
    from_proto: Callable[..., Any] | None = None,
) -> None:
    """Registers how a collection's objects are written to a MetaGraphDef and read from it.

    Args:
        collection_name: the collection.
        proto_type: class of the messages, or its name in `base.proto`, which loads nothing.
        to_proto: from (object, export_scope=...) to a message, or None for an object that is not of that scope.
        from_proto: from (message, import_scope=...) to an object of the default graph.

    Raises:
        TypeError: if a function is not callable.
        KeyError: if the collection has functions already.
    """
    for function, name in ((to_proto, "to_proto"), (from_proto, "from_proto")):
        if function is not None and not callable(function):
            raise TypeError(f"{name} must be callable.")
    late_modules.load()
    if collection_name in _registered:
        raise KeyError(f"Registering two proto functions with name '{collection_name}'!")
    _registered[collection_name] = _Functions(proto_type, to_proto, from_proto)


def _functions_of(collection_name: str) -> _Functions | None:
    late_modules.load()
    return _registered.get(collection_name)


def get_collection_proto_type(collection_name: str) -> Any:
    """Returns the class of a collection's messages, or None."""
    found = _functions_of(collection_name)
    if found is None:
        return None
    return getattr(proto, found.proto_type) if isinstance(found.proto_type, str) else found.proto_type


def get_to_proto_function(collection_name: str) -> Callable[..., Any] | None:
    """Returns the function that makes messages from a collection's objects, or None."""
    found = _functions_of(collection_name)
    return None if found is None else found.to_proto


def get_from_proto_function(collection_name: str) -> Callable[..., Any] | None:
    """Returns the function that makes a collection's objects from messages, or None."""
    found = _functions_of(collection_name)
    return None if found is None else found.from_proto
