"""Values that belong to a graph, kept outside of its own parts: they end with it, though they may refer to it."""

from __future__ import annotations

from typing import Generic, TypeVar

from ferroflow._src.framework.graph import Graph

Value = TypeVar("Value")


class PerGraph(Generic[Value]):
    """One value for each graph. The graph holds it: a weak mapping would keep graphs alive that their values refer
    to.
    """

    def __contains__(self, graph: Graph) -> bool:
        return self in graph.kept_values

    def __getitem__(self, graph: Graph) -> Value:
        value: Value = graph.kept_values[self]
        return value

    def __setitem__(self, graph: Graph, value: Value) -> None:
        graph.kept_values[self] = value

    def get(self, graph: Graph) -> Value | None:
        """Returns the graph's value; None if it has none."""
        value: Value | None = graph.kept_values.get(self)
        return value

    def pop(self, graph: Graph) -> Value | None:
        """Removes and returns the graph's value; None if it has none."""
        value: Value | None = graph.kept_values.pop(self, None)
        return value
