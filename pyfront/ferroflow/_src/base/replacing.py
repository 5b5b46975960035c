"""Replacement of functions and classes: in TensorFlow, a program that assigns one replaces it for all modules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any, Final

_BELOW: Final = "ferroflow._src."
_MISSING: Final = object()


def is_replaceable(found: Any) -> bool:
    """Returns True for a function or class of the front end."""
    # The functions and classes of `tf` itself have the module "ferroflow".
    return isinstance(found, FunctionType | type) and found.__module__.partition(".")[0] == "ferroflow"


class Replacement:
    """A function or class of the front end, and the object that is bound in its place.

    Args:
        original: the function or class.
    """

    def __init__(self, original: Any) -> None:
        self.original = original
        self._current = original
        # One object may replace several functions, which then differ by their names alone.
        self._names = {name for module in _modules() for name, value in vars(module).items() if value is original}

    def bind(self, value: Any) -> None:
        """Binds an object in the modules of the front end, in the place of the current one."""
        for module in _modules():
            for name in self._names:
                if vars(module).get(name, _MISSING) is self._current:
                    setattr(module, name, value)
        self._current = value


def _modules() -> Iterator[ModuleType]:
    return (module for path, module in list(sys.modules.items()) if path.startswith(_BELOW))
