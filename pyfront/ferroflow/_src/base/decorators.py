"""Decorators that look like the decorated function: `tensorflow.python.util.tf_decorator`, for libraries that import
it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["make_decorator", "unwrap"]


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Callable[..., Any]:
    """Makes a function that calls another one look like it.

    Args:
        target: the callable that is decorated.
        decorator_func: the function that is called in its place.
        decorator_name: accepted; `unwrap` tells functions apart without names.
        decorator_doc: accepted; the documentation is that of `target`.
        decorator_argspec: accepted; the signature is that of `target`.

    Returns:
        `decorator_func`, with the name, documentation and signature of `target`.
    """
    return functools.update_wrapper(decorator_func, target)


def unwrap(maybe_tf_decorator: Callable[..., Any]) -> tuple[list[Callable[..., Any]], Callable[..., Any]]:
    """Finds what decorators were put around.

    Args:
        maybe_tf_decorator: a callable.

    Returns:
        The functions around it, the outermost first, and the innermost callable.
    """
    around: list[Callable[..., Any]] = []

    def note(function: Callable[..., Any]) -> bool:
        around.append(function)
        return False

    target = inspect.unwrap(maybe_tf_decorator, stop=note)
    return [function for function in around if function is not target], target
