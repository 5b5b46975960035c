"""Names of layers that were given none."""

from __future__ import annotations

import re

from ferroflow._src.framework.default_graph import get_default_graph

# A collection that is not named by a string is left out of `get_all_collection_keys` and of meta graphs.
_COUNTS_KEY = ("__layer_names",)


def to_snake_case(name: str) -> str:
    """The name of a class in lower case with underscores: `max_pooling2d` for `MaxPooling2D`."""
    parted = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub("([a-z])([A-Z])", r"\1_\2", parted).lower()
    # A name scope cannot begin with an underscore.
    return f"private{snake}" if snake.startswith("_") else snake


def unique_layer_name(name: str) -> str:
    """A name with the number of the layer among those of this name in the default graph, from 1 on."""
    found = get_default_graph().get_collection_ref(_COUNTS_KEY)
    if not found:
        found.append({})
    counts: dict[str, int] = found[0]
    counts[name] = counts.get(name, 0) + 1
    return f"{name}_{counts[name]}"
