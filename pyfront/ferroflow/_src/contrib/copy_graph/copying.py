"""Copies of variables, operations and tensors in other graphs."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor, original_op
from ferroflow._src.session.session import Session
from ferroflow._src.variables.resource_variable import is_resource_variable
from ferroflow._src.variables.variable import Variable

__all__ = ["copy_op_to_graph", "copy_variable_to_graph", "get_copied_op"]

_UNSCOPED = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES)


def _copied_name(name: str, scope: str) -> str:
    return f"{scope}/{name}" if scope else name


def _copied_collections(element: Any, scope: str) -> list[Any]:
    """Returns the collections for a copy of what is in collections of its graph."""
    graph: Graph = element.graph
    keys = graph.get_all_collection_keys()
    found = [key for key in keys if any(held is element for held in graph.get_collection_ref(key))]
    return [key if not scope or key in _UNSCOPED else f"{scope}/{key}" for key in found]


def copy_variable_to_graph(org_instance: Any, to_graph: Graph, scope: str = "") -> Any:
    """Adds a variable to another graph whose initial value is that of a given variable.

    The copy is in the same collections. Within a scope, their names begin with it, except those of the global and
    trainable variables.

    Args:
        org_instance: Variable whose initial value does not depend on other variables.
        to_graph: Graph that the copy is added to.
        scope: str, the start of the copy's name.

    Returns:
        Variable of the dtype and shape of the initial value.

    Raises:
        TypeError: if `org_instance` is not a Variable.
    """
    if not isinstance(org_instance, Variable):
        raise TypeError(f"{org_instance} is not a Variable")
    collections = _copied_collections(org_instance, scope)
    initial: Any = org_instance.initial_value
    with Session(graph=org_instance.graph) as session:
        value = session.run(initial)
    with to_graph.as_default():
        return Variable(
            value,
            trainable=GraphKeys.TRAINABLE_VARIABLES in collections,
            name=_copied_name(org_instance.op.name, scope),
            collections=collections,
            validate_shape=False,
            use_resource=is_resource_variable(org_instance),
        )


def copy_op_to_graph(org_instance: Any, to_graph: Graph, variables: Iterable[Any], scope: str = "") -> Any:
    """Copies an operation to another graph, with all operations that it depends on.

    Operations that the graph contains under the name of the copy are used as they are.

    Args:
        org_instance: Operation, or Tensor of any dtype and shape. Copies of Tensors are in the collections of the
            Tensors, whose names begin with the scope.
        to_graph: Graph that the copy is added to.
        variables: list of the Variables of `to_graph` that `copy_variable_to_graph` has made of those that the
            operation reads.
        scope: str, the start of the copies' names.

    Returns:
        Operation or Tensor of `to_graph`, of the dtype and shape of `org_instance`.

    Raises:
        TypeError: if `org_instance` is neither an Operation nor a Tensor, or `to_graph` is not a Graph.
        NotImplementedError: if the operation depends on itself, as in a while loop.
    """
    if not isinstance(org_instance, (Operation, Tensor)):
        raise TypeError(f"Could not copy instance: {org_instance}")
    if not isinstance(to_graph, Graph):
        raise TypeError(f"to_graph must be a Graph: {to_graph}")
    copied = {variable.name: variable for variable in variables}
    # Deep graphs exceed Python's limit of recursion.
    stack: list[tuple[Any, Iterator[Any]]] = []
    open_ops: set[Any] = set()

    def enter(element: Any) -> None:
        if element in open_ops:
            raise NotImplementedError(
                f"{element.name} depends on itself, as in a while loop, and cannot be copied. Use "
                "tf.train.export_meta_graph and tf.train.import_meta_graph, which copy whole graphs."
            )
        if _present(element, to_graph, copied, scope) is None:
            open_ops.add(element)
            stack.append((element, iter(_needed(element))))

    enter(org_instance)
    while stack:
        element, needed = stack[-1]
        following = next(needed, None)
        if following is not None:
            enter(following)
            continue
        stack.pop()
        open_ops.discard(element)
        _add_copy(element, to_graph, copied, scope)
    return _present(org_instance, to_graph, copied, scope)


def _needed(element: Operation | Tensor) -> list[Any]:
    if isinstance(element, Tensor):
        return [element.op]
    original = original_op(element)
    forward = [] if original is None else [original]
    return [*forward, *element.control_inputs, *element.inputs]


def _present(element: Operation | Tensor, to_graph: Graph, variables: dict[str, Any], scope: str) -> Any:
    """Returns the copy of an element, or None if the graph does not contain it."""
    name = _copied_name(element.name, scope)
    if name in variables:
        return to_graph.get_tensor_by_name(variables[name].name)
    try:
        return to_graph.as_graph_element(name, allow_tensor=True, allow_operation=True)
    except (KeyError, ValueError):
        return None


def _add_copy(element: Operation | Tensor, to_graph: Graph, variables: dict[str, Any], scope: str) -> None:
    if isinstance(element, Tensor):
        made = _present(element, to_graph, variables, scope)
        for key in _copied_collections(element, ""):
            to_graph.add_to_collection(_copied_name(key, scope), made)
        return

    def copied(needed: Any) -> Any:
        return _present(needed, to_graph, variables, scope)

    node_def = copy.deepcopy(element.node_def)
    node_def.name = _copied_name(element.name, scope)
    original = original_op(element)
    made = Operation(
        node_def,
        to_graph,
        [copied(tensor) for tensor in element.inputs],
        control_inputs=[copied(op) for op in element.control_inputs],
        original_op=None if original is None else copied(original),
    )
    to_graph._apply_device_functions(made)


def get_copied_op(org_instance: Any, graph: Graph, scope: str = "") -> Any:
    """Returns the copy of an operation or a tensor in another graph.

    Args:
        org_instance: Operation, or Tensor of any dtype and shape.
        graph: Graph that contains the copy.
        scope: str, the start of the copy's name.

    Returns:
        Operation or Tensor of `graph`, of the dtype and shape of `org_instance`.

    Raises:
        KeyError: if the graph does not contain the copy.
    """
    return graph.as_graph_element(_copied_name(org_instance.name, scope), allow_tensor=True, allow_operation=True)
