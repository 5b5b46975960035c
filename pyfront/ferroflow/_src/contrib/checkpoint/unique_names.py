"""`UniqueNameTracker`: edges whose names are made unique."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.variables.tracked_structure import TrackableDataStructure


class UniqueNameTracker(TrackableDataStructure):
    """A structure whose elements are given names, which get numbers where they repeat.

    Example:
        >>> names = tf.contrib.checkpoint.UniqueNameTracker()
        >>> a, b = (names.track(tf.Variable(x), "x") for x in (1.0, 2.0))
        >>> print(names._lookup_dependency("x_1") is b)
        True
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def _elements(self) -> Iterable[Any]:
        return [ref for _, ref in self._checkpoint_dependencies]

    def track(self, trackable: Any, base_name: str) -> Any:
        """Adds an edge.

        Args:
            trackable: Trackable.
            base_name: str, the edge's name before it is made unique.

        Returns:
            `trackable`.

        Raises:
            ValueError: if it is not a Trackable.
        """
        if not isinstance(trackable, Trackable):
            raise ValueError(
                f"Expected a trackable value, got {trackable} which does not inherit from tf.track.Trackable."
            )
        count = self._counts.get(base_name, 0)
        while self._lookup_dependency(_numbered(base_name, count)) is not None:
            count += 1
        self._counts[base_name] = count + 1
        return self._track_value(trackable, _numbered(base_name, count))


def _numbered(name: str, number: int) -> str:
    return f"{name}_{number}" if number else name
