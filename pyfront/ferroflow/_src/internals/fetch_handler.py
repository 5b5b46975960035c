"""`FetchHandler`: the tensors and operations of a nest of fetches, for libraries that inspect what a step runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.session.fetches import FetchPlan


class FetchHandler:
    """The distinct tensors and operations of a nest of fetches.

    Args:
        graph: Graph of the fetches.
        fetches: as for `Session.run`.
        feeds: dict of the fed values by Tensor.

    Raises:
        TypeError: if an element cannot be fetched.
        ValueError: if a name or element is not of the graph.
    """

    def __init__(self, graph: Graph, fetches: NestedTensors, feeds: Mapping[Any, Any]) -> None:
        self._plan = FetchPlan(graph, fetches)
        self._feeds = feeds

    def fetches(self) -> list[Tensor]:
        """Returns the tensors that are not fed, each once."""
        return [e for e in self._plan.elements if isinstance(e, Tensor) and e not in self._feeds]

    def targets(self) -> list[Operation]:
        """Returns the operations, each once."""
        return [e for e in self._plan.elements if isinstance(e, Operation)]

    def build_results(self, session: Any, tensor_values: Sequence[Any]) -> Any:
        """Returns the nest of fetches with values in place of tensors, and None in place of operations.

        Args:
            session: not used.
            tensor_values: list of the values of `fetches()`, in that order.

        Returns:
            nest of the structure of the fetches.
        """
        values = iter(tensor_values)
        return self._plan.build([self._value(element, values) for element in self._plan.elements])

    def _value(self, element: Any, values: Any) -> Any:
        if isinstance(element, Operation):
            return None
        return self._feeds[element] if element in self._feeds else next(values)
