"""Docstrings that are not written in a `def` or `class` statement: those of functions and classes made at run time."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any


def document(target: Any, *parts: str | None, name: str | None = None) -> None:
    """Sets the docstring of a function or class, without indentation.

    `inspect.cleandoc` removes the indentation that each part has in its source. Python 3.13 and later remove that of
    docstrings themselves, and `-OO` leaves none, so no code may depend on it.

    Args:
        target: function or class.
        *parts: str, the paragraphs and sections, which an empty line separates; None and "" are left out.
        name: str, the new name of `target`; None to keep the name.
    """
    cleaned = (inspect.cleandoc(part) for part in parts if part)
    target.__doc__ = "\n\n".join(part for part in cleaned if part)
    if name is not None:
        target.__name__ = target.__qualname__ = name


def add_example(target: Any, example: str) -> None:
    """Adds a section "Example:" to the docstring of a function or class.

    Args:
        target: function or class.
        example: str, statements after `>>> ` and what they print. `tf` is ferroflow, `np` is NumPy, and `sess` is a
            session that runs the default graph.
    """
    document(target, target.__doc__, f"Example:\n{textwrap.indent(inspect.cleandoc(example), '    ')}")
