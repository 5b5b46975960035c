"""Table of every module that TensorFlow 1.8 or 1.15 has below `tensorflow.python` and `tensorflow.contrib`."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ferroflow.python._modules import EARLIER, ESTIMATOR, KERAS, KERAS_GATHERING, MOVED

_ROOT = "ferroflow"
# Modules that TensorFlow 1.8 and 1.15 do not have at these paths: earlier ones, and Keras's, wherever they stood.
_EXTRA = (*EARLIER, *MOVED, *ESTIMATOR, *(f"{start}{end}" for start in KERAS for end in KERAS_GATHERING))


@cache
def _table() -> dict[str, dict[str, Any]]:
    """By module: "names", the public names of what it defines, "modules", those that it imports, and "functions".

    "others" are the functions that a module of operations has from elsewhere.
    """
    table: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("paths.json").read_text(encoding="utf-8"))
    return table


@cache
def _known() -> frozenset[str]:
    """Every path of a module and of the packages around it."""
    return frozenset(
        ".".join(parts[:n])
        for path in (*_table(), *_EXTRA)
        for parts in [path.split(".")]
        for n in range(1, 1 + len(parts))
    )


def is_known(path: str) -> bool:
    """Returns True for the path of a module, such as `python.ops.math_ops`."""
    return path in _known()


def below(path: str) -> set[str]:
    """Returns the names of the modules directly in a package."""
    return {known[len(path) + 1 :].partition(".")[0] for known in _known() if known.startswith(f"{path}.")}


def members(path: str) -> set[str]:
    """Returns the names that TensorFlow's module has: with a public name, imported modules, other functions."""
    entry = _table().get(path, {})
    return {*entry.get("names", ()), *entry.get("others", "").split(), *_passed_on(path)}


def public_names(path: str, name: str) -> tuple[str, ...]:
    """Returns where a name that a module defines is public in TensorFlow, such as ("math.add", "add")."""
    return tuple(_table().get(path, {}).get("names", {}).get(name, "").split())


def passed_on(path: str, name: str) -> str | None:
    """Returns the path of the module that TensorFlow's module imports under a name, or None."""
    target = _passed_on(path).get(name)
    return target if target is not None and is_known(target) else None


def functions(path: str) -> list[str]:
    """Returns the names under which a package has something else than its module of that name."""
    listed: str = _table().get(path, {}).get("functions", "")
    return listed.split()


@cache
def _passed_on(path: str) -> dict[str, str]:
    usual: dict[str, str] = _table()[""]["modules"]
    entries = (entry.partition("=") for entry in _table().get(path, {}).get("modules", "").split())
    return {name: target or usual[name] for name, _, target in entries}


def root_attribute(path: str) -> Any:
    """Returns what `tf` has at a dotted path; raises AttributeError if it has nothing."""
    found: Any = sys.modules[_ROOT]
    for part in path.split(".") if path else ():
        found = public_attribute(found, part)
    return found


def public_attribute(module: Any, name: str) -> Any:
    """Returns an attribute of a public module or class; raises AttributeError without advice, which costs time."""
    if isinstance(module, ModuleType) and name not in vars(module) and name not in _listed(module.__name__):
        raise AttributeError(name)
    return getattr(module, name)


@cache
def _listed(module: str) -> frozenset[str]:
    """Returns the names of a module, with those that it loads when they are used."""
    return frozenset(dir(sys.modules[module]))
