"""`tensorflow.python.util.decorator_utils`: names and documentation of decorated functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["add_notice_to_docstring", "get_qualified_name", "validate_callable"]


def get_qualified_name(function: Callable[..., Any]) -> str:
    """Returns the name of a function with that of its class, or its plain name if it has no other.

    Args:
        function: a callable with a name.

    Returns:
        str, such as "Layer.call".
    """
    return getattr(function, "__qualname__", None) or function.__name__


def _normalize_docstring(docstring: str | None) -> str:
    """Returns a docstring without the indentation that its source gives it; "" for None."""
    return inspect.cleandoc(docstring) if docstring else ""


def add_notice_to_docstring(
    doc: str | None, instructions: str, no_doc_str: str, suffix_str: str, notice: Sequence[str]
) -> str:
    """Returns a docstring with a notice after its first line.

    Args:
        doc: str, the docstring; None if there is none.
        instructions: str, the last line of the notice.
        no_doc_str: str, the text in the place of a missing docstring.
        suffix_str: str, added to the first line of the docstring.
        notice: list of str, the lines of the notice before `instructions`.

    Returns:
        str.

    Raises:
        ValueError: if `notice` is empty.
    """
    if not notice:
        raise ValueError("The `notice` arg must not be empty.")
    first, *rest = _normalize_docstring(doc).splitlines() if doc else [""]
    head = f"{first} {suffix_str}" if doc else no_doc_str
    border = "Warning: "
    lines = [f"{border}{notice[0]}", *notice[1:], instructions]
    apart = [""] if rest and rest[0].strip() else []
    return "\n".join([head, "", *lines, *apart, *rest])


def validate_callable(func: Any, decorator_name: str) -> None:
    """Raises ValueError if a decorator was given something that cannot be called.

    Args:
        func: the decorated object.
        decorator_name: str, the decorator, for the message.

    Raises:
        ValueError: if `func` is not callable.
    """
    if not callable(func):
        raise ValueError(
            f"{func} is not a function. Write @property above @{decorator_name} where both decorate a method."
        )
