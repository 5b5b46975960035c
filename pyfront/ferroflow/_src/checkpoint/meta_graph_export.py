"""Graphs with their collections as MetaGraphDef messages."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from ferroflow._src.base import compat, errors, proto, tf_logging, version
from ferroflow._src.base.files.urls import folder_of
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_files import write_graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.node_def import to_op_def
from ferroflow._src.framework.proto_functions import (
    get_collection_proto_type,
    get_from_proto_function,
    get_to_proto_function,
)
from ferroflow._src.framework.scope_names import strip_name_scope

# First part of the names of inputs from outside an exported scope.
UNBOUND_INPUT_PREFIX = "$unbound_inputs_"
_MOST_BYTES = 1 << 31
# The functions of a GraphDef.
_library = operator.attrgetter("library")
_SAVER_OPS = frozenset(
    (
        *("SaveV2", "Save", "SaveSlice", "LegacySave", "LegacySaveSlice"),
        *("RestoreV2", "Restore", "RestoreSlice", "LegacyRestore", "LegacyRestoreSlice"),
    )
)
# Ops of function bodies that no registry has.
_BODY_OPS = frozenset(("_Arg", "_Retval", "_ListToArray", "_ArrayToList"))


def _scoped_node(node: Any, export_scope: str | None, unbound_inputs: list[str], clear_devices: bool) -> Any:
    """Returns a copy of a NodeDef with a scope taken off its names."""
    result = proto.NodeDef()
    result.CopyFrom(node)
    for i, name in enumerate(node.input):
        if export_scope and not name.lstrip("^").startswith(export_scope):
            result.input[i] = re.sub(r"^(\^?)", r"\1" + UNBOUND_INPUT_PREFIX.replace("\\", r"\\"), name)
            unbound_inputs.append(result.input[i])
        else:
            result.input[i] = strip_name_scope(name, export_scope)
    result.name = strip_name_scope(node.name, export_scope)
    if "_class" in node.attr:
        kept = [
            strip_name_scope(s.decode(), export_scope).encode()
            for s in node.attr["_class"].list.s
            if not export_scope or s.decode().partition("@")[2].startswith(export_scope)
        ]
        result.attr["_class"].CopyFrom(proto.AttrValue(list=proto.AttrValue.ListValue(s=kept)))
    if node.op in ("Enter", "RefEnter") and "frame_name" in node.attr:
        frame = node.attr["frame_name"].s.decode()
        if not export_scope or frame.startswith(export_scope):
            result.attr["frame_name"].s = strip_name_scope(frame, export_scope).encode()
    if clear_devices:
        result.device = ""
    return result


def ops_used_by_graph_def(graph_def: Any) -> list[str]:
    """Returns the types of the ops of a GraphDef and of the functions that it uses.

    Args:
        graph_def: a GraphDef message.

    Returns:
        List of str.
    """
    functions = {function.signature.name: function for function in _library(graph_def).function}
    used: set[str] = set()
    waiting = [graph_def.node]
    while waiting:
        for op_type in {node.op for node in waiting.pop()} - used:
            used.add(op_type)
            if op_type in functions:
                waiting.append(functions[op_type].node_def)
    return [op_type for op_type in used if op_type not in functions]


def stripped_op_list_for_graph(graph_def: Any) -> Any:
    """Returns the schemas of the ops that a GraphDef uses, sorted.

    Args:
        graph_def: a GraphDef message.

    Returns:
        An OpList message.

    Raises:
        ValueError: if an op is not registered.
    """
    schemas = []
    for op_type in sorted(ops_used_by_graph_def(graph_def)):
        if op_type in _BODY_OPS:
            continue
        try:
            schemas.append(to_op_def(op_type))
        except errors.NotFoundError:
            raise ValueError(f"Op {op_type} is used by the graph, but is not registered") from None
    return proto.OpList(op=schemas)


def _scope_of(node_name: str) -> str:
    """Returns the name scope of a node, with a slash at its end."""
    return node_name.removeprefix("^").rpartition("/")[0] + "/"


def _extraneous_saver_nodes(graph_def: Any, saver_def: Any) -> set[str]:
    """Returns the nodes of savers other than that of `saver_def`, each of which has a name scope of its own."""
    scopes = {_scope_of(node.name) for node in graph_def.node if node.op in _SAVER_OPS}
    if saver_def is not None:
        for name in (saver_def.save_tensor_name, saver_def.restore_op_name):
            scopes.discard(_scope_of(name))
    extraneous = tuple(scopes)
    return {node.name for node in graph_def.node if node.name.startswith(extraneous)}


def _is_included(item: Any, export_scope: str | None, exclude_nodes: Collection[str] | None) -> bool:
    """Returns True if a node or an object of a collection is exported."""
    name = item if isinstance(item, str) else getattr(item, "name", None)
    if not isinstance(name, str):
        return True
    if exclude_nodes and name in exclude_nodes:
        return False
    return name.startswith(UNBOUND_INPUT_PREFIX) or not export_scope or name.startswith(export_scope)


def add_collection_def(
    meta_graph_def: Any,
    key: Any,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Collection[str] | None = None,
    override_contents: Iterable[Any] | None = None,
) -> None:
    """Adds a collection to a MetaGraphDef; one that cannot be written is left out with a warning.

    Args:
        meta_graph_def: the message.
        key: the collection's name.
        graph: the `Graph` of the collection; None for the default graph.
        export_scope: str, a name scope to remove from names; nodes outside it are left out.
        exclude_nodes: names of nodes to leave out.
        override_contents: dict or list to write instead of the collection.

    Raises:
        TypeError: if `graph` is not a `Graph`.
    """
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"graph must be of type Graph, not {type(graph)}")
    if not isinstance(key, str | bytes):
        tf_logging.warning("Only collections with string type keys will be serialized. This key has %s", type(key))
        return
    items = list(override_contents or (graph or get_default_graph()).get_collection(key))
    items = [item for item in items if _is_included(item, export_scope, exclude_nodes)]
    if not items:
        return
    key = compat.as_str(key)
    try:
        _fill_collection(meta_graph_def.collection_def[key], key, items, export_scope)
    except Exception as error:
        # TF 1.x: a collection may hold anything; what has no form in the file is no reason to lose the rest.
        tf_logging.warning(
            "Issue encountered when serializing %s.\nType is unsupported, or the types of the items don't match field "
            "type in CollectionDef. Note this is a warning and probably safe to ignore.\n%s",
            key,
            error,
        )
        del meta_graph_def.collection_def[key]


def _fill_collection(collection_def: Any, key: str, items: list[Any], export_scope: str | None) -> None:
    to_proto = get_to_proto_function(key)
    if to_proto is not None:
        proto_type = get_collection_proto_type(key)
        for item in items:
            message = to_proto(item, export_scope=export_scope)
            if message is None:
                continue
            if not isinstance(message, proto_type):
                raise TypeError(f"{item} became a {type(message).__name__}, not a {proto_type.__name__}")
            collection_def.bytes_list.value.append(message.SerializeToString())
        return
    first = items[0]
    if isinstance(first, str | bytes):
        collection_def.bytes_list.value.extend(compat.as_bytes(item) for item in items)
    elif isinstance(first, int):
        collection_def.int64_list.value.extend(items)
    elif isinstance(first, float):
        collection_def.float_list.value.extend(items)
    elif getattr(getattr(first, "DESCRIPTOR", None), "full_name", "") == "google.protobuf.Any":
        for item in items:
            collection_def.any_list.value.add(type_url=item.type_url, value=item.value)
    else:
        for item in items:
            if not export_scope or item.name.startswith(export_scope):
                collection_def.node_list.value.append(strip_name_scope(item.name, export_scope))


def _strip_default_attrs(meta_graph_def: Any) -> None:
    """Leaves out the attributes that have their default values."""
    graph_def = meta_graph_def.graph_def
    functions = {function.signature.name for function in _library(graph_def).function}
    defaults: dict[str, dict[str, Any]] = {}

    def nodes() -> Iterator[Any]:
        yield from graph_def.node
        for function in _library(graph_def).function:
            yield from function.node_def

    for node in nodes():
        if node.op in functions:
            continue
        if node.op not in defaults:
            try:
                schema = to_op_def(node.op)
            except errors.NotFoundError:
                defaults[node.op] = {}
                continue
            defaults[node.op] = {a.name: a.default_value for a in schema.attr if a.HasField("default_value")}
        for name, default in defaults[node.op].items():
            if name in node.attr and node.attr[name] == default:
                del node.attr[name]
    meta_graph_def.meta_info_def.stripped_default_attrs = True


def _checked(value: Any, kind: Any, argument: str) -> None:
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{argument} must be of type {kind.__name__}, not {type(value)}")


def create_meta_graph_def(
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Collection[str] | None = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
) -> Any:
    """Makes a MetaGraphDef.

    Args:
        meta_info_def: a MetaInfoDef message to complete.
        graph_def: a GraphDef message; None for that of `graph`.
        saver_def: a SaverDef message.
        collection_list: names of the collections to add; None for all.
        graph: the `Graph`; None for the default graph.
        export_scope: str, a name scope to take off the names of collections.
        exclude_nodes: names of nodes to leave out of collections.
        clear_extraneous_savers: bool. If True, the collection of savers has but that of `saver_def`.
        strip_default_attrs: bool. If True, attributes with their default values are left out.

    Returns:
        A MetaGraphDef message.

    Raises:
        TypeError: if an argument has a wrong type.
        ValueError: if an op is not registered.
    """
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"graph must be of type Graph, not {type(graph)}")
    _checked(meta_info_def, proto.MetaGraphDef.MetaInfoDef, "meta_info_def")
    _checked(graph_def, proto.GraphDef, "graph_def")
    _checked(saver_def, proto.SaverDef, "saver_def")
    graph = graph or get_default_graph()
    result = proto.MetaGraphDef()
    info = result.meta_info_def
    if meta_info_def is not None:
        info.MergeFrom(meta_info_def)
    info.tensorflow_version = version.VERSION
    info.tensorflow_git_version = version.GIT_VERSION
    result.graph_def.MergeFrom(graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def)
    if not info.stripped_op_list.op:
        info.stripped_op_list.MergeFrom(stripped_op_list_for_graph(result.graph_def))
    if strip_default_attrs:
        _strip_default_attrs(result)
    if saver_def is not None:
        result.saver_def.MergeFrom(saver_def)
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        instead = None
        if clear_extraneous_savers and key == GraphKeys.SAVERS:
            from_proto: Callable[..., Any] | None = get_from_proto_function(key)
            instead = [from_proto(saver_def)] if from_proto is not None and saver_def is not None else None
        add_collection_def(result, key, graph, export_scope, exclude_nodes, instead)
    return result


def export_scoped_meta_graph(
    filename: str | None = None,
    graph_def: Any = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    as_text: bool = False,
    unbound_inputs_col_name: str | None = "unbound_inputs",
    clear_devices: bool = False,
    saver_def: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    meta_info_def: Any = None,
    collection_list: Iterable[str] | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Returns a graph, or what is in one of its name scopes, as a MetaGraphDef.

    Args:
        filename: str, a file to write it to.
        graph_def: a GraphDef message to take instead of the graph's own.
        graph: the `Graph`; None for the default graph.
        export_scope: str, the name scope, which is taken off the names; None for the whole graph.
        as_text: bool. If True, the file is in protobuf's text format.
        unbound_inputs_col_name: str, a collection for the names of inputs from outside the scope.
        clear_devices: bool. If True, leave out devices.
        saver_def: a SaverDef message to add.
        clear_extraneous_savers: bool. If True, leave out the nodes of other savers.
        strip_default_attrs: bool. If True, leave out attributes with their default values.
        meta_info_def: a MetaInfoDef message to complete.
        collection_list: names of the collections to add; None for all.

    Returns:
        A MetaGraphDef message, and a dict of the variables in the scope by their names in it.

    Raises:
        ValueError: if the GraphDef would be larger than 2 GB.
    """
    graph = graph or get_default_graph()
    exclude_nodes: set[str] | None = None
    unbound_inputs: list[str] = []
    if export_scope or clear_extraneous_savers or clear_devices:
        source = graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def
        if clear_extraneous_savers:
            exclude_nodes = _extraneous_saver_nodes(source, saver_def)
        graph_def = proto.GraphDef()
        graph_def.versions.CopyFrom(source.versions)
        _library(graph_def).CopyFrom(_library(source))
        size = 0
        for node in source.node:
            if _is_included(node.name, export_scope, exclude_nodes):
                size += node.ByteSize()
                if size >= _MOST_BYTES:
                    raise ValueError("GraphDef cannot be larger than 2GB.")
                graph_def.node.append(_scoped_node(node, export_scope, unbound_inputs, clear_devices))
        if unbound_inputs_col_name:
            graph.clear_collection(unbound_inputs_col_name)
            for name in unbound_inputs:
                graph.add_to_collection(unbound_inputs_col_name, name)
    variables = {
        strip_name_scope(v.name, export_scope): v
        for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=export_scope)
        if _is_included(v, export_scope, exclude_nodes)
    }
    message = create_meta_graph_def(
        meta_info_def=meta_info_def,
        graph_def=graph_def,
        saver_def=saver_def,
        collection_list=collection_list,
        graph=graph,
        export_scope=export_scope,
        exclude_nodes=exclude_nodes,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
    )
    if filename:
        write_graph(message, folder_of(filename), os.path.basename(filename), as_text=as_text)
    return message, variables
