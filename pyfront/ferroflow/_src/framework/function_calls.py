"""Calls in a GraphDef by the name of a function or of its gradient, as `PartitionedCall` nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.framework.gradient_registry import late_modules as modules_of_rules

_GRADIENT = "SymbolicGradient"
_CALL = "PartitionedCall"
# Makes the function of another one's gradients, and returns its name; the layer of gradients sets it.
_makers: list[Callable[[Any, str], str]] = []


def set_gradient_maker(make: Callable[[Any, str], str]) -> None:
    """Sets what makes the function of a function's gradients.

    Args:
        make: function of a graph and the name of one of its functions. It adds a function that takes the arguments and
            the gradients of the results. That returns the gradients of the arguments. It returns the name.
    """
    _makers[:] = [make]


def gradient_of(graph: Any, name: str) -> str:
    """Returns the name of the function of a function's gradients.

    Args:
        graph: `tf.Graph` with the function.
        name: str, the function.

    Raises:
        NotImplementedError: if gradients are not loaded.
    """
    modules_of_rules.load()
    if not _makers:
        raise NotImplementedError(f"the gradient of function {name} needs the package; import ferroflow first")
    return _makers[0](graph, name)


def has_calls_by_name(graph_def: Any) -> bool:
    """Returns True if a node of a GraphDef with functions calls by the name of a function or of its gradient.

    Args:
        graph_def: GraphDef message.
    """
    names = {function.signature.name for function in graph_def.library.function} | {_GRADIENT}
    bodies = [graph_def.node, *(function.node_def for function in graph_def.library.function)]
    return any(node.op in names for nodes in bodies for node in nodes)


def with_plain_calls(graph_def: Any) -> tuple[Any, dict[str, str]]:
    """Returns a GraphDef without calls by name, and the functions whose gradients it calls by the names of these.

    Args:
        graph_def: GraphDef message with functions.

    Raises:
        ValueError: if a call has an attribute that its function's signature lacks.
    """
    plain = proto.GraphDef()
    plain.CopyFrom(graph_def)
    signatures = {function.signature.name: function.signature for function in plain.library.function}
    own = {pair.function_name: pair.gradient_func for pair in plain.library.gradient}
    needed: dict[str, str] = {}
    _replace(plain.node, signatures, own, needed)
    for function in plain.library.function:
        counts = {node.name: signatures[node.op] for node in function.node_def if node.op in signatures}
        gradients = {node.name for node in function.node_def if node.op == _GRADIENT}
        _replace(function.node_def, signatures, own, needed)
        for node in function.node_def:
            node.input[:] = [_moved(name, counts, gradients) for name in node.input]
        for key, name in list(function.ret.items()):
            function.ret[key] = _moved(name, counts, gradients)
    return plain, needed


def _replace(nodes: Sequence[Any], signatures: dict[str, Any], own: dict[str, str], needed: dict[str, str]) -> None:
    for node in nodes:
        if node.op == _GRADIENT:
            function = node.attr["f"].func.name
            gradient = own.get(function) or f"{function}__gradient"
            if function not in own:
                needed[gradient] = function
            node.op = _CALL
            node.attr["f"].func.name = gradient
        elif node.op in signatures:
            signature = signatures[node.op]
            unknown = {name for name in node.attr if not name.startswith("_")} - {attr.name for attr in signature.attr}
            if unknown:
                raise ValueError(
                    f"NodeDef mentions attr '{min(unknown)}' not in the signature of function {node.op}; "
                    f"NodeDef: {node.name}"
                )
            kept = {name: value for name, value in node.attr.items() if name.startswith("_")}
            node.attr.clear()
            for name, value in kept.items():
                node.attr[name].CopyFrom(value)
            node.attr["f"].func.name = node.op
            node.attr["Tin"].list.type.extend(arg.type for arg in signature.input_arg)
            node.attr["Tout"].list.type.extend(arg.type for arg in signature.output_arg)
            node.op = _CALL


def _moved(name: str, calls: dict[str, Any], gradients: set[str]) -> str:
    """Returns the name of a value within a body, where the node that makes it is a plain call now."""
    node, _, rest = name.partition(":")
    output, _, index = rest.partition(":")
    if node in gradients:
        return f"{node}:output:{index or 0}"
    if node in calls and output:
        names = [arg.name for arg in calls[node].output_arg]
        return f"{node}:output:{names.index(output)}"
    return name
