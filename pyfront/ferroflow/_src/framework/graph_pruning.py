"""GraphDef messages reduced to the nodes that some nodes or inference need, with variables frozen to constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes, proto, tensor_content, tf_logging
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import SessionObject
from ferroflow._src.framework.handles import Operation

_VARIABLE_OPS = frozenset(
    (
        *("Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub", "ScatterUpdate"),
        *("TruncatedNormal", "Variable", "VariableV2"),
    )
)


def node_name(input_name: str) -> str:
    """Returns the node that an input names."""
    return input_name[1:] if input_name.startswith("^") else input_name.partition(":")[0]


def reachable_nodes(target_nodes: Iterable[str], name_to_input_name: Mapping[str, list[str]]) -> set[str]:
    """Returns the names of nodes and of all that they need, directly or not.

    Args:
        target_nodes: iterable of names.
        name_to_input_name: the names of the inputs of each node.

    Raises:
        KeyError: if a node is missing.
    """
    found: set[str] = set()
    waiting = list(target_nodes)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += name_to_input_name[name]
    return found


def _without_nodes(graph_def: Any) -> Any:
    """Returns a GraphDef with the versions and functions of another one."""
    result = proto.GraphDef()
    for field, value in graph_def.ListFields():
        if field.name != "node":
            getattr(result, field.name).CopyFrom(value)
    return result


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Returns True if a node has to be placed on a CPU.

    Args:
        node: Operation or NodeDef message.
        pin_variables_on_cpu: bool, counts operations on variables too.

    Returns:
        bool.
    """
    node_def = node.node_def if isinstance(node, Operation) else node
    if pin_variables_on_cpu and node_def.op in _VARIABLE_OPS:
        return True
    typed = {"Const": "dtype", "DynamicStitch": "T", "ParallelDynamicStitch": "T", "Cast": "SrcT"}.get(node_def.op)
    if typed is None:
        return False
    dtype = node_def.attr[typed].type
    return bool(dtype == dtypes.int32 or (node_def.op == "Const" and dtype == dtypes.string))


def extract_sub_graph(graph_def: Any, dest_nodes: Sequence[str]) -> Any:
    """Returns the part of a graph that some nodes need.

    Args:
        graph_def: a GraphDef message.
        dest_nodes: names of nodes.

    Returns:
        A GraphDef of the nodes that lead to `dest_nodes`, in their order.

    Raises:
        TypeError: if an argument has the wrong type.
        AssertionError: if a node is not in the graph.
    """
    if not isinstance(graph_def, proto.GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be a list.")
    inputs = {node_name(node.name): [node_name(i) for i in node.input] for node in graph_def.node}
    for name in dest_nodes:
        if name not in inputs:
            raise AssertionError(f"{name} is not in graph")
    keep = reachable_nodes(dest_nodes, inputs)
    result = _without_nodes(graph_def)
    result.node.extend(node for node in graph_def.node if node.name in keep)
    return result


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> TensorShape:
    """Returns the shape of the tensor that a NodeDef's input names.

    Args:
        graph: Graph.
        input_name: str, `op_name` or `op_name:output_number`.

    Returns:
        TensorShape, as far as it is known.

    Raises:
        KeyError: if a tensor of that name is not in the graph.
    """
    shape: TensorShape = graph.get_tensor_by_name(input_name if ":" in input_name else f"{input_name}:0").shape
    return shape


def convert_variables_to_constants(
    sess: SessionObject,
    input_graph_def: object,
    output_node_names: Sequence[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> Any:
    """Returns the graph with the session's values in place of its variables.

    Args:
        sess: the session that holds the variables.
        input_graph_def: a GraphDef message of its graph.
        output_node_names: the nodes to compute; nodes that they do not need are left out.
        variable_names_whitelist: the variables to convert, by default all.
        variable_names_blacklist: variables that stay.

    Returns:
        A GraphDef.

    Raises:
        tf.errors.FailedPreconditionError: if a variable has no value.
        TypeError: if an argument has the wrong type.
        AssertionError: if an output is not in the graph.
    """
    needed = extract_sub_graph(input_graph_def, output_node_names)
    allowed = None if variable_names_whitelist is None else set(variable_names_whitelist)
    refused = set(variable_names_blacklist or ())
    fetches = {}
    for node in needed.node:
        chosen = node.name not in refused and (allowed is None or node.name in allowed)
        if chosen and node.op in ("Variable", "VariableV2", "VarHandleOp"):
            read = "/Read/ReadVariableOp:0" if node.op == "VarHandleOp" else ":0"
            fetches[node.name] = f"{node.name}{read}"
    values = sess.run(fetches) if fetches else {}
    tf_logging.info("Froze %d variables.", len(values))
    result = _without_nodes(needed)
    for node in needed.node:
        converted = result.node.add()
        if node.name in values:
            converted.name, converted.op = node.name, "Const"
            converted.attr["dtype"].CopyFrom(node.attr["dtype"])
            value = values[node.name]
            converted.attr["value"].tensor.CopyFrom(
                tensor_content.make_tensor_proto(value, dtype=node.attr["dtype"].type, shape=value.shape)
            )
        elif node.op == "ReadVariableOp" and node.input[0] in values:
            converted.name, converted.op = node.name, "Identity"
            converted.input.append(node.input[0])
            converted.attr["T"].CopyFrom(node.attr["dtype"])
            if "_class" in node.attr:
                converted.attr["_class"].CopyFrom(node.attr["_class"])
        else:
            converted.CopyFrom(node)
    tf_logging.info("Converted %d variables to const ops.", len(values))
    return result


def remove_training_nodes(input_graph: Any, protected_nodes: Iterable[str] | None = None) -> Any:
    """Returns the graph without CheckNumerics nodes and without Identity nodes that order nothing.

    Args:
        input_graph: a GraphDef message.
        protected_nodes: names of nodes that stay.

    Returns:
        A GraphDef.
    """
    protected = set(protected_nodes or ())
    removed = {n.name for n in input_graph.node if n.op == "CheckNumerics" and n.name not in protected}
    spliced: dict[str, str] = {}
    for node in input_graph.node:
        if node.op == "Identity" and node.name not in protected:
            inputs = [i for i in node.input if i.removeprefix("^") not in removed]
            # One with control edges may order what must stay ordered.
            if inputs and not any(i.startswith("^") for i in inputs):
                spliced[node.name] = inputs[0]
    result = proto.GraphDef()
    for node in input_graph.node:
        if node.name in removed or node.name in spliced:
            continue
        kept = result.node.add()
        kept.CopyFrom(node)
        del kept.input[:]
        for name in node.input:
            if name.removeprefix("^") in removed:
                continue
            while name.removeprefix("^") in spliced:
                name = spliced[name.removeprefix("^")]
            kept.input.append(name)
    return result
