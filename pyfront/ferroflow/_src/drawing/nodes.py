"""The nodes of a graph as images need them, whether they come from a `Graph` or from a GraphDef."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ferroflow._src.base.tensor_shape import TensorShape


class Node(NamedTuple):
    """One node.

    Attributes:
        name: str.
        op: str, the type of its operation.
        inputs: tuple of (node name, output index).
        controls: tuple of str, the names of the nodes it waits for.
        shapes: tuple of str, the shapes of its outputs, as far as they are known.
        device: str, empty if none was requested.
    """

    name: str
    op: str
    inputs: tuple[tuple[str, int], ...]
    controls: tuple[str, ...]
    shapes: tuple[str, ...]
    device: str


def _shape_text(shape: TensorShape) -> str:
    return "?" if shape.ndims is None else "x".join("?" if n is None else str(n) for n in shape.as_list()) or "scalar"


def nodes_of_operations(operations: Iterable[Any]) -> list[Node]:
    """Describes operations of a graph.

    Args:
        operations: Operations.
    """
    return [
        Node(
            op.name,
            op.type,
            tuple((tensor.op.name, tensor.value_index) for tensor in op.inputs),
            tuple(source.name for source in op.control_inputs),
            tuple(_shape_text(tensor.shape) for tensor in op.outputs),
            op.device,
        )
        for op in operations
    ]


def _split(inputs: Sequence[str]) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    data, controls = [], []
    for text in inputs:
        if text.startswith("^"):
            controls.append(text[1:])
            continue
        name, _, index = text.partition(":")
        data.append((name, int(index) if index.isdigit() else 0))
    return tuple(data), tuple(controls)


def nodes_of_graph_def(graph_def: Any) -> list[Node]:
    """Describes the nodes of a file, also those whose operation is unknown here.

    Args:
        graph_def: GraphDef message; shapes are those of the attribute `_output_shapes`.
    """
    found = []
    for node in graph_def.node:
        data, controls = _split(node.input)
        shapes: tuple[str, ...] = ()
        if "_output_shapes" in node.attr:
            shapes = tuple(_shape_text(TensorShape(shape)) for shape in node.attr["_output_shapes"].list.shape)
        found.append(Node(node.name, node.op, data, controls, shapes, node.device))
    return found
