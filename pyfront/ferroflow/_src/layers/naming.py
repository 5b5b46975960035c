"""Names of layers that were given none."""

from __future__ import annotations

import re
from collections.abc import Container, Hashable
from typing import Any
from weakref import WeakKeyDictionary

from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph

_counts: WeakKeyDictionary[Graph, dict[Hashable, int]] = WeakKeyDictionary()


def to_snake_case(name: str) -> str:
    """Returns the name of a class in lower case with underscores: `max_pooling2d` for `MaxPooling2D`."""
    parted = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub("([a-z])([A-Z])", r"\1_\2", parted).lower()
    # A name scope cannot begin with an underscore.
    return f"private{snake}" if snake.startswith("_") else snake


def unique_layer_name(name: str, zero_based: bool = False) -> str:
    """Returns a name with the number of the layer among those of this name in the default graph.

    Args:
        name: str, the name of the layer's kind.
        zero_based: bool. If True, the first layer has the bare name, and the second the number 1; otherwise the first
            has 1.

    Returns:
        str.
    """
    return unique_object_name(name, zero_based=zero_based)


def unique_object_name(
    name: str,
    name_uid_map: dict[Any, int] | None = None,
    avoid_names: Container[str] | None = None,
    namespace: str = "",
    zero_based: bool = False,
) -> str:
    """Returns a name with the number of the object among those of this name.

    Args:
        name: str, the name of the object's kind.
        name_uid_map: dict from (namespace, name) to the last number, with 0 for new keys; it is changed. None for that
            of the default graph.
        avoid_names: set or dict of names that are not returned, or None.
        namespace: str. Objects of another namespace have numbers of their own.
        zero_based: bool. If True, the first object has the bare name, and the second the number 1; otherwise the first
            has 1.

    Returns:
        str.
    """
    key = (namespace, name)
    while True:
        if name_uid_map is None:
            number = next_number(key) - zero_based
        else:
            name_uid_map[key] += 1
            number = name_uid_map[key] - zero_based
        found = f"{name}_{number}" if number else name
        if found not in (avoid_names or ()):
            return found


def next_number(key: Hashable) -> int:
    """Returns the next number of something in the default graph, from 1 on."""
    counts = _counts.setdefault(get_default_graph(), {})
    counts[key] = counts.get(key, 0) + 1
    return counts[key]


def forget_numbers() -> None:
    """Restarts all numbers of all graphs."""
    _counts.clear()
