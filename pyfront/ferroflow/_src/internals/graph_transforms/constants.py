"""Transforms of the constants of a graph: folding, rounding, quantizing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ferroflow._src.base import dtypes, errors, tensor_content
from ferroflow._src.framework.graph_pruning import node_name
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.internals.graph_transforms.editing import imported
from ferroflow._src.internals.graph_transforms.messages import (
    by_name,
    copied,
    data_inputs,
    is_constant,
    kept_nodes,
    rename_inputs,
    set_value,
    value_of,
    with_nodes,
)
from ferroflow._src.internals.graph_transforms.specification import Context, invalid
from ferroflow._src.session.session import Session

# Nodes whose outputs exist only in some iterations or branches, and those that are fed.
_NEVER: Final = frozenset(
    f"{ref}{op}" for ref in ("", "Ref") for op in ("Switch", "Merge", "Enter", "Exit", "NextIteration")
) | {"LoopCond", "Placeholder", "PlaceholderWithDefault", "PlaceholderV2"}
_SHAPES: Final[dict[str, Callable[[list[int]], Any]]] = {
    "Shape": lambda dims: dims,
    "Rank": len,
    "Size": lambda dims: int(np.prod(dims, dtype=np.int64)),
}
_MAX_BYTES: Final = 10 * 1024 * 1024
_STEPS: Final = 255
_FEWEST_ROUNDED: Final = 16


def fold_constants(graph_def: Any, context: Context) -> Any:
    """Replaces what constants and known shapes decide by constants, and removes what the outputs do not need.

    A folded node with one output keeps its name. `clear_output_shapes` removes the attribute `_output_shapes` first.
    """
    before = copied(graph_def)
    if context.truth("clear_output_shapes", True):
        for node in before.node:
            node.attr.pop("_output_shapes", None)
    graph = imported(before)
    nodes, fed = by_name(before), {node_name(name) for name in context.inputs}
    known: dict[str, bool] = {}
    for name in _in_order(nodes):
        known[name] = name not in fed and _is_known(nodes[name], known, graph)
    folded = [
        name for name in nodes if known[name] and not is_constant(nodes[name]) and not (fed and node_name(name) in fed)
    ]
    largest = context.number("max_constant_size_in_bytes", _MAX_BYTES)
    result = with_nodes(before, _folded(nodes, folded, graph, largest))
    kept = kept_nodes(result, (*context.outputs, *context.inputs))
    return with_nodes(before, [node for node in result.node if node.name in kept])


def _folded(nodes: dict[str, Any], folded: list[str], graph: Any, largest: int) -> list[Any]:
    static = {name: value for name in folded if (value := _static_value(nodes[name], graph)) is not None}
    tensors = {name: graph.get_operation_by_name(name).outputs for name in folded if name not in static}
    with Session(graph=graph) as session:
        values = session.run(tensors) if tensors else {}
    values.update({name: [value] for name, value in static.items()})
    changed, renames = [], {}
    for name, node in nodes.items():
        if name not in values or sum(np.asarray(value).nbytes for value in values[name]) > largest:
            changed.append(node)
        elif len(values[name]) == 1:
            set_value(node, values[name][0])
            changed.append(node)
        else:
            changed.append(node)
            for i, value in enumerate(values[name]):
                constant = with_nodes(graph.as_graph_def(), [node]).node[0]
                constant.name = f"{name}/_cf__{i}"
                set_value(constant, value)
                renames[f"{name}:{i}" if i else name] = constant.name
                changed.append(constant)
    rename_inputs(changed, renames)
    return changed


def _in_order(nodes: dict[str, Any]) -> list[str]:
    """Returns the names of nodes, each behind its sources; nodes of a cycle come in any order."""
    order: dict[str, None] = {}
    for start in nodes:
        waiting, seen = [start], set()
        while waiting:
            name = waiting[-1]
            needed = [source for source in map(node_name, nodes[name].input) if source in nodes and source not in order]
            if not needed or name in seen:
                order.setdefault(waiting.pop())
                continue
            seen.add(name)
            waiting += needed
    return list(order)


def _is_known(node: Any, known: dict[str, bool], graph: Any) -> bool:
    """Returns True for a node whose outputs constants or shapes decide."""
    if node.op == "Const":
        return True
    try:
        schema = op_schema(node.op)
    except errors.NotFoundError:
        return False
    if node.op in _NEVER or schema["is_stateful"] or schema["has_effects"]:
        return False
    outputs = graph.get_operation_by_name(node.name).outputs
    if not outputs or any(output.dtype in (dtypes.resource, dtypes.variant) for output in outputs):
        return False
    if _static_value(node, graph) is not None:
        return True
    return bool(data_inputs(node)) and all(known.get(node_name(name), False) for name in node.input)


def _static_value(node: Any, graph: Any) -> Any:
    """Returns the value of a `Shape`, `Rank` or `Size` whose input has a known shape; None for others."""
    if node.op not in _SHAPES or len(node.input) != 1:
        return None
    operation = graph.get_operation_by_name(node.name)
    shape = operation.inputs[0].get_shape()
    if not shape.is_fully_defined():
        return None
    return np.asarray(_SHAPES[node.op](shape.as_list()), dtype=operation.outputs[0].dtype.as_numpy_dtype)


def round_weights(graph_def: Any, context: Context) -> Any:
    """Replaces each float of a constant by the middle of one of `num_steps` equal intervals of its range.

    Constants with less than 16 elements stay.
    """
    steps = context.number("num_steps", 256)
    if steps < 1:
        raise invalid(f"round_weights expects num_steps of at least 1, but found {steps}")
    result = copied(graph_def)
    for node in result.node:
        if node.op != "Const" or node.attr["dtype"].type != dtypes.float32.as_datatype_enum:
            continue
        value = value_of(node)
        if value.size < _FEWEST_ROUNDED:
            continue
        low, high = value.min(), value.max()
        if low == high:
            continue
        width = (high - low) / np.float32(steps)
        bucket = np.floor((value - low) / width)
        set_value(node, (low + (bucket + np.float32(0.5)) * width).astype(np.float32))
    return result


def quantize_weights(graph_def: Any, context: Context) -> Any:
    """Stores constants of float32 with at least `minimum_size` elements as bytes, and a `Dequantize` of their name."""
    least = context.number("minimum_size", 1024)
    nodes = []
    for node in copied(graph_def).node:
        value = value_of(node) if _is_floats(node) else None
        if value is None or value.size < max(least, 1):
            nodes.append(node)
            continue
        low, high = _bounds(value)
        scale = _STEPS / (float(high) - float(low))
        quantized = np.round(value.astype(np.float64) * scale) - np.round(float(low) * scale)
        stored = np.clip(quantized, 0, _STEPS).astype(np.uint8)
        parts = []
        for suffix, part in (("const", stored), ("min", low), ("max", high)):
            made = with_nodes(graph_def, [node]).node[0]
            made.name = f"{node.name}_quantized_{suffix}"
            set_value(made, part)
            if suffix == "const":
                _as_quint8(made, stored)
            parts.append(made)
        name, device = node.name, node.device
        node.Clear()
        node.op, node.name, node.device = "Dequantize", name, device
        node.input.extend([part.name for part in parts])
        node.attr["T"].type = dtypes.quint8.as_datatype_enum
        node.attr["mode"].s = b"MIN_FIRST"
        nodes += [*parts, node]
    return with_nodes(graph_def, nodes)


def _is_floats(node: Any) -> bool:
    return bool(node.op == "Const" and node.attr["dtype"].type == dtypes.float32.as_datatype_enum)


def _bounds(value: Any) -> tuple[Any, Any]:
    """Returns the range of floats, which contains 0 and is not empty."""
    low, high = np.float32(min(0.0, value.min())), np.float32(value.max())
    if low == high:
        if abs(low) < 1e-6:
            high = np.float32(low + 1.0)
        elif low > 0:
            high = np.float32(2 * low)
        else:
            high = np.float32(low / 2)
    return low, high


def _as_quint8(node: Any, stored: Any) -> None:
    tensor = tensor_content.make_tensor_proto(stored)
    tensor.dtype = dtypes.quint8.as_datatype_enum
    node.attr["dtype"].type = tensor.dtype
    node.attr["value"].tensor.CopyFrom(tensor)
