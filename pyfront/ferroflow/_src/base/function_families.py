"""Functions that share a body, a signature and a documentation, and differ in one value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, Concatenate, Final, Generic, ParamSpec, TypeVar, cast

from ferroflow._src.base.docstrings import document

_Value = TypeVar("_Value")
_Arguments = ParamSpec("_Arguments")
_Returned = TypeVar("_Returned")
_Body = Callable[..., Any]
_Function = TypeVar("_Function", bound=_Body)
_Class = TypeVar("_Class")


# The code of functions that do nothing but call another one, such as all members of families.
_forwarding: set[CodeType] = set()


def mark_as_forwarding(code: CodeType) -> None:
    """Marks code whose frames stand between a function's and its caller's.

    Args:
        code: code object of a function that calls another one with its own arguments.
    """
    _forwarding.add(code)


def forwards(code: CodeType) -> bool:
    """Returns True if frames of this code stand between a function's and its caller's, as those of members do.

    Args:
        code: code object of a frame.

    Returns:
        bool.
    """
    return code in _forwarding


def _with_defaults(function: _Function, **defaults: object) -> _Function:
    """Returns a copy of a Python function with other defaults.

    Args:
        function: a Python function.
        **defaults: the new defaults of parameters that already have one.

    Returns:
        A Python function of the same code.

    Raises:
        TypeError: if a name is not that of a parameter with a default.
    """
    assert isinstance(function, FunctionType)
    given = function.__defaults__ or ()
    code = function.__code__
    names = code.co_varnames[code.co_argcount - len(given) : code.co_argcount]
    unknown = sorted(defaults.keys() - set(names))
    if unknown:
        raise TypeError(f"{function.__qualname__} has no parameter with a default of the name {unknown[0]!r}")
    in_order = tuple(defaults.get(name, value) for name, value in zip(names, given, strict=True))
    copied: Any = FunctionType(code, function.__globals__, function.__name__, in_order, function.__closure__)
    copied.__qualname__, copied.__doc__ = function.__qualname__, function.__doc__
    copied.__annotations__, copied.__kwdefaults__ = function.__annotations__, function.__kwdefaults__
    return cast("_Function", copied)


def constructor_defaults(**defaults: object) -> Callable[[type[_Class]], type[_Class]]:
    """Returns a decorator of classes whose constructor is that of a base with other defaults.

    Type checkers see the constructor of the base.

    Args:
        **defaults: the new defaults of parameters that already have one.

    Returns:
        The decorator. It raises TypeError if a name is not that of a parameter with a default.
    """

    def decorate(of_class: type[_Class]) -> type[_Class]:
        constructor: Any = of_class
        constructor.__init__ = _with_defaults(constructor.__init__, **defaults)
        return of_class

    return decorate


class FunctionFamily(Generic[_Value, _Arguments, _Returned]):
    """A decorator of a function whose first argument is fixed for each public function that is made from it.

    Type checkers see the other parameters of the decorated function, with their names, types and defaults, and so does
    `inspect`. The docstring may have fields, such as `{what}`:

        @FunctionFamily
        def _unary(op_type: str, x: TensorLike, name: str | None = None) -> Tensor:
            '''Computes {what}, element by element.'''
            return tensor_op(op_type, [x], name=name)

        exp = _unary("exp", "Exp", what="e to the power of `x`")

    Args:
        body: a Python function.

    Raises:
        TypeError: if `body` is no Python function, or has parameters that are only positional, only by name, or
            variadic.
    """

    def __init__(self, body: Callable[Concatenate[_Value, _Arguments], _Returned]) -> None:
        code = body.__code__ if isinstance(body, FunctionType) else None
        if code is None or code.co_posonlyargcount or code.co_kwonlyargcount or code.co_flags & _VARIADIC:
            raise TypeError(f"A family is made of a Python function of plain parameters, not of {body!r}.")
        self._body = body
        self._names = names = code.co_varnames[1 : code.co_argcount]
        self._forward = _FORWARD.get(len(names), _forward_any)
        # `inspect` reads the source of a member where its body is; the names of parameters are the body's.
        forwarding: CodeType = self._forward(body, None).__code__
        self._code = forwarding.replace(
            co_name=code.co_name,
            co_filename=code.co_filename,
            co_firstlineno=code.co_firstlineno,
            co_varnames=names if forwarding.co_argcount else forwarding.co_varnames,
        )
        kept = {*names, "return"}
        mark_as_forwarding(self._code)
        self._annotations = {name: kind for name, kind in body.__annotations__.items() if name in kept}

    def __call__(
        self, public_name: str, value: _Value, defaults: Mapping[str, object] | None = None, /, **fields: str
    ) -> Callable[_Arguments, _Returned]:
        """Makes a function of the family.

        Args:
            public_name: str, its name; that of a method is qualified, such as "Variable.scatter_add".
            value: the first argument of the decorated function.
            defaults: dict from names of parameters to the defaults that differ from those of the decorated function.
            **fields: str, the texts for the fields of the docstring; `name` and `value` are set.

        Returns:
            A Python function.

        Raises:
            KeyError: if the docstring has a field that `fields` lacks.
        """
        body, names = self._body, self._names
        given = body.__defaults__ or ()
        own = dict(zip(names[len(names) - len(given) :], given, strict=True)) | dict(defaults or {})
        in_order = tuple(own[name] for name in names if name in own)
        if self._forward is _forward_any:
            body = FunctionType(body.__code__, body.__globals__, public_name, in_order, body.__closure__)
            body.__annotations__ = self._body.__annotations__
            body.__qualname__, body.__doc__ = public_name, self._body.__doc__
        function: Any = self._forward(body, value)
        function.__code__ = self._code
        function.__name__, function.__qualname__ = public_name.rpartition(".")[2], public_name
        function.__module__ = body.__module__
        document(function, body.__doc__ and body.__doc__.format_map({"name": public_name, "value": value, **fields}))
        function.__annotations__ = dict(self._annotations)
        if self._forward is _forward_any:
            signature = inspect.signature(body)
            function.__signature__ = signature.replace(parameters=[*signature.parameters.values()][1:])
        else:
            function.__defaults__ = in_order
        made: Callable[_Arguments, _Returned] = function
        return made


# Most functions of graphs have few parameters, and a model calls them thousands of times: to forward parameters one by
# one takes a quarter of the time that `*args, **kwargs` take. The names of these are replaced.


def _forward_1(body: _Body, value: object) -> _Body:
    def function(a: Any) -> Any:
        return body(value, a)

    return function


def _forward_2(body: _Body, value: object) -> _Body:
    def function(a: Any, b: Any) -> Any:
        return body(value, a, b)

    return function


def _forward_3(body: _Body, value: object) -> _Body:
    def function(a: Any, b: Any, c: Any) -> Any:
        return body(value, a, b, c)

    return function


def _forward_4(body: _Body, value: object) -> _Body:
    def function(a: Any, b: Any, c: Any, d: Any) -> Any:
        return body(value, a, b, c, d)

    return function


def _forward_5(body: _Body, value: object) -> _Body:
    def function(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        return body(value, a, b, c, d, e)

    return function


def _forward_6(body: _Body, value: object) -> _Body:
    def function(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
        return body(value, a, b, c, d, e, f)

    return function


def _forward_any(body: _Body, value: object) -> _Body:
    def function(*args: Any, **kwargs: Any) -> Any:
        return body(value, *args, **kwargs)

    return function


_FORWARD: Final = {1: _forward_1, 2: _forward_2, 3: _forward_3, 4: _forward_4, 5: _forward_5, 6: _forward_6}
_VARIADIC: Final = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
