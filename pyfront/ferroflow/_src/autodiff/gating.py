"""Gates: gradients that become usable only together."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import (
    graph_of,
    name_scope,
)
from ferroflow._src.framework.handles import Tensor


def gate_together(gradients: list[Any], name: str = "tuple") -> list[Any]:
    """Returns the gradients behind one gate: none is usable before all are computed.

    Args:
        gradients: tensors, IndexedSlices, or None (which stays).
        name: name scope of the gate's operations.
    """
    present = [g for g in gradients if g is not None]
    tensors = [g.values if isinstance(g, IndexedSlices) else g for g in present]
    with name_scope(name, "tuple", tensors):
        graph = graph_of(tensors)
        barrier = apply_op("NoOp", [], name="group_deps")
        gates = []
        for t in tensors:
            with graph.colocate_with(t):
                gates.append(tensor_op("Identity", [t], name="control_dependency"))
        graph._core.apply_gate(barrier, [g.op for g in gates])
    gated = iter(gates)
    return [None if g is None else _like(g, next(gated)) for g in gradients]


def _like(gradient: Any, gate: Tensor) -> Any:
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gate, gradient.indices, gradient.dense_shape)
    return gate
