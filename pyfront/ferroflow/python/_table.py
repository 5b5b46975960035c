"""Virtual modules: every module that TensorFlow 1.8 or 1.15 has below `tensorflow.python` and `tensorflow.contrib`."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from ferroflow._src.base.absent_names import absent

__all__ = ["below", "is_known", "members", "passed_on", "public_names", "root_attribute", "serve", "submodule"]

_ROOT = "ferroflow"
# The object that a family ("python", "contrib") has under a name of a module: given the module's path and the name, the
# object. Raises AttributeError where it has nothing.
Lookup = Callable[[str, str], Any]
_LOOKUPS: dict[str, Lookup] = {}
_EXTRA: set[str] = set()


@cache
def _table() -> dict[str, dict[str, Any]]:
    """By module: "names", the public names of what it defines, "modules", those that it imports, and "functions"."""
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
    return path in _known() or (path.startswith("python.ops.gen_") and path.endswith("_ops") and path.count(".") == 2)


def below(path: str) -> set[str]:
    """Returns the names of the modules directly in a package."""
    return {known[len(path) + 1 :].partition(".")[0] for known in _known() if known.startswith(f"{path}.")}


def members(path: str) -> tuple[str, ...]:
    """Returns the names with a public name that TensorFlow's module defines."""
    return tuple(_table().get(path, {}).get("names", ()))


def public_names(path: str, name: str) -> tuple[str, ...]:
    """Returns where a name that a module defines is public in TensorFlow, such as ("math.add", "add")."""
    return tuple(_table().get(path, {}).get("names", {}).get(name, "").split())


def passed_on(path: str, name: str) -> ModuleType | None:
    """Returns the module that TensorFlow's module imports under a name; None for none."""
    target = _passed_on(path).get(name)
    return importlib.import_module(f"{_ROOT}.{target}") if target is not None and is_known(target) else None


def _functions(path: str) -> list[str]:
    """Returns the names under which a package has something else than its module of that name."""
    names: str = _table().get(path, {}).get("functions", "")
    return names.split()


@cache
def _passed_on(path: str) -> dict[str, str]:
    usual: dict[str, str] = _table()[""]["modules"]
    entries = (entry.partition("=") for entry in _table().get(path, {}).get("modules", "").split())
    return {name: target or usual[name] for name, _, target in entries}


def root_attribute(path: str) -> Any:
    """Returns what `tf` has at a dotted path; raises AttributeError where it has nothing."""
    found: Any = sys.modules[_ROOT]
    for part in path.split(".") if path else ():
        found = getattr(found, part)
    return found


class _Module(ModuleType):
    """A module or package at TensorFlow's path; it finds names when they are asked for."""

    def __getattr__(self, name: str) -> Any:
        path = self.__name__.removeprefix(f"{_ROOT}.")
        if name.startswith("__") and name != "__version__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = submodule(path, name)
        if found is None:
            found = passed_on(path, name)
        if found is None:
            family = path.partition(".")[0]
            try:
                found = _LOOKUPS[family](path, name)
            except AttributeError as failure:
                raise absent(self.__name__, name) from failure.__cause__
        setattr(self, name, found)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        # The import of a module sets it as an attribute of its package, which may have a function of that name.
        if not (isinstance(value, ModuleType) and name in _functions(self.__name__.removeprefix(f"{_ROOT}."))):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        path = self.__name__.removeprefix(f"{_ROOT}.")
        return sorted({*self.__dict__, *members(path), *below(path)})


def submodule(path: str, name: str) -> ModuleType | None:
    """Returns the module `name` of the package `path`; None where the package has none, or a function instead."""
    inner = f"{path}.{name}"
    if name in _functions(path):
        return None
    return importlib.import_module(f"{_ROOT}.{inner}") if is_known(inner) else None


class _Finder:
    """Makes the modules when they are imported."""

    @classmethod
    def find_spec(cls, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        root, _, inner = fullname.partition(".")
        if root != _ROOT or inner.partition(".")[0] not in _LOOKUPS or not is_known(inner):
            return None
        return ModuleSpec(fullname, cls, is_package=True)  # type: ignore[arg-type]  # a class is its own loader

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name, f"The names of TensorFlow 1.x's `tensorflow{spec.name[len(_ROOT) :]}`.")

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Nothing: names are found when they are asked for."""


def serve(family: str, lookup: Lookup, extra: Sequence[str] = ()) -> None:
    """Makes the modules of a family importable; modules that are files come first.

    Args:
        family: str, "python" or "contrib".
        lookup: function of a module's path and a name, which returns the object or raises AttributeError.
        extra: sequence of str, paths of modules beside those of the table.
    """
    _LOOKUPS[family] = lookup
    _EXTRA.update(extra)
    _known.cache_clear()
    if _Finder not in sys.meta_path:
        files = next((i for i, finder in enumerate(sys.meta_path) if finder is PathFinder), len(sys.meta_path) - 1)
        sys.meta_path.insert(files + 1, _Finder)
