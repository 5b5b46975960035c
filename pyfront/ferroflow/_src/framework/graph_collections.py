"""`GraphCollections`: the named collections of a graph."""

from __future__ import annotations

import re
from typing import Any

from ferroflow._src.base.typing import StringLike
from ferroflow._src.framework.handles import GraphHandles


class GraphCollections(GraphHandles):
    """The part of `Graph` that keeps lists of objects by name."""

    def __init__(self) -> None:
        super().__init__()
        self._collections: dict[Any, list[Any]] = {}

    def add_to_collection(self, name: StringLike, value: object) -> None:
        """Appends a value to a collection.

        Args:
            name: str or other hashable object, the collection; made if there is none.
            value: any object.

        Raises:
            RuntimeError: if the graph is finalized.
        """
        self._check_not_finalized()
        with self._lock:
            self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: object) -> None:
        """Appends a value to several collections, once to each.

        Args:
            names: str, or iterable of collections.
            value: any object.

        Raises:
            RuntimeError: if the graph is finalized.
        """
        names = (names,) if isinstance(names, str) else dict.fromkeys(names)
        for name in names:
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: StringLike) -> list[Any]:
        """Returns the list of the collection itself, made if there is none.

        Args:
            name: str or other hashable object, the collection.

        Returns:
            List: items added to it are in the collection.
        """
        with self._lock:
            return self._collections.setdefault(name, [])

    def get_collection(self, name: StringLike, scope: str | None = None) -> list[Any]:
        """Returns a copy of a collection.

        Args:
            name: str or other hashable object, the collection.
            scope: str, a regular expression: keeps only items whose `name` matches it from its start.

        Returns:
            List, in the order of adding; empty if there is no such collection.
        """
        with self._lock:
            items = self._collections.get(name)
            if items is None:
                # TF 1.x: no collection, no pattern.
                return []
            if scope is None:
                return list(items)
            matches = re.compile(scope).match
            return [item for item in items if hasattr(item, "name") and matches(item.name)]

    def get_all_collection_keys(self) -> list[str]:
        """Returns the names of all collections that are strings."""
        with self._lock:
            return [name for name in self._collections if isinstance(name, str)]

    @property
    def collections(self) -> list[str]:
        """The names of all collections."""
        return list(self._collections)

    def clear_collection(self, name: StringLike) -> None:
        """Removes all values of a collection.

        Args:
            name: str or other hashable object, the collection.

        Raises:
            RuntimeError: if the graph is finalized.
        """
        self._check_not_finalized()
        with self._lock:
            self._collections.pop(name, None)
