"""Public classes and functions name the public module that has them, as `ferroflow.train.AdamOptimizer`.

Their pickles, representations and messages then survive when the files behind the public modules move.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FunctionType
from typing import Any

_PRIVATE = "ferroflow._src."
_ROOT = "ferroflow"


def _rank(module: str, name: str, value: Any) -> tuple[bool, bool, int, str]:
    """Returns the rank of a public path of a value: its own name first, then short paths, `contrib` last."""
    return name != value.__name__, ".contrib" in module, module.count("."), module


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
            holder: Mapping[str, Any] = namespace if present == module else vars(sys.modules[present])
            own_name: str = value.__qualname__
            if holder.get(own_name) is value and _rank(present, own_name, value) <= _rank(module, name, value):
                continue
        value.__module__ = module
        value.__qualname__ = name
