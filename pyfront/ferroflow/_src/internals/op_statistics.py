"""Statistics of operations by type, `flops` among them: `OpStats`, `RegisterStatistics`, `get_stats_for_node_def`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.framework.graph import Graph
from ferroflow._src.profiler.float_operations import counted_types, exact_float_operations

# (graph, NodeDef) -> OpStats.
StatisticFunction = Callable[[Graph, Any], "OpStats"]

_FLOPS = "flops"
_functions: dict[tuple[str, str], StatisticFunction] = {}


class OpStats:
    """A statistic of one or several operations.

    Args:
        statistic_type: str, such as "flops".
        value: a number; None if it is not known.
    """

    def __init__(self, statistic_type: str, value: Any = None) -> None:
        self.statistic_type = statistic_type
        self.value = value

    def __iadd__(self, other: OpStats) -> OpStats:
        """Adds the other's value, if it has one.

        Raises:
            ValueError: if `other` has another type.
        """
        if other.statistic_type != self.statistic_type:
            raise ValueError(f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}.")
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self.value += other.value
        return self


class RegisterStatistics:
    """Decorator that registers the function for a statistic of an op type.

    Args:
        op_type: str.
        statistic_type: str.

    Raises:
        TypeError: if an argument is not a string, or has a comma.
    """

    def __init__(self, op_type: str, statistic_type: str) -> None:
        for name, value in (("op_type", op_type), ("statistic_type", statistic_type)):
            if not isinstance(value, str):
                raise TypeError(f"{name} must be a string.")
            if "," in value:
                raise TypeError(f"{name} must not contain a comma.")
        self._key = (op_type, statistic_type)

    def __call__(self, function: StatisticFunction) -> StatisticFunction:
        """Registers a function and returns it.

        Args:
            function: takes the graph and the NodeDef of an operation; returns OpStats.

        Raises:
            KeyError: if there is a function for this statistic of the op type.
        """
        op_type, statistic_type = self._key
        if self._key in _functions or (statistic_type == _FLOPS and op_type in counted_types()):
            raise KeyError(f"Registering two statistical functions with name '{op_type},{statistic_type}'!")
        _functions[self._key] = function
        return function


def get_stats_for_node_def(graph: Graph, node: Any, statistic_type: str) -> OpStats:
    """Returns a statistic of an operation; its value is None if no function is registered for it.

    Args:
        graph: the operation's graph.
        node: the operation's NodeDef.
        statistic_type: str, such as "flops".

    Raises:
        ValueError: if a shape that the statistic needs is not known.
    """
    function = _functions.get((node.op, statistic_type))
    if function is not None:
        return function(graph, node)
    if statistic_type == _FLOPS and node.op in counted_types():
        return OpStats(_FLOPS, exact_float_operations(graph.get_operation_by_name(node.name)))
    return OpStats(statistic_type)
