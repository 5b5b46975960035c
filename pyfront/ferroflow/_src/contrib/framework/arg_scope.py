"""`arg_scope`: defaults for arguments of chosen functions, in effect inside a `with` block."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
Scope = dict[Any, dict[str, Any]]

# The current scopes, the innermost last: from functions' keys to their defaults.
_SCOPES: list[Scope] = [{}]


def _key(function: Callable[..., Any]) -> Any:
    return getattr(function, "_key_op", None)


def current_arg_scope() -> Scope:
    """Returns the current scope, to be opened again with `arg_scope`.

    Returns:
        Dict from keys of functions to dicts of defaults by argument; it is not to be changed.
    """
    return _SCOPES[-1]


def arg_scope_func_key(op: Callable[..., Any]) -> Any:
    """Returns the key under which scopes keep the defaults of a function.

    Args:
        op: a Python function.

    Returns:
        str; for a function that is not decorated with `add_arg_scope`, its text.
    """
    return getattr(op, "_key_op", str(op))


def has_arg_scope(func: Callable[..., Any]) -> bool:
    """Returns True if a function is decorated with `add_arg_scope`, so that scopes set its defaults.

    Args:
        func: a Python function.

    Returns:
        bool.
    """
    return _key(func) is not None


def arg_scoped_arguments(func: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of the arguments of a function that a scope can set: those with defaults.

    Args:
        func: a Python function that is decorated with `add_arg_scope`.

    Returns:
        Tuple of str, in the order of the signature.

    Raises:
        ValueError: if the function is not decorated with `add_arg_scope`.
    """
    if not has_arg_scope(func):
        raise ValueError(f"{(func.__module__, func.__name__)} is not decorated with @add_arg_scope")
    names: tuple[str, ...] = getattr(func, "_scoped_arguments", ())
    return names


@contextlib.contextmanager
def arg_scope(list_ops_or_scope: object, **kwargs: Any) -> Iterator[Scope]:
    """Sets other defaults for arguments of some functions in a `with` block.

    Args:
        list_ops_or_scope: list or tuple of functions that are decorated with `add_arg_scope`; or a scope to open again.
        **kwargs: the defaults; they add to those of the scopes around.

    Returns:
        On entry, the scope.

    Raises:
        TypeError: if `list_ops_or_scope` is neither a list, a tuple nor a scope.
        ValueError: if a function is not decorated, or defaults are given to a scope that is opened again.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by suppling adictionary, kwargs must be empty.")
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = dict(current_arg_scope())
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                name = (function.__module__, function.__name__)
                raise ValueError(f"{name} is not decorated with @add_arg_scope")
            scope[_key(function)] = {**scope.get(_key(function), {}), **kwargs}
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    _SCOPES.append(scope)
    try:
        yield scope
    finally:
        _SCOPES.pop()


def add_arg_scope(func: _Function) -> _Function:
    """Makes a function take defaults from the active scopes.

    Args:
        func: a Python function.

    Returns:
        The decorated function.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**current_arg_scope().get(key, {}), **kwargs})

    key = f"{func.__module__}.{func.__qualname__}"
    parameters = inspect.signature(func).parameters.values()
    # Functions carry the attributes that arg_scope needs.
    wrapper._key_op = key  # type: ignore[attr-defined]
    vars(wrapper)["_scoped_arguments"] = tuple(p.name for p in parameters if p.default is not p.empty)
    return wrapper  # type: ignore[return-value]
