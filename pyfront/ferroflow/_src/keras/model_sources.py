"""Where tensors of models come from."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.layers.nodes import call_of

__all__ = ["get_source_inputs"]


def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> list[Any]:
    """Returns the inputs of models that a tensor is computed from.

    Args:
        tensor: Tensor of any dtype and shape, the output of a layer or an input.
        layer: accepted; a tensor knows its layer.
        node_index: accepted.

    Returns:
        list of Tensors, each once; the tensor alone if it came from no layer.
    """
    del layer, node_index
    found: dict[int, Any] = {}
    seen: set[int] = set()
    waiting = [tensor]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        made = call_of(one)
        inputs = nest.flatten(made.inputs) if made is not None else []
        if not inputs:
            found[id(one)] = one
        waiting.extend(reversed(inputs))
    return list(found.values())
