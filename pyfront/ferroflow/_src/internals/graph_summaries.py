"""`graph_util_impl`: which nodes of a graph's message others need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ferroflow._src.framework.graph_pruning import node_name

_COLOCATION = "loc:@"


def extract_graph_summary(graph_def: Any) -> tuple[dict[str, list[str]], dict[str, Any], dict[str, int]]:
    """Reads what is next to each node of a graph.

    Args:
        graph_def: `GraphDef` message.

    Returns:
        By the node's name: the names of its inputs and of the nodes it is colocated with, its `NodeDef`, and its place.
    """
    nodes = {node_name(node.name): node for node in graph_def.node}
    needs = {name: [node_name(needed) for needed in node.input] + _colocated(node) for name, node in nodes.items()}
    return needs, nodes, {node_name(node.name): place for place, node in enumerate(graph_def.node)}


def _colocated(node: Any) -> list[str]:
    classes = [text.decode() for text in node.attr["_class"].list.s] if "_class" in node.attr else []
    return [text.removeprefix(_COLOCATION) for text in classes if text.startswith(_COLOCATION)]


def assert_nodes_are_present(name_to_node: Mapping[str, Any], nodes: Iterable[str]) -> None:
    """Checks that a graph has nodes.

    Args:
        name_to_node: the graph's nodes by their names.
        nodes: iterable of names.

    Raises:
        AssertionError: if one is missing.
    """
    for name in nodes:
        if name not in name_to_node:
            raise AssertionError(f"{name} is not in graph")
