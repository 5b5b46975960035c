"""The inputs and outputs of a graph, with the shapes that importing it infers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import ferroflow as tf
from ferroflow._src.base import dtypes, errors
from ferroflow._src.base.tensor_shape import TensorShape

_PLACEHOLDERS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
# Ops that end a graph without being its result.
_NO_RESULTS = ("Assert", "Assign", "NoOp", "SaveV2")


@dataclass(frozen=True)
class End:
    """An input, a variable or an output of a graph.

    Attributes:
        kind: str, "input", "variable" or "output".
        name: str, the tensor's name.
        dtype: str; "" if it is not known.
        shape: str; "" if it is not known.
    """

    kind: str
    name: str
    dtype: str
    shape: str


def interface(graph_def: Any, outputs: Iterable[str] | None = None) -> list[End]:
    """Lists what a graph is fed and what it gives.

    Args:
        graph_def: GraphDef message.
        outputs: names of the nodes that are its outputs; None for those that no node reads.

    Returns:
        list of End, in the order of the graph.
    """
    read = {name.removeprefix("^").partition(":")[0] for node in graph_def.node for name in node.input}
    wanted = None if outputs is None else set(outputs)
    inferred = _inferred(graph_def)
    found = []
    for node in graph_def.node:
        if node.op in _PLACEHOLDERS:
            found.append(End("input", node.name, *_declared(node)))
        elif node.op in _VARIABLES:
            found.append(End("variable", node.name, *_declared(node)))
        is_end = node.name not in read and node.op not in _NO_RESULTS
        if is_end if wanted is None else node.name in wanted:
            found += [
                End("output", name, *about) for name, about in inferred.get(node.name, {node.name: ("", "")}).items()
            ]
    return found


def _declared(node: Any) -> tuple[str, str]:
    dtype = node.attr["dtype"].type
    return dtypes.as_dtype(dtype).name if dtype else "?", str(TensorShape(node.attr["shape"].shape))


def _inferred(graph_def: Any) -> dict[str, dict[str, tuple[str, str]]]:
    """Returns the dtypes and shapes of outputs, by node and tensor; nothing where the graph cannot be imported."""
    try:
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(graph_def, name="")
    except (ValueError, TypeError, errors.OpError):
        return {}
    return {
        op.name: {
            (op.name if len(op.outputs) == 1 else tensor.name): (tensor.dtype.name, str(tensor.get_shape()))
            for tensor in op.outputs
        }
        for op in graph.get_operations()
    }
