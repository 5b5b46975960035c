"""Decorators that keep the signature of the decorated function: `tensorflow.python.util.tf_decorator`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Callable[..., Any]:
    """Gives a wrapper the name, documentation and signature of the wrapped function.

    Args:
        target: the callable that is decorated.
        decorator_func: the function that is called in its place.
        decorator_name: accepted without effect; `unwrap` needs no names.
        decorator_doc: accepted; the documentation is that of `target`.
        decorator_argspec: accepted; the signature is that of `target`.

    Returns:
        `decorator_func`, with the name, documentation and signature of `target`.
    """
    functools.update_wrapper(decorator_func, target)
    decorator_func.__dict__["_decorated_target"] = target
    return decorator_func


def unwrap(maybe_tf_decorator: Callable[..., Any]) -> tuple[list[Callable[..., Any]], Callable[..., Any]]:
    """Finds what decorators were put around.

    Args:
        maybe_tf_decorator: a callable.

    Returns:
        The functions around it, the outermost first, and the innermost callable.
    """
    around: list[Callable[..., Any]] = []
    target = maybe_tf_decorator
    while (inner := _decorated(target)) is not None:
        around.append(target)
        target = inner
    return around, target


def _decorated(function: Any) -> Callable[..., Any] | None:
    """Returns the function that `make_decorator` or a decorator of this package wraps, and no other decorator's."""
    try:
        marked: Callable[..., Any] | None = function.__dict__.get("_decorated_target")
    except AttributeError:
        return None
    if marked is not None:
        return marked
    home = getattr(function, "__globals__", {}).get("__name__", "")
    wrapped: Callable[..., Any] | None = function.__dict__.get("__wrapped__")
    return wrapped if str(home).partition(".")[0] == "ferroflow" else None
