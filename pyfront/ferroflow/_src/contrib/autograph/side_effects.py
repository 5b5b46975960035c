"""Operations that converted functions add for their effects, and that run with the functions' results."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.framework.composite import IndexedSlices, SparseTensor
from ferroflow._src.framework.default_graph import control_dependencies, get_collection, get_default_graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.graph_scopes import current_flow_context
from ferroflow._src.framework.handles import Operation, Tensor, flow_context
from ferroflow._src.ops.array.making import identity

_EFFECTS = ("Print", "PrintV2", "Assert", "PyFunc", "EagerPyFunc", "ReduceDataset")
# Beginnings of the names of operations that write to variables, and the ends of conditionals and loops.
_WRITES = ("Assign", "Scatter", "ResourceScatter", "Apply", "ResourceApply", "SparseApply", "Merge", "Exit")


class _Open(threading.local):
    """The blocks that `after` opened, those of the innermost function at the end."""

    def __init__(self) -> None:
        self.stacks: list[contextlib.ExitStack] = []


_open = _Open()


def with_effects(function: Callable[[], Any]) -> Any:
    """Calls a function; its results wait for the effects of the operations that it added.

    Args:
        function: callable without arguments; returns a structure of tensors and other values.

    Returns:
        The results.
    """
    with contextlib.ExitStack() as stack:
        _open.stacks.append(stack)
        try:
            results, effects = _effects_of(function)
        finally:
            _open.stacks.pop()
    if not effects:
        return results
    with control_dependencies(effects):
        return nest.map_structure(_after, results)


def after(function: Callable[[], Any]) -> None:
    """Calls a function; what is added from now on waits for the effects of the operations that it added."""
    effects = _effects_of(function)[1]
    if effects and _open.stacks:
        _open.stacks[-1].enter_context(control_dependencies(effects))


def _effects_of(function: Callable[[], Any]) -> tuple[Any, list[Operation]]:
    """Calls a function; returns its results, and the operations with effects that it added to the current context."""
    graph = get_default_graph()
    before = len(graph.get_operations())
    results = function()
    context = current_flow_context(graph)
    added = graph.get_operations()[before:]
    effects = [op for op in added if _has_effect(op) and flow_context(op) is context]
    # The function may create variables, which only their own initializers initialize.
    made = [v for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES) for v in get_collection(key)]
    return results, [op for op in effects if all(op is not v.initializer for v in made)] if effects else []


def _has_effect(op: Operation) -> bool:
    return op.type in _EFFECTS or op.type.startswith(_WRITES)


def _after(value: Any) -> Any:
    """Returns the value behind the control inputs of the current block."""
    if isinstance(value, Tensor) and value.dtype == value.dtype.base_dtype:
        return identity(value)
    return value


def is_tensor(value: Any) -> bool:
    """Returns True if the value is known only when a step runs."""
    return isinstance(value, Tensor | SparseTensor | IndexedSlices) or hasattr(value, "_as_graph_element")
