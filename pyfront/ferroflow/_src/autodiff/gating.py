"""Gates: gradients that become usable only together."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.graph import graph_of, name_scope


def gate_together(gradients: list[Any], name: str = "tuple") -> list[Any]:
    """The gradients behind one gate: none is usable before all are computed.

    Args:
      gradients: tensors, IndexedSlices, or None (which stays).
      name: name scope of the gate's operations.
    """
    present = [g for g in gradients if g is not None]
    tensors = [g.values if isinstance(g, IndexedSlices) else g for g in present]
    with name_scope(name, "tuple", tensors):
        graph = graph_of(tensors)
        barrier = apply_op("NoOp", [], name="group_deps")
        gates = [tensor_op("Identity", [t], name="control_dependency") for t in tensors]
        graph._core.apply_gate(tensors, barrier, [g.op for g in gates])
    gated = iter(zip(present, gates, strict=True))
    result: list[Any] = []
    for gradient in gradients:
        if gradient is None:
            result.append(None)
            continue
        original, gate = next(gated)
        if isinstance(original, IndexedSlices):
            gate = IndexedSlices(gate, original.indices, original.dense_shape)
        result.append(gate)
    return result
