"""Composite tensors as structures of their tensors, for the functions of nests that expand them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class _Composite(NamedTuple):
    """The functions of a class of composite tensors.

    Attributes:
        name: callable of the object to a str, the step of its parts in paths.
        parts: callable of the object to a list of its parts.
        made_of: callable of the object and a list of other parts to an object like it.
        describes: callable of the object to what objects of one kind have in common; None for their class alone.
    """

    name: Callable[[Any], str]
    parts: Callable[[Any], list[Any]]
    made_of: Callable[[Any, list[Any]], Any]
    describes: Callable[[Any], Any] | None


_classes: dict[type, _Composite] = {}


def register_composite(
    kind: type,
    parts: Callable[[Any], list[Any]],
    made_of: Callable[[Any, list[Any]], Any],
    describes: Callable[[Any], Any] | None = None,
    name: Callable[[Any], str] = lambda whole: type(whole).__name__,
) -> None:
    """Declares that objects of a class and its subclasses consist of tensors.

    Args:
        kind: type of the objects.
        parts: callable of an object to a list of its parts.
        made_of: callable of an object and a list of other parts to an object like it.
        describes: callable of an object to what objects of one kind have in common, or None.
        name: callable of an object to the step of its parts in paths.
    """
    _classes[kind] = _Composite(name, parts, made_of, describes)


def _composite(value: Any) -> _Composite | None:
    return next((_classes[kind] for kind in type(value).__mro__ if kind in _classes), None)


def is_composite(value: Any) -> bool:
    """Returns True for an object that consists of tensors."""
    return _composite(value) is not None


class Parts(tuple[Any, ...]):
    """The parts of a composite tensor, as a sequence of a structure.

    Attributes:
        whole: the composite tensor.
    """

    whole: Any

    @property
    def step(self) -> str:
        """The name of the composite tensor in paths."""
        return _of(self.whole).name(self.whole)

    def like(self, children: list[Any]) -> Any:
        """Returns a composite tensor of other parts.

        Args:
            children: list of the parts.
        """
        return _of(self.whole).made_of(self.whole, children)

    def differs_from(self, other: Parts) -> str | None:
        """Returns why two composite tensors are of different kinds; None if they are not.

        Args:
            other: Parts of an object of the same class.
        """
        describe = _of(self.whole).describes
        if describe is None or describe(self.whole) == describe(other.whole):
            return None
        return f"Incompatible CompositeTensor: {self.whole} vs {other.whole}"


def _of(whole: Any) -> _Composite:
    found = _composite(whole)
    assert found is not None  # only parts of composite tensors are made
    return found


def parts_of(value: Any) -> Any:
    """Returns the parts of a composite tensor; another value as it is."""
    found = _composite(value)
    if found is None:
        return value
    made = Parts(parts_of(part) for part in found.parts(value))
    made.whole = value
    return made
