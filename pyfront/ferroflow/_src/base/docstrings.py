"""The one way to set docstrings that are not written in a `def` or `class` statement."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any

_TITLE = re.compile(r"\w+:\n")
_EXAMPLE = "\n\nExample:\n"


def document(target: Any, *parts: str | None, name: str | None = None) -> None:
    """Sets the docstring of a function or class, without indentation.

    The indentation that each part has in its source is removed. Python 3.13 and later remove that of docstrings
    themselves, and `-OO` leaves none, so no code may depend on it. An example comes last.

    Args:
        target: function or class.
        *parts: str, the paragraphs and sections, which an empty line separates; None and "" are left out.
        name: str, the new name of `target`; None to keep the name.
    """
    texts, examples = [], []
    for part in parts:
        # `cleandoc` ignores the indentation of the first line, which is that of a section's title.
        text = inspect.cleandoc(f"\n{part}" if _TITLE.match(part) else part) if part else ""
        text, title, example = f"\n\n{text}".partition(_EXAMPLE)
        texts.append(text.strip("\n"))
        examples.append(f"{title}{example}".strip("\n"))
    target.__doc__ = "\n\n".join(text for text in [*texts, *examples] if text) or None
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
