"""Functions and classes that a program replaces: TensorFlow's modules look each other's names up at every call."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any, Final

_BELOW: Final = "ferroflow._src."


def is_replaceable(found: Any) -> bool:
    """Returns True for a function or class of the front end."""
    return isinstance(found, FunctionType | type) and found.__module__.startswith("ferroflow.")


def replace_everywhere(before: Any, after: Any) -> None:
    """Binds each name of the front end's modules that is bound to one object to another.

    Args:
        before: function or class.
        after: the object in its place.
    """
    for path, module in list(sys.modules.items()):
        if path.startswith(_BELOW):
            for name in [name for name, value in vars(module).items() if value is before]:
                setattr(module, name, after)
