"""The tensors for hooks, found by the names that programs give."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.default_graph import get_default_graph


def as_graph_element(obj: Any) -> Any:
    """Returns the element of the default graph to fetch.

    Args:
        obj: Tensor, Operation or variable; or str, the name of a tensor, or of an operation with one output.

    Returns:
        `obj`, or the tensor of that name.

    Raises:
        ValueError: if `obj` is not of the default graph, or names an operation with more outputs.
        KeyError: if there is nothing of that name.
    """
    graph = get_default_graph()
    if not isinstance(obj, str):
        if getattr(obj, "graph", None) is not graph:
            raise ValueError(f"Passed {obj} should have graph attribute that is equal to current graph {graph}.")
        return obj
    if ":" in obj:
        return graph.as_graph_element(obj)
    element = graph.as_graph_element(f"{obj}:0")
    if len(element.op.outputs) > 1:
        raise ValueError(f"Name {obj} is ambiguous, as this `Operation` has multiple outputs (at least 2).")
    return element
