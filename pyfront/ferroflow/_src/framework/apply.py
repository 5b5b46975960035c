"""`apply_op`: adds an operation from Python arguments, converted according to the op's schema."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from ferroflow._src.base import compat
from ferroflow._src.framework import default_stacks
from ferroflow._src.framework.arguments import converted, leaves
from ferroflow._src.framework.default_graph import graph_of
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.op_schema import op_schema

_references: dict[str, tuple[int, ...]] = {}


def apply_op(
    op_type: str, inputs: Sequence[Any], attrs: dict[str, Any] | None = None, name: str | None = None
) -> Operation:
    """Adds an operation to the graph of its inputs, or to the default graph.

    Args:
        op_type: the op.
        inputs: one entry for each argument of the op, a list for list arguments. A value that is not a tensor is
            converted under the op's name scope, with the dtype that the schema or the other arguments require.
        attrs: the attributes that inputs do not decide; None stands for the default of one that has a default.
        name: by default the op's type; made unique. A name ending in `/` is taken as it is.

    Raises:
        TypeError: if an argument cannot be converted or has a type the schema does not allow.
        ValueError: if shapes or attributes are incompatible, or the inputs belong to several graphs.
        tf.errors.NotFoundError: if the op is not registered.
    """
    if attrs:
        for value in attrs.values():
            if value is None:
                attrs = _without_defaults(op_type, attrs)
                break
    name = op_type if name is None else name if name.__class__ is str else compat.as_str(name)
    for item in inputs:
        if not isinstance(item, Tensor):
            plain = False
            break
    else:
        plain = True
    if plain:
        arguments: list[Any] = list(inputs)
        function = default_stacks.default_graph_stack.get_function()
        if function is not None:
            graph: Graph = function
            arguments = [graph.capture(t) for t in inputs]
        else:
            graph = inputs[0].graph if inputs else graph_of(())
            for tensor in inputs:
                if tensor.graph is not graph:
                    graph_of(inputs)
        unique = graph._scopes.names.op_name(name)
    else:
        graph = graph_of(leaves(inputs))
        names = graph._scopes.names
        unique = names.op_name(name)
        outer = names.stack
        names.stack = unique
        try:
            with graph.as_default():
                arguments = converted(op_type, inputs, attrs or {})
                if graph.building_function:
                    arguments = [
                        [graph.capture(t) for t in a] if isinstance(a, list) else graph.capture(a) for a in arguments
                    ]
        finally:
            names.stack = outer
    references = _references.get(op_type)
    if references is None:
        references = _reference_arguments(op_type)
    if not references:
        return graph._add(op_type, unique, arguments, attrs)
    # TF 1.x: an op that takes a reference is placed with what it refers to.
    with ExitStack() as scopes:
        for i in references:
            for tensor in arguments[i] if isinstance(arguments[i], list) else [arguments[i]]:
                scopes.enter_context(graph.colocate_with(tensor))
        return graph._add(op_type, unique, arguments, attrs)


def _reference_arguments(op_type: str) -> tuple[int, ...]:
    """Returns the positions of the arguments that are references to variables, and keeps them."""
    inputs = op_schema(op_type)["inputs"]
    found = _references[op_type] = tuple(i for i, arg in enumerate(inputs) if arg["is_ref"])
    return found


def tensor_op(
    op_type: str, inputs: Sequence[Any], attrs: dict[str, Any] | None = None, name: str | None = None
) -> Tensor:
    """Returns the first output of `apply_op`."""
    return apply_op(op_type, inputs, attrs, name)._outputs[0]


def _without_defaults(op_type: str, attrs: dict[str, Any]) -> dict[str, Any]:
    """Returns `attrs` without those that are None and have a default, which the engine fills in."""
    optional = {a["name"] for a in op_schema(op_type)["attrs"] if a["has_default"] and a["type"] != "shape"}
    return {attr: value for attr, value in attrs.items() if value is not None or attr not in optional}
