"""Losses and metrics by their names, or by their classes and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.keras import losses, metrics
from ferroflow._src.keras.custom_objects import arguments_in, get_custom_objects
from ferroflow._src.keras.loss_classes import Loss
from ferroflow._src.keras.metric_base import Metric
from ferroflow._src.keras.named import find


def get_loss(identifier: Any) -> Any:
    """Finds a loss by its name, or makes one of its class and its arguments.

    Args:
        identifier: str, the name of a function or a class; dict of "class_name" and "config"; a callable and None
            stand for themselves.

    Returns:
        callable of labels and predictions, or None.

    Raises:
        ValueError: if the name is unknown, or the dict lacks a part.
    """
    return _found("loss function", identifier, Loss, losses.LOSSES)


def get_metric(identifier: Any) -> Any:
    """Finds a metric by its name, which may be that of a loss, or makes one of its class and its arguments.

    Args:
        identifier: str, the name of a function or a class; dict of "class_name" and "config"; a callable stands for
            itself.

    Returns:
        callable of labels and predictions.

    Raises:
        ValueError: if the name is unknown, or the dict lacks a part.
    """
    return _found("metric function", identifier, Metric, metrics.METRICS)


def _found(what: str, identifier: Any, base: type[Any], functions: Mapping[str, Any]) -> Any:
    """Returns what a name or a dict stands for; of a class it is a new object."""
    if isinstance(identifier, Mapping):
        return described(identifier, base, {}, what)
    known = functions if not isinstance(identifier, str) else {**classes_of(base), **functions}
    found = find(what, identifier, known)
    return found() if isinstance(identifier, str) and isinstance(found, type) else found


def described(description: Mapping[str, Any], base: type[Any], custom: Mapping[str, Any], what: str) -> Any:
    """Returns the object that a dict of class name and arguments describes.

    Args:
        description: dict of "class_name" and "config".
        base: class that the known ones are derived from.
        custom: dict of the program's classes by name.
        what: str, the kind of object for messages.

    Raises:
        ValueError: if the class is unknown, or the dict lacks a part.
    """
    if not {"class_name", "config"} <= description.keys():
        raise ValueError(f"Improper config format: {dict(description)}")
    known = {**classes_of(base), **get_custom_objects(), **custom}
    if description["class_name"] not in known:
        raise ValueError(f"Unknown {what}: {description['class_name']}")
    kind: Any = known[description["class_name"]]
    config = arguments_in(description)
    return kind.from_config(config) if hasattr(kind, "from_config") else kind(**config)


def classes_of(base: type[Any]) -> dict[str, type[Any]]:
    """Returns the classes derived from another, by their names; of two with a name, the first that was defined."""
    found: dict[str, type[Any]] = {base.__name__: base}
    for kind in base.__subclasses__():
        found = {**classes_of(kind), **found}
    return found
