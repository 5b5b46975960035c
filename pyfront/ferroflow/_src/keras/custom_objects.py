"""Custom classes and functions of programs, by the names in configurations of layers and models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_known: dict[str, Any] = {}


def get_custom_objects() -> dict[str, Any]:
    """Returns the dict from names to custom classes and functions. Entries added to it take effect at once.

    Returns:
        dict by the names.
    """
    return _known


class CustomObjectScope:
    """Context manager in which names stand for classes and functions of the program; changes are undone at its end.

    Args:
        *args: dicts of classes and functions by their names.
    """

    def __init__(self, *args: Mapping[str, Any]) -> None:
        self.custom_objects = args
        self._before: dict[str, Any] = {}

    def __enter__(self) -> CustomObjectScope:
        self._before = dict(_known)
        for objects in self.custom_objects:
            _known.update(objects)
        return self

    def __exit__(self, *args: object) -> None:
        _known.clear()
        _known.update(self._before)


def custom_object_scope(*args: Mapping[str, Any]) -> CustomObjectScope:
    """Makes a context manager in which names stand for classes and functions of the program.

    Args:
        *args: dicts of classes and functions by their names.

    Returns:
        CustomObjectScope.
    """
    return CustomObjectScope(*args)


def arguments_in(description: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments in a dict of "class_name" and "config".

    Raises:
        TypeError: if they are not a dict.
    """
    config = description["config"]
    if not isinstance(config, Mapping):
        raise TypeError(f"The configuration of {description['class_name']} is a dict, not {config!r}.")
    return dict(config)
