"""`SavableFunction`: base of the functions that objects hold and that SavedModels contain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class SavableFunction:
    """Base of the functions that a SavedModel of objects contains with the objects that hold them."""

    @property
    def saved_function(self) -> SavableFunction:
        """The function that is saved: for the method of an object, that of this object."""
        return self


def functions_in_attributes(owner: Any) -> dict[str, SavableFunction]:
    """Returns the functions among the attributes of an object, by their names.

    Args:
        owner: any object.
    """
    found = {}
    for name in dir(owner):
        try:
            found[name] = getattr(owner, name, None)
        except Exception:  # A property of the program may raise any error.
            continue
    return functions_among(found.items())


def functions_among(items: Iterable[tuple[Any, Any]]) -> dict[str, SavableFunction]:
    """Returns the functions among named values, by their names.

    Args:
        items: iterable of pairs: a name, or the index in a list, and a value.
    """
    return {str(name): value.saved_function for name, value in items if isinstance(value, SavableFunction)}
