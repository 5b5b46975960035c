"""`tensorflow.python.util.function_utils` and `estimator.util`: what a callable takes, and its name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any

from ferroflow._src.base.decorators import unwrap
from ferroflow._src.internals.inspection import getfullargspec


def fn_args(fn: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of the arguments that a callable takes from its caller.

    Args:
        fn: function, bound method, partial or object with `__call__`.

    Returns:
        tuple of str, without `self` and without what a partial binds.

    Raises:
        ValueError: if `fn` is not callable.
    """
    if isinstance(fn, functools.partial):
        bound = set(fn.keywords or ())
        return tuple(name for name in fn_args(fn.func)[len(fn.args) :] if name not in bound)
    if not callable(fn):
        raise ValueError(f"Argument must be callable: {fn!r}")
    is_object = not (inspect.isroutine(fn) or inspect.isclass(fn))
    given: Any = fn
    found = given.__call__ if is_object else given
    names = list(getfullargspec(found).args)
    if inspect.ismethod(found):
        names.remove("self") if "self" in names else names.pop(0)
    return tuple(names)


def has_kwargs(fn: Callable[..., Any]) -> bool:
    """Returns True if a callable takes any keyword (`**kwargs`).

    Args:
        fn: function, bound method, partial or object with `__call__`.

    Returns:
        bool.

    Raises:
        TypeError: if `fn` is not callable.
    """
    if isinstance(fn, functools.partial):
        return has_kwargs(fn.func)
    if not callable(fn):
        raise TypeError(f"fn should be a function-like object, but is of type {type(fn)}.")
    is_object = not (inspect.isroutine(fn) or inspect.isclass(fn))
    return getfullargspec(fn.__call__ if is_object else fn).varkw is not None  # type: ignore[operator]


def get_func_name(func: Callable[..., Any]) -> str:
    """Returns the name of a function, a partial's function, or the class of another callable."""
    target = unwrap(func)[1]
    while isinstance(target, functools.partial):
        target = target.func
    name = getattr(target, "__name__", "")
    return str(name or type(target).__name__)


def get_func_code(func: Callable[..., Any]) -> CodeType | None:
    """Returns the code of a function; None for a callable without any.

    Args:
        func: callable.

    Returns:
        types.CodeType or None.

    Raises:
        ValueError: if `func` is not callable.
    """
    if not callable(func):
        raise ValueError("Argument must be callable")
    target = unwrap(func)[1]
    while isinstance(target, functools.partial):
        target = target.func
    return getattr(target, "__code__", None) or getattr(
        inspect.getattr_static(type(target), "__call__"), "__code__", None
    )
