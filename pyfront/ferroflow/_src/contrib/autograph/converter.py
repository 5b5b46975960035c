"""`convert_code`: makes of a Python function one whose control flow can depend on tensors."""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
import types
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.contrib.autograph import names_of_code as names
from ferroflow._src.contrib.autograph.jumps import OPERATORS, JumpRewriter


def _name(identifier: str) -> ast.expr:
    return ast.Name(identifier, ast.Load())


def _operator(operator: str, *arguments: ast.expr) -> ast.expr:
    function = ast.Attribute(_name(OPERATORS), operator, ast.Load())
    return ast.Call(func=function, args=list(arguments), keywords=[])


def _tuple(elements: Sequence[str]) -> ast.expr:
    return ast.Tuple([_name(e) for e in elements], ast.Load())


def _texts(elements: Sequence[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(e) for e in elements], ast.Load())


def _parameters(identifiers: Sequence[str]) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[], args=[ast.arg(i) for i in identifiers], kwonlyargs=[], kw_defaults=[], defaults=[]
    )


def _thunk(value: ast.expr) -> ast.expr:
    return ast.Lambda(args=_parameters([]), body=value)


def _definition(name: str, parameters: Sequence[str], body: Sequence[ast.stmt]) -> ast.FunctionDef:
    """Returns the definition of a function; it has all fields that this version of Python needs."""
    made = ast.parse(f"def {name}({', '.join(parameters)}): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.body = list(body)
    return made


def _define(name: str, parameters: Sequence[str], body: Sequence[ast.stmt], results: Sequence[str]) -> ast.stmt:
    return _definition(name, parameters, [*body, ast.Return(_tuple(results))])


def _assign(targets: Sequence[str], value: ast.expr) -> ast.stmt:
    if not targets:
        return ast.Expr(value)
    return ast.Assign(targets=[ast.Tuple([ast.Name(t, ast.Store()) for t in targets], ast.Store())], value=value)


class _Expressions(ast.NodeTransformer):
    """Replaces operators and calls in expressions by functions that also take tensors."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        operator = "and_" if isinstance(node.op, ast.And) else "or_"
        values: list[ast.expr] = [self.visit(value) for value in node.values]
        result = values[-1]
        for value in reversed(values[:-1]):
            result = _operator(operator, _thunk(value), _thunk(result))
        return ast.copy_location(result, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return ast.copy_location(_operator("not_", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            return node
        operator = "eq" if isinstance(node.ops[0], ast.Eq) else "not_eq"
        return ast.copy_location(_operator(operator, node.left, node.comparators[0]), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return ast.copy_location(_operator("if_exp", node.test, _thunk(node.body), _thunk(node.orelse)), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "globals", "vars"):
            return node
        function = ast.Call(
            func=ast.Attribute(_name(OPERATORS), "converted", ast.Load()), args=[node.func], keywords=[]
        )
        return ast.copy_location(ast.Call(func=function, args=node.args, keywords=node.keywords), node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        node.body = self.visit(node.body)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node


class _Statements:
    """Converts the statements of one function."""

    def __init__(self) -> None:
        self._made = 0
        self.locals: set[str] = set()

    def _new(self, what: str) -> str:
        self._made += 1
        return f"{OPERATORS}{what}{self._made}"

    def block(self, statements: Sequence[ast.stmt], live: set[str]) -> list[ast.stmt]:
        """Converts statements, after which the values of the names `live` are needed."""
        blocks = []
        for statement in reversed(statements):
            before = names.live_before([statement], live)
            made = self._statement(statement, live)
            for new in made:
                ast.fix_missing_locations(ast.copy_location(new, statement))
            blocks.append(made)
            live = before
        return [new for made in reversed(blocks) for new in made]

    def _statement(self, statement: ast.stmt, live: set[str]) -> list[ast.stmt]:
        if isinstance(statement, ast.If):
            return self._if(statement, live)
        if isinstance(statement, ast.While | ast.For):
            return self._loop(statement, live)
        if isinstance(statement, ast.With):
            statement.items = [_Expressions().visit(item) for item in statement.items]
            statement.body = self.block(statement.body, live)
        elif isinstance(statement, ast.Try):
            # A handler's names are needed at any place of the body.
            inside = live | names.read([statement])
            statement.body = self.block(statement.body, inside)
            for handler in statement.handlers:
                handler.body = self.block(handler.body, inside)
            statement.orelse = self.block(statement.orelse, inside)
            statement.finalbody = self.block(statement.finalbody, inside)
        elif isinstance(statement, ast.FunctionDef):
            converted_function(statement)
        elif isinstance(statement, ast.Assert):
            message = statement.msg or ast.Constant("")
            test = _Expressions().visit(statement.test)
            return [ast.Expr(_operator("assert_", test, _thunk(_Expressions().visit(message))))]
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return [ast.Expr(_operator("after", _thunk(_Expressions().visit(statement.value))))]
        elif not isinstance(statement, ast.ClassDef):
            return [_Expressions().visit(statement)]
        return [statement]

    def _if(self, statement: ast.If, live: set[str]) -> list[ast.stmt]:
        both = [*statement.body, *statement.orelse]
        changed = names.assigned(both)
        needed = names.live_before(statement.body, live) | names.live_before(statement.orelse, live)
        results, state = sorted(changed & live), sorted(changed & (needed | live))
        self.locals |= set(state)
        body, orelse = self._new("if"), self._new("else")
        attributes = names.assigned_attributes(both)
        call = _operator(
            "if_stmt", _Expressions().visit(statement.test), _name(body), _name(orelse), _tuple(state),
            _texts(results), _texts(attributes),
        )  # fmt: skip
        return [
            _define(body, state, self.block(statement.body, live), results),
            _define(orelse, state, self.block(statement.orelse, live), results),
            _assign(results, call),
        ]

    def _loop(self, loop: ast.While | ast.For, live: set[str]) -> list[ast.stmt]:
        extra = getattr(loop, "extra_test", None)
        at_head = names.live_in_loop(loop, live | names.read([extra]))
        changed = names.assigned(loop.body)
        target = loop.target if isinstance(loop, ast.For) else None
        if target is not None:
            changed |= names.assigned([target]) & live
        state = sorted(changed & at_head)
        self.locals |= set(state)
        test, body = self._new("test"), self._new("body")
        attributes = names.assigned_attributes(loop.body)
        inner = self.block(loop.body, at_head)
        condition = loop.test if isinstance(loop, ast.While) else extra or ast.Constant(True)
        made: list[ast.stmt] = [_definition(test, state, [ast.Return(_Expressions().visit(condition))])]
        parameters = state
        if target is not None:
            item = self._new("item")
            parameters = [item, *state]
            inner.insert(0, ast.Assign(targets=[target], value=_name(item)))
        made.append(_define(body, parameters, inner, state))
        rest = [_name(body), _tuple(state), _texts(state), _texts(attributes)]
        if isinstance(loop, ast.While):
            call = _operator("while_stmt", _name(test), *rest)
        else:
            iterated = _Expressions().visit(loop.iter)
            call = _operator("for_stmt", iterated, _name(test) if extra is not None else ast.Constant(None), *rest)
        return [*made, _assign(state, call)]


def converted_function(node: ast.FunctionDef) -> None:
    """Converts a function definition in place."""
    if any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(node)):
        raise NotImplementedError(f"AutoGraph: {node.name} is a generator or a coroutine, which are not converted.")
    if any(isinstance(n, ast.Global | ast.Nonlocal) for n in ast.walk(node)):
        raise NotImplementedError(f"AutoGraph: {node.name} has `global` or `nonlocal` names, which are not converted.")
    arguments = node.args
    parameters = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    parameters |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
    converter = _Statements()
    body = converter.block(JumpRewriter().function_body(node.body), set())
    undefined = [
        ast.Assign(targets=[ast.Name(n, ast.Store())], value=_operator("Undefined", ast.Constant(n)))
        for n in sorted(converter.locals - parameters)
    ]
    for statement in undefined:
        ast.fix_missing_locations(ast.copy_location(statement, node))
    node.body = [*undefined, *body]


def parsed(function: Callable[..., Any]) -> ast.FunctionDef:
    """Returns the definition of a function, with the line numbers of its file.

    Raises:
        NotImplementedError: if its source is not known, or it is a lambda.
    """
    try:
        source = textwrap.dedent(inspect.getsource(function))
        definition = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError) as failure:
        raise NotImplementedError(f"AutoGraph: the source of {function!r} could not be read: {failure}") from None
    if not isinstance(definition, ast.FunctionDef):
        raise NotImplementedError(f"AutoGraph: {function!r} is not defined by a `def` statement.")
    ast.increment_lineno(definition, function.__code__.co_firstlineno - 1)
    definition.decorator_list = []
    return definition


def converted_definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """Returns the converted definition of a function."""
    definition = copy.deepcopy(parsed(function))
    converted_function(definition)
    return definition


def convert_code(function: types.FunctionType, operators: Any) -> types.FunctionType:
    """Returns the converted function; it shares the globals and the closure of the given one.

    Args:
        function: the function.
        operators: the object with the functions that converted code calls.

    Raises:
        NotImplementedError: if the function cannot be converted.
    """
    definition = converted_definition(function)
    free = function.__code__.co_freevars
    # A function around it makes the names of the closure free.
    outer = _definition(f"{OPERATORS}outer", [OPERATORS, *free], [definition, ast.Return(_name(definition.name))])
    # The defaults themselves are taken from the function; their expressions may need names of another scope.
    arguments = definition.args
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [None if d is None else ast.Constant(None) for d in arguments.kw_defaults]
    module = ast.Module(body=[ast.fix_missing_locations(ast.copy_location(outer, definition))], type_ignores=[])
    compiled = compile(module, function.__code__.co_filename, "exec")
    code = _inner_code(_inner_code(compiled, outer.name), definition.name)
    cells = dict(zip(free, function.__closure__ or (), strict=True))
    cells[OPERATORS] = types.CellType(operators)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__doc__, made.__module__, made.__qualname__ = function.__doc__, function.__module__, function.__qualname__
    return made


def _inner_code(code: types.CodeType, name: str) -> types.CodeType:
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)
