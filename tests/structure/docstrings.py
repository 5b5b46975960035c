"""Finds public functions and classes without a documented first sentence."""

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from google.protobuf.message import Message


def public_objects(module: ModuleType, package: str) -> Iterator[tuple[str, Any]]:
    """Gives the functions and classes of `package` that a module exports, by qualified name.

    What other distributions define is theirs to document, and so are the messages that protobuf makes.
    """
    for name in dir(module):
        value = getattr(module, name)
        if name.startswith("_") or not (inspect.isroutine(value) or inspect.isclass(value)):
            continue
        if (value.__module__ or "").split(".")[0] != package:
            continue
        if not (inspect.isclass(value) and issubclass(value, Message)):
            yield f"{module.__name__}.{name}", value


def undocumented(module: ModuleType, package: str) -> list[str]:
    """Lists what a module exports without a docstring whose first paragraph ends with a period."""
    return [
        name
        for name, value in public_objects(module, package)
        if not inspect.cleandoc(value.__doc__ or "").split("\n\n")[0].endswith(".")
    ]
