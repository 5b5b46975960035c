"""A user's value as text, for a message."""

from __future__ import annotations

from collections.abc import Callable


def shown(value: object, form: Callable[[object], str] = str) -> str:
    """Returns a value as text, or its type if it cannot be written out.

    A list nested 10,000 deep has no text under Python 3.12 and later, and `__repr__` of a user's class may fail.
    A message that failed there would hide the error that it is about.

    Args:
        value: any object.
        form: `str` or `repr`.
    """
    try:
        return form(value)
    except Exception:
        return f"<{type(value).__name__} object that cannot be printed>"
