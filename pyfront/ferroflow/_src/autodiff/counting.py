"""Counts of operations in gradient rules, on which seeds of later random operations depend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ferroflow._src.framework.default_graph import get_default_graph


@contextmanager
def counted(operations: int) -> Iterator[None]:
    """Counts the operations created in a `with` block as those that TensorFlow 1.15 adds in their place.

    Args:
        operations: int, how many TensorFlow adds.
    """
    graph = get_default_graph()
    before = graph.operation_count
    yield
    graph.count_operations(before + operations - graph.operation_count)
