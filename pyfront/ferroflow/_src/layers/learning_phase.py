"""The learning phase of each graph: layers train, or they do not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ferroflow._src.framework.default_graph import get_default_graph, init_scope, name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.per_graph import PerGraph
from ferroflow._src.ops.array.making import placeholder_with_default

_phases = PerGraph[Any]()


def learning_phase() -> Any:
    """Returns True if models train: a Tensor of bool that is fed, false by default; or what `set_learning_phase` has
    set.
    """
    graph = get_default_graph()
    if graph not in _phases:
        with init_scope(), name_scope(""):
            _phases[graph] = placeholder_with_default(False, shape=[], name="keras_learning_phase")
    return _phases[graph]


def known_learning_phase() -> Any:
    """Returns the learning phase of the default graph if it has been requested or set before; else None."""
    return _phases.get(get_default_graph())


@contextlib.contextmanager
def learning_phase_scope(value: Any) -> Iterator[Any]:
    """Opens a context with a learning phase, and restores the phase at its end.

    Args:
        value: 0 or False to test, 1 or True to train.

    Returns:
        Context manager of `value`.

    Raises:
        ValueError: if `value` is neither 0 nor 1.
    """
    graph = get_default_graph()
    before = _phases.get(graph)
    set_learning_phase(value)
    try:
        yield value
    finally:
        if before is None:
            _phases.pop(graph)
        else:
            _phases[graph] = before


def set_learning_phase(value: Any) -> None:
    """Sets the learning phase of the default graph.

    Args:
        value: 0 or False to test, 1 or True to train.

    Raises:
        ValueError: if `value` is neither 0 nor 1.
    """
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _phases[get_default_graph()] = bool(value)


def forget_learning_phase(graph: Graph) -> None:
    """Makes the next request of a graph's learning phase add a new one."""
    _phases.pop(graph)
