"""Base classes of the objects that TensorFlow saves as a graph of objects; here `tf.train.Saver` saves variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Trackable:
    """Base without behaviour, for classes that derive from TensorFlow's: attributes are not recorded."""


class NoDependency:
    """Marks the value of an attribute that is not part of a saved object.

    Args:
        value: any object.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the method itself: attributes that it sets are not recorded anyway."""
    return method
