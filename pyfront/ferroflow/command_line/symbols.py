"""TensorFlow's names in a program's source: which it uses, which it calls with which arguments, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_ROOT = "tensorflow"
_SHORT = "tf"
_KERAS = "keras"


def _is_known(module: str) -> bool:
    """Returns whether a module is TensorFlow's or Keras's."""
    return module.split(".")[0] in (_ROOT, _KERAS)


def _public(name: str) -> str:
    """`tensorflow.compat.v1.nn.relu` as `tf.nn.relu`; names of Keras as they are."""
    if not name.startswith(_ROOT):
        return name
    rest = name[len(_ROOT) :]
    while rest == ".compat.v1" or rest.startswith(".compat.v1."):
        rest = rest[len(".compat.v1") :]
    return _SHORT + rest


class _Scan(ast.NodeVisitor):
    """Scan of a file's top-level bindings for names that stand for TensorFlow, its modules, or their members."""

    def __init__(self) -> None:
        self.aliases: dict[str, str] = {}
        self.found: list[tuple[str, int]] = []
        self.calls: list[tuple[str, str, int]] = []
        # TensorFlow's names to which the program assigns its own objects.
        self.replaced: set[str] = set()

    def visit_Import(self, node: ast.Import) -> None:
        for item in node.names:
            if _is_known(item.name):
                root = item.name.split(".")[0]
                self.aliases[item.asname or root] = item.name if item.asname else root
                if item.name != _ROOT:
                    self.found.append((_public(item.name), node.lineno))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level or not _is_known(module):
            return
        for item in node.names:
            if item.name != "*":
                self.aliases[item.asname or item.name] = f"{module}.{item.name}"
                self.found.append((_public(f"{module}.{item.name}"), node.lineno))

    def visit_Assign(self, node: ast.Assign) -> None:
        name = self._name_of(node.value)
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                self.replaced.add(_public(self._name_of(target) or ""))
            if isinstance(target, ast.Name):
                if name is not None:
                    self.aliases[target.id] = name
                else:
                    self.aliases.pop(target.id, None)
        self.generic_visit(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        given = node.args
        parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        hidden = {p.arg: self.aliases.pop(p.arg) for p in parameters if p is not None and p.arg in self.aliases}
        self.generic_visit(node)
        self.aliases.update(hidden)

    visit_FunctionDef = _visit_function
    visit_AsyncFunctionDef = _visit_function
    visit_Lambda = _visit_function

    def visit_Call(self, node: ast.Call) -> None:
        name = self._name_of(node.func)
        if name is not None:
            self.calls += [(_public(name), word.arg, word.value.lineno) for word in node.keywords if word.arg]
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self._name_of(node)
        if name is None:
            self.generic_visit(node)
        else:
            self.found.append((_public(name), node.lineno))

    def _name_of(self, node: ast.AST) -> str | None:
        """Returns the full name that an expression stands for, if it is one of TensorFlow's."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in self.aliases:
            return ".".join([self.aliases[node.id], *reversed(parts)])
        return None


def uses(source: str, file: str = "<program>") -> Iterator[tuple[str, int]]:
    """Lists the uses of TensorFlow's names in a program.

    Args:
        source: str, the program.
        file: str, its name, for errors.

    Yields:
        (name as `tf.nn.relu` or `keras.layers.Dense`, line), in the order of the source.

    Raises:
        SyntaxError: if the source is not Python 3.
    """
    scan = _Scan()
    scan.visit(ast.parse(source, file))
    yield from sorted(scan.found, key=lambda use: use[1])


def calls(source: str, file: str = "<program>") -> Iterator[tuple[str, str, int]]:
    """Lists the arguments that a program gives by name to what has one of TensorFlow's names.

    Args:
        source: str, the program.
        file: str, its name, for errors.

    Yields:
        (name as `tf.layers.dense`, name of the argument, line), in the order of the source.

    Raises:
        SyntaxError: if the source is not Python 3.
    """
    scan = _Scan()
    scan.visit(ast.parse(source, file))
    yield from sorted((call for call in scan.calls if call[0] not in scan.replaced), key=lambda call: call[2])
