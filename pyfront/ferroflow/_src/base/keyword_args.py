"""`keyword_args_only`: functions that take their arguments by name only, and say so as TF does."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def keyword_args_only(func: Callable[..., _Result]) -> Callable[..., _Result]:
    """Makes a function refuse positional arguments with a ValueError.

    Args:
        func: the function.

    Returns:
        The wrapped function.

    Raises:
        ValueError: if `func` is not callable.
    """
    if not callable(func):
        raise ValueError(f"{func} is not a function. If this is a property, apply @keyword_args_only after @property.")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> _Result:
        if args:
            raise ValueError(f"Must use keyword args to call {func.__name__}.")
        return func(**kwargs)

    return wrapper
