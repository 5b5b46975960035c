"""Transforms that rename, remove or order parts of a graph, and compute nothing."""

from __future__ import annotations

import itertools
import string
from typing import Any, Final

from ferroflow._src.base import dtypes, errors
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_pruning import node_name
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.internals.graph_transforms.messages import (
    by_name,
    copied,
    data_inputs,
    kept_nodes,
    rename_inputs,
    with_nodes,
)
from ferroflow._src.internals.graph_transforms.specification import Context, dtype_of, invalid, shape_of

_SHORT: Final = string.digits + string.ascii_lowercase + string.ascii_uppercase
_PRINTED: Final = 1024


def imported(graph_def: Any) -> Graph:
    """Returns a new graph with the nodes of a GraphDef, under their names."""
    graph = Graph()
    with graph.as_default():
        import_graph_def(graph_def, name="")
    return graph


def add_default_attributes(graph_def: Any, context: Context) -> Any:
    """Gives each node the attributes that it lacks, with their defaults."""
    result, whole = copied(graph_def), by_name(imported(graph_def).as_graph_def())
    for node in result.node:
        try:
            known = {attr["name"] for attr in op_schema(node.op)["attrs"]}
        except errors.NotFoundError:  # a function of the graph's library
            continue
        for name in known - set(node.attr):
            if name in whole[node.name].attr:
                node.attr[name].CopyFrom(whole[node.name].attr[name])
    return result


def backport_concatv2(graph_def: Any, context: Context) -> Any:
    """Replaces `ConcatV2` by `Concat`, whose axis is the first input."""
    result = copied(graph_def)
    for node in result.node:
        if node.op == "ConcatV2":
            count = len(data_inputs(node))
            inputs = list(node.input)
            del node.input[:]
            node.input.extend([inputs[count - 1], *inputs[: count - 1], *inputs[count:]])
            node.op = "Concat"
            node.attr.pop("Tidx", None)
    return result


def insert_logging(graph_def: Any, context: Context) -> Any:
    """Adds a `Print` behind nodes of the types `op`, or whose names begin with a `prefix`; behind all without both."""
    ops = set(context.parameters.get("op", ()))
    prefixes = tuple(context.parameters.get("prefix", ()))
    message = context.one("message", "")
    shows_name, shows_op = context.truth("show_name", False), context.truth("show_op", False)
    graph = imported(graph_def)
    nodes, renames, added = [], {}, set()
    for node in copied(graph_def).node:
        nodes.append(node)
        outputs = graph.get_operation_by_name(node.name).outputs
        chosen = node.op in ops or (bool(prefixes) and node.name.startswith(prefixes))
        if (
            not (chosen or not (ops or prefixes))
            or not outputs
            or any(dtypes.is_reference(each.dtype) for each in outputs)
        ):
            continue
        for i, output in enumerate(outputs):
            suffix = f"_{i}" if i else ""
            printing = with_nodes(graph_def, [node]).node[0]
            printing.Clear()
            printing.op, printing.name = "Print", f"{node.name}__print__{suffix}"
            printing.input.extend([f"{node.name}:{i}", *(f"{node.name}:{j}" for j in range(len(outputs)))])
            said = ";".join(part for part in (message, node.name * shows_name, node.op * shows_op) if part)
            printing.attr["message"].s = f"{said};".encode() if said else b""
            printing.attr["T"].type = output.dtype.as_datatype_enum
            printing.attr["U"].list.type.extend([each.dtype.as_datatype_enum for each in outputs])
            printing.attr["first_n"].i = context.number("first_n", -1)
            printing.attr["summarize"].i = context.number("summarize", _PRINTED)
            nodes.append(printing)
            added.add(printing.name)
            renames[f"{node.name}:{i}" if i else node.name] = printing.name
    result = with_nodes(graph_def, nodes)
    controls = {name: name for name in by_name(result)}
    rename_inputs(result.node, {**controls, **renames}, added)
    return result


def merge_duplicate_nodes(graph_def: Any, context: Context) -> Any:
    """Keeps one of several nodes with equal types, attributes, devices and inputs."""
    result = copied(graph_def)
    ends = {node_name(name) for name in (*context.inputs, *context.outputs)}
    while True:
        first: dict[Any, str] = {}
        renames: dict[str, str] = {}
        nodes = []
        for node in result.node:
            attrs = tuple(sorted((name, value.SerializeToString(True)) for name, value in node.attr.items()))
            key = (node.op, node.device, tuple(name.removesuffix(":0") for name in node.input), attrs)
            if node.name in ends or _is_stateful(node.op) or key not in first:
                first.setdefault(key, node.name) if not _is_stateful(node.op) else None
                nodes.append(node)
            else:
                renames[node.name] = first[key]
        if not renames:
            return result
        for node in nodes:
            for i, name in enumerate(node.input):
                start = "^" if name.startswith("^") else ""
                source, colon, output = name.removeprefix("^").partition(":")
                if source in renames:
                    node.input[i] = f"{start}{renames[source]}{colon}{output}"
        result = with_nodes(result, nodes)


def _is_stateful(op_type: str) -> bool:
    try:
        schema = op_schema(op_type)
    except errors.NotFoundError:
        return True
    return bool(schema["is_stateful"] or schema["has_effects"] or op_type == "Placeholder")


def obfuscate_names(graph_def: Any, context: Context) -> Any:
    """Gives nodes short names, except inputs and outputs."""
    result = copied(graph_def)
    ends = {node_name(name) for name in (*context.inputs, *context.outputs)}
    short = ("".join(letters) for length in itertools.count(1) for letters in itertools.product(_SHORT, repeat=length))
    renames = {
        node.name: next(name for name in short if name not in ends) for node in result.node if node.name not in ends
    }
    for node in result.node:
        node.name = renames.get(node.name, node.name)
        for i, name in enumerate(node.input):
            start = "^" if name.startswith("^") else ""
            source, colon, output = name.removeprefix("^").partition(":")
            node.input[i] = f"{start}{renames.get(source, source)}{colon}{output}"
    return result


def remove_attribute(graph_def: Any, context: Context) -> Any:
    """Removes the attribute `attribute_name` from the nodes of type `op_name`, or from all."""
    name, op_type = context.needed("attribute_name", "remove_attribute"), context.one("op_name", "*")
    result = copied(graph_def)
    for node in result.node:
        if op_type in ("*", node.op):
            node.attr.pop(name, None)
    return result


def remove_control_dependencies(graph_def: Any, context: Context) -> Any:
    """Removes all control inputs."""
    result = copied(graph_def)
    for node in result.node:
        kept = data_inputs(node)
        del node.input[:]
        node.input.extend(kept)
    return result


def remove_device(graph_def: Any, context: Context) -> Any:
    """Removes the devices of all nodes."""
    result = copied(graph_def)
    for node in result.node:
        node.device = ""
    return result


def remove_nodes(graph_def: Any, context: Context) -> Any:
    """Removes nodes of the types `op` that have at most `max_inputs` inputs; their readers read the first input."""
    ops = set(context.parameters.get("op", ()))
    if not ops:
        raise invalid("remove_nodes expects at least one 'op' argument, e.g. remove_nodes(op=Identity)")
    most = context.number("max_inputs", 1)
    ends = {node_name(name) for name in (*context.inputs, *context.outputs)}
    result = copied(graph_def)
    removed = {
        node.name: data_inputs(node)[0]
        for node in result.node
        if node.op in ops and node.name not in ends and 1 <= len(data_inputs(node)) <= most
    }
    for name in removed:
        while (source := removed[name].removesuffix(":0")) in removed:
            removed[name] = removed[source]
    nodes = [node for node in result.node if node.name not in removed]
    rename_inputs(nodes, removed)
    return with_nodes(graph_def, nodes)


def rename_attribute(graph_def: Any, context: Context) -> Any:
    """Renames the attribute `old_attribute_name` of the nodes of type `op_name`, or of all."""
    old = context.needed("old_attribute_name", "rename_attribute")
    new = context.needed("new_attribute_name", "rename_attribute")
    op_type = context.one("op_name", "*")
    result = copied(graph_def)
    for node in result.node:
        if op_type in ("*", node.op) and old in node.attr:
            node.attr[new].CopyFrom(node.attr[old])
            del node.attr[old]
    return result


def rename_op(graph_def: Any, context: Context) -> Any:
    """Gives the nodes of type `old_op_name` the type `new_op_name`."""
    old, new = context.needed("old_op_name", "rename_op"), context.needed("new_op_name", "rename_op")
    result = copied(graph_def)
    for node in result.node:
        node.op = new if node.op == old else node.op
    return result


def rename_node(graph_def: Any, context: Context) -> Any:
    """Gives the node `old_node_name` the name `new_node_name`, also where other nodes read it."""
    old, new = context.needed("old_node_name", "rename_node"), context.needed("new_node_name", "rename_node")
    if new in by_name(graph_def):
        raise invalid(f"A node with the name {new} already exists.")
    result = copied(graph_def)
    for node in result.node:
        node.name = new if node.name == old else node.name
        for i, name in enumerate(node.input):
            if node_name(name) == old:
                node.input[i] = name.replace(old, new, 1)
    return result


def set_device(graph_def: Any, context: Context) -> Any:
    """Sets the devices of nodes to `device`; with `if_default`, only where there is none."""
    device, only_missing = context.one("device", ""), context.truth("if_default", False)
    result = copied(graph_def)
    for node in result.node:
        if not (only_missing and node.device):
            node.device = device
    return result


def sort_by_execution_order(graph_def: Any, context: Context) -> Any:
    """Puts nodes behind those that they read. A loop's last edge, from `NextIteration`, points backwards."""
    nodes = by_name(graph_def)
    order: dict[str, None] = {}
    for start in nodes:
        waiting = [start]
        open_nodes: set[str] = set()
        while waiting:
            name = waiting[-1]
            sources = [node_name(source) for source in nodes[name].input]
            needed = [
                source
                for source in sources
                if source in nodes
                and source not in order
                and nodes[source].op not in ("NextIteration", "RefNextIteration")
            ]
            if name in order or not needed or name in open_nodes:
                order.setdefault(waiting.pop())
                continue
            open_nodes.add(name)
            waiting += needed
    return with_nodes(graph_def, [nodes[name] for name in order])


def strip_unused_nodes(graph_def: Any, context: Context) -> Any:
    """Keeps what lies between inputs and outputs; inputs become placeholders.

    `type` and `shape` are those of all placeholders. `name`, `type_for_name` and `shape_for_name` are lists for single
    ones. Without them a placeholder has the dtype and shape that its node had.
    """
    named = context.parameters.get("name", [])
    types, shapes = (context.parameters.get(f"{kind}_for_name", []) for kind in ("type", "shape"))
    if any(each and len(each) != len(named) for each in (types, shapes)):
        raise invalid(
            "strip_unused_nodes expects its parameters 'name', 'type_for_name' and 'shape_for_name' equally often"
        )
    type_of = dict(zip(named, types, strict=False))
    shape_by = dict(zip(named, shapes, strict=False))
    inputs = {node_name(name) for name in context.inputs}
    kept = kept_nodes(graph_def, (*context.outputs, *context.inputs), inputs)
    graph = None
    nodes = []
    for node in copied(graph_def).node:
        if node.name not in kept:
            continue
        if node.name in inputs and node.op not in ("Placeholder", "PlaceholderWithDefault"):
            graph = graph or imported(graph_def)
            output = graph.get_tensor_by_name(f"{node.name}:0")
            dtype = type_of.get(node.name, context.one("type", ""))
            shape = shape_by.get(node.name, context.one("shape", ""))
            name = node.name
            node.Clear()
            node.op, node.name = "Placeholder", name
            node.attr["dtype"].type = dtype_of(dtype) if dtype else output.dtype.base_dtype.as_datatype_enum
            if shape:
                for size in shape_of(shape):
                    node.attr["shape"].shape.dim.add(size=size)
            else:
                node.attr["shape"].shape.CopyFrom(output.get_shape().as_proto())
        elif node.name in inputs and node.op == "PlaceholderWithDefault":
            _need_no_default(node)
        nodes.append(node)
    return with_nodes(graph_def, nodes)


def _need_no_default(node: Any) -> None:
    """Makes a placeholder with a default, whose default is stripped, a plain one."""
    node.op = "Placeholder"
    del node.input[:]
