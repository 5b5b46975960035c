"""Queries and copies of GraphDef messages that several transforms use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.base import proto, tensor_content
from ferroflow._src.framework.graph_pruning import node_name


def copied(graph_def: Any) -> Any:
    """Returns a copy of a GraphDef."""
    copy = proto.GraphDef()
    copy.CopyFrom(graph_def)
    return copy


def with_nodes(graph_def: Any, nodes: Iterable[Any]) -> Any:
    """Returns a GraphDef with other nodes, and the versions and functions of `graph_def`."""
    result = proto.GraphDef()
    result.node.extend(nodes)
    if graph_def.HasField("versions"):
        result.versions.CopyFrom(graph_def.versions)
    if graph_def.HasField("library"):
        result.library.CopyFrom(graph_def.library)
    return result


def by_name(graph_def: Any) -> dict[str, Any]:
    """Returns the nodes of a GraphDef by their names."""
    return {node.name: node for node in graph_def.node}


def data_inputs(node: Any) -> list[str]:
    """Returns the inputs of a node without the control inputs."""
    return [name for name in node.input if not name.startswith("^")]


def reader_counts(graph_def: Any) -> Counter[str]:
    """Returns how many inputs of nodes name each node, control inputs included."""
    return Counter(node_name(name) for node in graph_def.node for name in node.input)


def is_constant(node: Any) -> bool:
    """Returns True for a `Const` node; `node` may be None."""
    return node is not None and node.op == "Const"


def value_of(node: Any) -> Any:
    """Returns the array that a `Const` node holds."""
    return tensor_content.make_ndarray(node.attr["value"].tensor)


def set_value(node: Any, value: Any) -> None:
    """Makes a node a constant of an array, without inputs; its name and device stay."""
    name, device = node.name, node.device
    node.Clear()
    node.op, node.name, node.device = "Const", name, device
    tensor = tensor_content.make_tensor_proto(np.asarray(value))
    node.attr["dtype"].type = tensor.dtype
    node.attr["value"].tensor.CopyFrom(tensor)


def rename_inputs(nodes: Iterable[Any], renames: Mapping[str, str], skipped: Iterable[str] = ()) -> None:
    """Replaces inputs of nodes in place.

    Args:
        nodes: NodeDefs.
        renames: from an input as it is written for data ("name", "name:1") to the new input. A control input follows
            the node of its first output.
        skipped: names of nodes that keep their inputs.
    """
    kept = set(skipped)
    for node in nodes:
        if node.name in kept:
            continue
        for i, name in enumerate(node.input):
            if name.startswith("^"):
                if name[1:] in renames:
                    node.input[i] = f"^{node_name(renames[name[1:]])}"
            else:
                node.input[i] = renames.get(name.removesuffix(":0"), name)


def kept_nodes(graph_def: Any, ends: Iterable[str], starts: Iterable[str] = ()) -> set[str]:
    """Returns the names of nodes that some nodes need, without what only the inputs of `starts` need."""
    nodes, stops = by_name(graph_def), set(starts)
    found: set[str] = set()
    waiting = [node_name(name) for name in ends]
    while waiting:
        name = waiting.pop()
        if name in found or name not in nodes:
            continue
        found.add(name)
        if name not in stops:
            waiting += [node_name(source) for source in nodes[name].input]
    return found
