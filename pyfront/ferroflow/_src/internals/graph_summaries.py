"""`graph_util_impl`: which nodes of a graph's message others need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_COLOCATION = "loc:@"


def node_name(name: str) -> str:
    """Returns the node's name of an input: without `^` or the number of the output."""
    return name[1:] if name.startswith("^") else name.partition(":")[0]


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


def reachable_nodes(target_nodes: Iterable[str], name_to_input_name: Mapping[str, list[str]]) -> set[str]:
    """Returns the names of nodes and of all that they need, directly or not.

    Args:
        target_nodes: iterable of names.
        name_to_input_name: the names of the inputs of each node.
    """
    found: set[str] = set()
    waiting = list(target_nodes)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += name_to_input_name.get(name, ())
    return found
