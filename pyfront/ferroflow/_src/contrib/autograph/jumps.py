"""Rewrites `break`, `continue` and `return` inside of conditionals and loops as conditions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

# The name of the operators' module in converted code.
OPERATORS = "ag__"
BREAK, CONTINUE, DONE, RESULT = "ag__break", "ag__continue", "ag__done", "ag__result"


def _set(name: str, value: ast.expr, like: ast.AST) -> ast.stmt:
    assignment = ast.Assign(targets=[ast.Name(name, ast.Store())], value=value)
    return ast.fix_missing_locations(ast.copy_location(assignment, like))


def _flag(name: str, value: bool, like: ast.AST) -> ast.stmt:
    return _set(name, ast.Constant(value), like)


def _none_of(names: Sequence[str]) -> ast.expr:
    """Returns the expression that is true if no flag is."""
    negated: list[ast.expr] = [ast.UnaryOp(ast.Not(), ast.Name(name, ast.Load())) for name in names]
    return negated[0] if len(negated) == 1 else ast.BoolOp(ast.And(), negated)


class _Jumps(ast.NodeVisitor):
    """Finds the jumps that leave a statement: those of loops and functions inside do not."""

    def __init__(self) -> None:
        self.kinds: set[type[ast.stmt]] = set()
        self._loops = 0

    def visit_Break(self, node: ast.Break) -> None:
        if not self._loops:
            self.kinds.add(ast.Break)

    def visit_Continue(self, node: ast.Continue) -> None:
        if not self._loops:
            self.kinds.add(ast.Continue)

    def visit_Return(self, node: ast.Return) -> None:
        self.kinds.add(ast.Return)

    def _loop(self, node: ast.While | ast.For) -> None:
        self._loops += 1
        for statement in node.body:
            self.visit(statement)
        self._loops -= 1
        for statement in node.orelse:
            self.visit(statement)

    visit_While = visit_For = _loop  # names of ast

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        pass

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        pass


def jumps(statements: Sequence[ast.stmt]) -> set[type[ast.stmt]]:
    """Returns the kinds of jumps (Break, Continue, Return) that leave the statements."""
    finder = _Jumps()
    for statement in statements:
        finder.visit(statement)
    return finder.kinds


class JumpRewriter:
    """Rewrites the body of one function; each loop has flags of its own."""

    def __init__(self) -> None:
        self._loops = 0

    def function_body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Returns the body with at most one `return`, at its end."""
        statements = _with_else(statements)
        if not _needs_result(statements):
            *others, last_one = statements
            return (
                [*self._block(others, None), last_one]
                if isinstance(last_one, ast.Return)
                else self._block(statements, None)
            )
        first = statements[0]
        body = self._block(statements, None)
        returned = ast.Attribute(ast.Name(OPERATORS, ast.Load()), "returned", ast.Load())
        last = ast.Return(value=ast.Call(func=returned, args=[ast.Name(RESULT, ast.Load())], keywords=[]))
        return [_flag(DONE, False, first), *body, ast.fix_missing_locations(ast.copy_location(last, statements[-1]))]

    def _block(self, statements: Sequence[ast.stmt], loop: int | None) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for i, statement in enumerate(statements):
            leaving = jumps([statement])
            made += self._statement(statement, loop)
            rest = statements[i + 1 :]
            if not leaving or not rest:
                if leaving and isinstance(statement, ast.Break | ast.Continue | ast.Return):
                    break
                continue
            if isinstance(statement, ast.Break | ast.Continue | ast.Return):
                break
            flags = [f"{BREAK}{loop}"] * (ast.Break in leaving) + [f"{CONTINUE}{loop}"] * (ast.Continue in leaving)
            flags += [DONE] * (ast.Return in leaving)
            guarded = ast.If(test=_none_of(flags), body=self._block(rest, loop), orelse=[])
            made.append(ast.fix_missing_locations(ast.copy_location(guarded, rest[0])))
            break
        return made

    def _statement(self, statement: ast.stmt, loop: int | None) -> list[ast.stmt]:
        if isinstance(statement, ast.Break):
            return [_flag(f"{BREAK}{loop}", True, statement)]
        if isinstance(statement, ast.Continue):
            return [_flag(f"{CONTINUE}{loop}", True, statement)]
        if isinstance(statement, ast.Return):
            value = statement.value or ast.Constant(None)
            return [_set(RESULT, value, statement), _flag(DONE, True, statement)]
        if isinstance(statement, ast.While | ast.For):
            return self._loop(statement)
        if isinstance(statement, ast.If):
            statement.body = self._block(statement.body, loop)
            statement.orelse = self._block(statement.orelse, loop)
        elif isinstance(statement, ast.With):
            statement.body = self._block(statement.body, loop)
        elif jumps([statement]):
            raise NotImplementedError(
                f"AutoGraph: line {statement.lineno}: `break`, `continue` and `return` inside of "
                f"`{type(statement).__name__.lower()}` are not converted."
            )
        return [statement]

    def _loop(self, loop: ast.While | ast.For) -> list[ast.stmt]:
        leaving = jumps(loop.body)
        self._loops += 1
        number = self._loops
        before: list[ast.stmt] = []
        stops = []
        if ast.Break in leaving:
            before.append(_flag(f"{BREAK}{number}", False, loop))
            stops.append(f"{BREAK}{number}")
        if ast.Return in leaving:
            stops.append(DONE)
        body = self._block(loop.body, number)
        if ast.Continue in leaving:
            body.insert(0, _flag(f"{CONTINUE}{number}", False, loop))
        otherwise = self._block(loop.orelse, None)
        loop.body, loop.orelse = body or [ast.Pass()], []
        if stops and isinstance(loop, ast.While):
            loop.test = ast.BoolOp(ast.And(), [_none_of(stops), loop.test])
        elif stops:
            loop.extra_test = _none_of(stops)  # type: ignore[union-attr]  # read by the converter
        if otherwise and stops:
            otherwise = [ast.If(test=_none_of(stops), body=otherwise, orelse=[])]
        made = [*before, loop, *otherwise]
        for statement in made:
            ast.fix_missing_locations(ast.copy_location(statement, loop))
        return made


def _needs_result(statements: Sequence[ast.stmt]) -> bool:
    """Returns True if there is a `return` elsewhere than at the end."""
    if not statements:
        return False
    *others, last = statements
    return ast.Return in jumps(others) or (not isinstance(last, ast.Return) and ast.Return in jumps([last]))


def _with_else(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Moves what follows a branch that ends in `return` to the other branch, so that both give a result."""
    for i, statement in enumerate(statements):
        if not isinstance(statement, ast.If):
            continue
        rest = statements[i + 1 :]
        body, orelse = _with_else(statement.body), _with_else(statement.orelse)
        if _returns(body) and rest:
            orelse, rest = _with_else([*orelse, *rest]), []
        elif _returns(orelse) and rest:
            body, rest = _with_else([*body, *rest]), []
        statement.body, statement.orelse = body, orelse
        if not rest:
            return statements[: i + 1]
    return statements


def _returns(statements: Sequence[ast.stmt]) -> bool:
    """Returns True if the statements always end in `return`."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return _returns(last.body) and _returns(last.orelse)
    return isinstance(last, ast.Return | ast.Raise)
