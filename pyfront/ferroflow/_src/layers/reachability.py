"""Search for the operations that depend on given tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.framework.handles import operations_after


def reachable_operations(tensors: Iterable[Any]) -> set[Any]:
    """Returns the operations that make the tensors or use them, directly or through others.

    Args:
        tensors: iterable of Tensors, Variables or Operations.

    Returns:
        A set of Operations, also those that only control edges lead to.
    """
    waiting = [getattr(x, "op", x) for x in tensors]
    found = set(waiting)
    while waiting:
        op = waiting.pop()
        following = [consumer for output in op.outputs for consumer in output.consumers()]
        for consumer in [*following, *operations_after(op)]:
            if consumer not in found:
                found.add(consumer)
                waiting.append(consumer)
    return found
