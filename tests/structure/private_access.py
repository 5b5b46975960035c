"""Finds private attributes that a file of the front end takes from objects of another file."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

# Methods of every named tuple, whose names begin with an underscore so that fields may have all others.
_NAMED_TUPLES = {"_asdict", "_fields", "_field_defaults", "_make", "_replace"}


class Access(NamedTuple):
    """An attribute that is taken: the file, its line, the attribute and the object."""

    file: str
    line: int
    attribute: str
    owner: str


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in _NAMED_TUPLES


def _is_own(node: ast.expr) -> bool:
    """Returns True for `self`, `cls` and `super()`."""
    called = node.func if isinstance(node, ast.Call) else node
    return isinstance(called, ast.Name) and called.id in ("self", "cls", "super")


def _defined(tree: ast.Module) -> Iterator[str]:
    """Yields the private names that a file defines: functions, classes, variables, slots and attributes of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_own(node.value):
            yield node.attr
        elif isinstance(node, ast.Assign) and any(ast.unparse(target) == "__slots__" for target in node.targets):
            yield from (item.value for item in ast.walk(node.value) if isinstance(item, ast.Constant))


def accesses(files: Mapping[str, str]) -> list[Access]:
    """Returns the private attributes that files take from objects other than `self`, defined in another file alone.

    Args:
        files: dict from names of files to their sources; those that end in `.pyi` only define.
    """
    trees = {name: ast.parse(source) for name, source in files.items()}
    places = defaultdict(set)
    for name, tree in trees.items():
        for defined in _defined(tree):
            places[defined].add(name)
    return [
        Access(name, node.lineno, node.attr, ast.unparse(node.value))
        for name, tree in trees.items()
        if name.endswith(".py")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and _is_private(node.attr)
        and not _is_own(node.value)
        and node.attr in places
        and name not in places[node.attr]
    ]


def accesses_below(folder: Path) -> list[Access]:
    """Returns those of all files below a folder."""
    paths = sorted(path for path in folder.rglob("*.py*") if path.suffix in (".py", ".pyi"))
    return accesses({path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths})
