"""Order in which the nodes of a network are computed, with the sizes of their feature maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ferroflow._src.contrib.receptive_field.layer_windows import Window, layer_windows

__all__ = ["get_compute_order", "parse_graph_nodes"]

_Size = list[int | None] | None


class NodeInfo(NamedTuple):
    """A node's place in the order, and the height and width of its first input and of its output."""

    order: int
    node: Any
    input_size: _Size
    output_size: _Size


def parse_graph_nodes(graph_def: Any) -> dict[str, Any]:
    """Returns the nodes of a graph by name.

    Args:
        graph_def: GraphDef.

    Returns:
        dict from str to NodeDef.
    """
    return {node.name: node for node in graph_def.node}


def data_inputs(node: Any) -> Iterator[str]:
    """Generates the names of the nodes whose values a node uses.

    Args:
        node: NodeDef.

    Yields:
        str, a node's name.
    """
    return (name.partition(":")[0] for name in node.input if not name.startswith("^"))


def _output_size(size: int | None, window: Window) -> int | None:
    kernel, stride, _, total = window
    if size is None or kernel is None or stride is None or total is None:
        return None
    return -((kernel - 1 - size - total) // stride)


def _info(node: Any, nodes: dict[str, Any], found: dict[str, NodeInfo]) -> NodeInfo:
    """Returns the information of a node whose inputs have theirs."""
    inputs = [found[name] for name in data_inputs(node)]
    order = 1 + max((info.order for info in inputs), default=-1)
    size = inputs[0].output_size if inputs else None
    if size is None:
        return NodeInfo(order, node, None, None)
    windows = layer_windows(node, nodes, size, force=True)
    return NodeInfo(order, node, size, [_output_size(n, window) for n, window in zip(size, windows, strict=True)])


def get_compute_order(
    graph_def: Any, input_node_name: str = "", input_node_size: Sequence[int] | None = None
) -> tuple[dict[str, NodeInfo], dict[str, Any]]:
    """Computes an order of a network's nodes, and the sizes of their feature maps.

    Args:
        graph_def: GraphDef of the network.
        input_node_name: str, the node of the input image; "" if it is not known.
        input_node_size: list of 2 ints, the height and width of the input image, or None.

    Returns:
        (dict from names to NodeInfos; dict from names to NodeDefs). A NodeInfo is a tuple of the order, the NodeDef,
        and the height and width of the first input and of the output. Unknown sizes are None.

    Raises:
        ValueError: if the graph has a loop.
    """
    nodes = parse_graph_nodes(graph_def)
    found: dict[str, NodeInfo] = {}
    if input_node_name in nodes:
        size: _Size = None if input_node_size is None else [*input_node_size]
        found[input_node_name] = NodeInfo(0, nodes[input_node_name], None, size)
    for start in nodes:
        path, on_path = [start], {start}
        while path:
            name = path[-1]
            needed = () if name in found else [each for each in data_inputs(nodes[name]) if each not in found]
            if needed:
                if needed[0] in on_path:
                    raise ValueError(f"The graph has a loop, in which {needed[0]} is.")
                path.append(needed[0])
                on_path.add(needed[0])
                continue
            if name not in found:
                found[name] = _info(nodes[name], nodes, found)
            on_path.discard(path.pop())
    return found, nodes
