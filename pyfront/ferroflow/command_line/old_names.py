"""Names that a program uses and that Python, NumPy, SciPy or ferroflow's mode no longer has, found in its text."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ferroflow.command_line.dropped_names import PYTHON_2_MODULES
from ferroflow.command_line.failure_hints import advice_about

PYTHON_2, DROPPED, EAGER = "Python 2", "dropped", "eager"

# Modules whose names are looked up in what is installed here; importing them does nothing else.
_LOOKED_UP: Final = frozenset(("collections", "inspect", "itertools", "numpy", "string", "sys", "time", "urllib"))
# Of packages that may not be installed here: the names that they have dropped.
_GONE: Final = re.compile(
    r"scipy\.misc\.(imread|imsave|imresize|imrotate|toimage|imshow|imfilter|bytescale)|scipy\.ndimage\.imread|"
    r"sklearn\.(externals|cross_validation|grid_search)(\..*)?|PIL\.Image\.ANTIALIAS"
)
_PYTHON_2_NAMES: Final = frozenset(
    ("basestring", "cmp", "execfile", "long", "raw_input", "reduce", "reload", "unichr", "unicode", "xrange")
)
_PYTHON_2_METHODS: Final = frozenset(("has_key", "iteritems", "iterkeys", "itervalues"))
_NO_EAGER: Final = "the graph holds no values; write session.run(tensor)"


@dataclass(frozen=True)
class Finding:
    """A use of a removed name.

    Attributes:
        line: int, from 1.
        kind: "Python 2", "dropped" or "eager".
        name: str, the removed name.
        advice: str, what to do; "" if nothing is known.
    """

    line: int
    kind: str
    name: str
    advice: str


class _Scan(ast.NodeVisitor):
    def __init__(self, tree: ast.AST) -> None:
        self.found: list[Finding] = []
        self._modules: dict[str, str] = {}
        self._bound: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._bound.add(node.id)
            elif isinstance(node, ast.arg):
                self._bound.add(node.arg)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                self._bound.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self._bound |= {item.asname or item.name.split(".")[0] for item in node.names}

    def _note(self, node: ast.expr | ast.stmt, kind: str, name: str, message: str) -> None:
        self.found.append(Finding(node.lineno, kind, name, advice_about(message) or ""))

    def visit_Try(self, node: ast.Try) -> None:
        """Returns a program that tries an import and has another way is left alone."""
        caught = {n.id for h in node.handlers for n in ast.walk(h.type or h) if isinstance(n, ast.Name)}
        if any(h.type is None for h in node.handlers) or caught & {
            "AttributeError",
            "Exception",
            "ImportError",
            "ModuleNotFoundError",
            "NameError",
        }:
            for part in (*node.handlers, *node.orelse, *node.finalbody):
                self.visit(part)
            return
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for item in node.names:
            self._modules[item.asname or item.name.split(".")[0]] = (
                item.name if item.asname else item.name.split(".")[0]
            )
            self._note_module(node, item.name)

    def _note_module(self, node: ast.stmt, module: str) -> bool:
        message = f"No module named {module!r}"
        if module in PYTHON_2_MODULES:
            self._note(node, PYTHON_2, module, message)
        elif _GONE.fullmatch(module):
            self._note(node, DROPPED, module, message)
        else:
            return False
        return True

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or node.module is None or self._note_module(node, node.module):
            return
        for item in node.names:
            full = f"{node.module}.{item.name}"
            self._modules[item.asname or item.name] = full
            if _is_gone(node.module, item.name):
                self._note(node, DROPPED, full, f"cannot import name {item.name!r} from {node.module!r}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)
        module = self._module_of(node.value)
        if module is None:
            # Old objects' methods; their objects are recognized by the name alone.
            if node.attr in _PYTHON_2_METHODS:
                self._note(node, PYTHON_2, f".{node.attr}", f"'dict' object has no attribute {node.attr!r}")
            elif node.attr == "tostring":
                self._note(node, DROPPED, ".tostring", "'numpy.ndarray' object has no attribute 'tostring'")
        elif _is_gone(module, node.attr) and isinstance(node.ctx, ast.Load):
            name = f"{module}.{node.attr}"
            self._note(node, DROPPED, name, f"module {module!r} has no attribute {node.attr!r}")

    def _module_of(self, node: ast.expr) -> str | None:
        """Returns the module that an expression stands for, as far as imports show."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in self._modules:
            return ".".join([self._modules[node.id], *reversed(parts)])
        return None

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "numpy" and not node.args and not node.keywords:
            self.found.append(Finding(node.lineno, EAGER, ".numpy()", _NO_EAGER))

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in _PYTHON_2_NAMES and node.id not in self._bound:
            self._note(node, PYTHON_2, node.id, f"name {node.id!r} is not defined")


def _is_gone(module: str, name: str) -> bool:
    """Returns whether a module had a name in TensorFlow's time that it lacks now."""
    if _GONE.fullmatch(f"{module}.{name}"):
        return True
    if module not in _LOOKED_UP or name.startswith("_"):
        return False
    known: Any = sys.modules.get(module) or importlib.import_module(module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns about np.bool
        if hasattr(known, name):
            return False
    try:
        importlib.import_module(f"{module}.{name}")
    except ImportError:
        return True
    return False


def old_names(source: str, file: str = "<program>") -> Iterator[Finding]:
    """Yields the uses of removed names, in the order of the source.

    Args:
        source: str, the program.
        file: str, its name, for errors.

    Raises:
        SyntaxError: if the program is not Python 3.
    """
    tree = ast.parse(source, file)
    scan = _Scan(tree)
    scan.visit(tree)
    yield from sorted(scan.found, key=lambda finding: finding.line)
