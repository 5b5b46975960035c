"""Every op that the Python package builds is one that the engine has."""

import ast
from collections.abc import Iterator
from pathlib import Path

from ferroflow import _core

SOURCES = Path(__file__).resolve().parents[2] / "pyfront" / "ferroflow"
# Functions whose first argument is the op's type.
_BUILDERS = {"tensor_op", "apply_op", "create_op", "term", "_op"}
# Functions of the family modules that make public functions from (public name, op type, ...).
_MAKERS = {"_unary", "_binary", "_cumulative", "_sparse_segment", "_update", "_scatter", "_scatter_nd"}


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def built_ops(path: Path) -> Iterator[tuple[str, int]]:
    """The op types that a file names where it builds them, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        place = 0 if _called(node) in _BUILDERS else 1 if _called(node) in _MAKERS else None
        if place is None or len(node.args) <= place:
            continue
        if isinstance(node.args[place], ast.JoinedStr):
            # A name put together from an op that its maker names.
            continue
        for value in ast.walk(node.args[place]):
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value[:1].isupper():
                yield value.value, value.lineno


def test_every_op_that_is_built_is_registered() -> None:
    registered = set(_core.op_names())
    found = [(path, op, line) for path in sorted(SOURCES.rglob("*.py")) for op, line in built_ops(path)]
    assert len(found) > 300
    missing = [f"{path.relative_to(SOURCES)}:{line} {op}" for path, op, line in found if op not in registered]
    assert missing == []
