"""Counts of operations in functions of datasets, where TensorFlow makes conditionals and loops with functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ferroflow._src.control_flow.context import ControlFlowContext
from ferroflow._src.framework.function import FunctionGraph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_scopes import current_flow_context


class FunctionalCounts:
    """Counts a conditional or loop as one operation with functions of its own, so that seeds are TensorFlow 1.15's.

    TensorFlow 1.15 adds `If` and `While` operations in functions of datasets. Each branch, condition and body is then
    a graph of its own, in which seeds count from 0. In other graphs an object of this class does nothing.

    Args:
        graph: the graph that is being built.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph if isinstance(graph, FunctionGraph) and graph.counts_functional_flow else None
        around = current_flow_context(graph)
        self._around = around if isinstance(around, ControlFlowContext) else None
        self._before = graph.operation_count
        self._known = self._captures()

    def _captures(self) -> int:
        """Returns how many values from outside the graph or context around has."""
        if self._graph is None:
            return 0
        return len(self._graph.captured_arguments) if self._around is None else self._around.capture_count

    def _set(self, count: int) -> None:
        if self._graph is not None:
            self._graph.count_operations(count - self._graph.operation_count)

    @contextmanager
    def function(self, arguments: int) -> Iterator[None]:
        """Counts operations created in a `with` block as those of a graph of its own.

        Args:
            arguments: int, how many arguments the function has at its begin.
        """
        graph = self._graph
        if graph is None:
            yield
            return
        inside = graph.counts_captures
        graph.counts_captures = False
        self._set(arguments)
        try:
            yield
        finally:
            graph.counts_captures = inside

    def end(self, operations: int) -> None:
        """Counts the whole conditional or loop.

        Args:
            operations: int, how many operations TensorFlow adds in the graph around, without arguments for captures.
        """
        self._set(self._before + self._captures() - self._known + operations)
