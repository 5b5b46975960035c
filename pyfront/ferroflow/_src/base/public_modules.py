"""Public classes and functions name the public module that has them, as `ferroflow.train.AdamOptimizer`.

Their pickles, representations and messages then survive when the files behind the public modules move.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

_PRIVATE = "ferroflow._src."
_ROOT = "ferroflow"
_Search = TypeVar("_Search", bound=Callable[..., Any])
# The modules in which public classes are defined, and their names there.
_defined: dict[type, tuple[str, str]] = {}


def _rank(module: str, name: str, value: Any) -> tuple[bool, bool, int, str]:
    """Returns the rank of a public path of a value: its own name first, then short paths, `contrib` last."""
    return name != value.__name__, ".contrib" in module, module.count("."), module


def _place(value: Any, module: str, name: str) -> dict[str, Any]:
    """Returns the attributes of a class or function that say where it is defined, in the order to set them.

    From Python 3.13 on, a class has the number of its first line, and loses it when its module is set.
    """
    line = {key: number for key, number in vars(value).items() if key == "__firstlineno__"}
    return {"__module__": module, "__qualname__": name, **line}


def set_public_modules(namespace: dict[str, Any]) -> None:
    """Sets `__module__` and `__qualname__` of the classes and functions that a public module has to its path and name.

    If several modules have one, the module with its own name is taken, then the shortest path outside `contrib`.

    Args:
        namespace: dict, the `globals()` of the module.
    """
    module: str = namespace["__name__"]
    for name, value in namespace.items():
        if not isinstance(value, (FunctionType, type)) or name[0] == "_":
            continue
        present = value.__module__
        if not present.startswith(_PRIVATE):
            if present.partition(".")[0] != _ROOT or (present == module and value.__qualname__ == name):
                continue
            # A wrapper has the path of what it wraps: it is not found there.
            own_name: str = value.__qualname__
            # A module that is not loaded yet has it, as `show_publicly` says.
            holder: Any = namespace if present == module else getattr(sys.modules.get(present), "__dict__", None)
            is_there = holder is None or holder.get(own_name) is value
            if is_there and _rank(present, own_name, value) <= _rank(module, name, value):
                continue
        elif isinstance(value, type):
            _defined[value] = (present, value.__qualname__)
        for attribute, part in _place(value, module, name).items():
            setattr(value, attribute, part)


def show_publicly(module: str, *values: type) -> None:
    """Gives classes their public path where they are defined, for programs that never load the public module.

    Args:
        module: str, the path of the public module.
        values: classes that the public module has under their own names.
    """
    set_public_modules({"__name__": module, **{value.__name__: value for value in values}})


def show_as(value: type, shown: type) -> None:
    """Makes tracebacks show one class under another's path, for classes that have no public path.

    Args:
        value: class that defines `__reduce__`, because pickles do not find it under that path.
        shown: class.
    """
    for attribute, part in _place(value, shown.__module__, shown.__qualname__).items():
        setattr(value, attribute, part)


def _for_public_classes(search: _Search) -> _Search:
    """Returns a function of `inspect` that searches for a public class where it is defined."""

    def search_where_defined(object: Any) -> Any:
        place = _defined.get(object) if isinstance(object, type) else None
        if place is None:
            return search(object)
        return search(type(object.__name__, (), _place(object, *place)))

    wrapped: Any = functools.wraps(search)(search_where_defined)
    found: _Search = wrapped
    return found


# `inspect` takes a class's file from the module that `__module__` names, and its line by its `__qualname__`. It has no
# other way to be given them: without these lines, `inspect.getsource` and `tf.train.AdamOptimizer??` in a notebook
# read the public module's file, which only imports the class.
inspect.getfile = _for_public_classes(inspect.getfile)
inspect.findsource = _for_public_classes(inspect.findsource)
