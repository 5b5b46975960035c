"""A graph's nodes and a node's inputs in the containers that programs of TensorFlow 1 expect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class NodesByName(Mapping[str, Any]):
    """The operations of a graph by name, in the order they were made; shows those made later, too.

    Args:
        handles: GraphHandles.
    """

    def __init__(self, handles: Any) -> None:
        self._handles = handles

    def __getitem__(self, name: str) -> Any:
        node = self._handles._core.find(name) if isinstance(name, str) else None
        if node is None:
            raise KeyError(name)
        return self._handles.operation(node)

    def __iter__(self) -> Iterator[str]:
        return (op.name for op in self._handles._operations)

    def __len__(self) -> int:
        return len(self._handles._core)

    def __repr__(self) -> str:
        return repr(dict(self))


class NodesById(Mapping[int, Any]):
    """The operations of a graph by `_id`, in the order they were made; shows those made later, too.

    Args:
        handles: GraphHandles.
    """

    def __init__(self, handles: Any) -> None:
        self._handles = handles

    def __getitem__(self, node: int) -> Any:
        if not isinstance(node, int) or not 0 <= node < len(self):
            raise KeyError(node)
        return self._handles.operation(node)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        return len(self._handles._core)

    def __repr__(self) -> str:
        return repr(dict(self))


class InputList(tuple[Any, ...]):
    """An operation's inputs: a tuple that also compares and adds like TF1's list."""

    def __add__(self, other: Any) -> Any:
        return list(self) + list(other)

    def __radd__(self, other: Any) -> Any:
        return list(other) + list(self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, tuple | list)
            and len(self) == len(other)
            and all(a is b for a, b in zip(self, other, strict=True))
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # as a list, which it equals, has none

    def __repr__(self) -> str:
        return repr(list(self))
