"""Names of layers that were given none."""

from __future__ import annotations

import re
from collections.abc import Hashable
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
    number = next_number(("", name)) - zero_based
    return f"{name}_{number}" if number else name


def next_number(key: Hashable) -> int:
    """Returns the next number of something in the default graph, from 1 on."""
    counts = _counts.setdefault(get_default_graph(), {})
    counts[key] = counts.get(key, 0) + 1
    return counts[key]


def forget_numbers() -> None:
    """Restarts all numbers of all graphs."""
    _counts.clear()
