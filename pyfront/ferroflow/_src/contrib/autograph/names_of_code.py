"""The names that Python statements read and assign, and those that are needed later."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def assigned(nodes: Iterable[ast.AST]) -> set[str]:
    """Returns the local names that the nodes assign, without those of functions and comprehensions inside."""
    found: set[str] = set()
    for node in _own(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


def assigned_attributes(nodes: Iterable[ast.AST]) -> list[str]:
    """Returns the attributes that the nodes assign, as text: `self.x`."""
    stored = (n for n in _own(nodes) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load))
    return sorted({ast.unparse(node) for node in stored})


def _own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Walks nodes; functions and classes are visited, but not what is inside of them, nor are comprehensions."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _Scope):
            waiting += getattr(node, "decorator_list", [])
        elif not isinstance(node, _COMPREHENSIONS):
            waiting += ast.iter_child_nodes(node)


def read(nodes: Iterable[ast.AST | None]) -> set[str]:
    """Returns all names that the nodes read, those of functions and comprehensions inside included."""
    return {
        n.id
        for node in nodes
        if node is not None
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }


def live_before(statements: Sequence[ast.stmt], after: set[str]) -> set[str]:
    """Returns the names whose values are needed before statements, given those that are needed after them."""
    live = set(after)
    for statement in reversed(statements):
        live = _live_before_one(statement, live)
    return live


def live_in_loop(loop: ast.While | ast.For, after: set[str]) -> set[str]:
    """Returns the names whose values are needed at the beginning of each iteration."""
    head = loop.test if isinstance(loop, ast.While) else None
    target = loop.target if isinstance(loop, ast.For) else None
    names = assigned([target]) if target is not None else set()
    live = set(after) | read([head]) | read([target])
    while True:
        wider = live | (live_before(loop.body, live) - names)
        if wider == live:
            return live
        live = wider


def _live_before_one(statement: ast.stmt, after: set[str]) -> set[str]:
    if isinstance(statement, ast.Return | ast.Raise):
        return read([statement])
    if isinstance(statement, ast.If):
        branches = live_before(statement.body, after) | live_before(statement.orelse, after)
        return branches | read([statement.test])
    if isinstance(statement, ast.While):
        return live_in_loop(statement, after) | live_before(statement.orelse, after)
    if isinstance(statement, ast.For):
        return live_in_loop(statement, after) | live_before(statement.orelse, after) | read([statement.iter])
    if isinstance(statement, ast.With):
        return live_before(statement.body, after - assigned(statement.items)) | read(statement.items)
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return (after - assigned([statement])) | read([statement])
    if isinstance(statement, ast.AugAssign):
        return after | assigned([statement]) | read([statement])
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return (after - {statement.name}) | read([statement])
    # A `try` may end at any of its statements.
    return after | read([statement])
