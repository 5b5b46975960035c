"""The layers and inputs that tensors of models come from."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.layers.nodes import call_of


def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> list[Any]:
    """Returns the inputs of models that a tensor is computed from.

    Args:
        tensor: Tensor of any dtype and shape, the output of a layer or an input.
        layer: None, or the KerasLayer that made it; not used.
        node_index: int; not used.

    Returns:
        list of Tensor, each once, of their dtypes and shapes; the tensor alone if it came from no layer.
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


def layers_in_order(inputs: list[Any], outputs: list[Any]) -> list[Any]:
    """Returns the layers between tensors in Keras's order, in which files have their weights.

    Layers that are farther from the outputs come first; at one distance, those that are met first on the way back.

    Args:
        inputs: list of Tensors of any dtype and shape, the outputs of `InputLayer`s.
        outputs: list of Tensors of any dtype and shape, which are computed from them.

    Returns:
        list of KerasLayer, each once.
    """
    depth_of_layer, _, met = _depths(outputs)
    for made in map(call_of, inputs):
        # An input that nothing reads.
        if made is not None and made.layer not in depth_of_layer:
            depth_of_layer[made.layer], met[made.layer] = 0, -1
    return sorted(depth_of_layer, key=lambda layer: (-depth_of_layer[layer], met[layer]))


def calls_in_order(outputs: list[Any]) -> list[Any]:
    """Returns the calls that tensors are computed by, in the order in which Keras repeats them.

    Args:
        outputs: list of Tensors of any dtype and shape.

    Returns:
        list of Calls, those that are farther from the outputs first.
    """
    _, calls, _ = _depths(outputs)
    return [made for made, _ in sorted(calls, key=lambda pair: -pair[1])]


def _depths(outputs: list[Any]) -> tuple[dict[Any, int], list[tuple[Any, int]], dict[Any, int]]:
    """Returns the distances from the outputs of all layers and calls, and the order in which layers are met."""
    met: dict[Any, int] = {}
    finished: set[int] = set()
    calls: list[Any] = []  # each after those whose outputs it reads

    def visit(tensor: Any) -> None:
        made = call_of(tensor)
        if made is None or id(made) in finished:
            return
        finished.add(id(made))
        met.setdefault(made.layer, len(met))
        for source in nest.flatten(made.inputs):
            visit(source)
        calls.append(made)

    for output in outputs:
        visit(output)
    depth_of_call: dict[int, int] = {}
    depth_of_layer: dict[Any, int] = {}
    for made in reversed(calls):
        depth = max(depth_of_call.get(id(made), 0), depth_of_layer.get(made.layer, 0))
        depth_of_layer[made.layer] = depth_of_call[id(made)] = depth
        for source in map(call_of, nest.flatten(made.inputs)):
            if source is not None:
                depth_of_call[id(source)] = max(depth + 1, depth_of_call.get(id(source), 0))
    by_id = {id(made): made for made in calls}
    return depth_of_layer, [(by_id[i], depth) for i, depth in depth_of_call.items()], met
