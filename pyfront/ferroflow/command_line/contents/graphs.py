"""The nodes of a GraphDef, and the other contents of a MetaGraphDef or a SavedModel."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from ferroflow._src.base import dtypes, proto, tensor_content
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.saved_model import constants
from ferroflow.command_line.contents import checkpoints
from ferroflow.command_line.interface import interface
from ferroflow.command_line.model_files import FileKind, checkpoint_prefix, kind_of, meta_graph_of, saved_model_of
from ferroflow.command_line.tables import print_line, print_table, print_value, size_text


def _dtype(number: int) -> str:
    return dtypes.as_dtype(number).name if number else "?"


def _shape(message: Any) -> str:
    return str(TensorShape(message))


def _show_graph(graph_def: Any) -> None:
    counts = Counter(node.op for node in graph_def.node)
    print_table(
        ("operation", "nodes"), sorted(counts.items(), key=lambda item: (-item[1], item[0])), "operations", ("nodes",)
    )
    constants = sum(node.attr["value"].tensor.ByteSize() for node in graph_def.node if node.op == "Const")
    rows = [(end.kind, end.name, end.dtype, end.shape) for end in interface(graph_def)]
    if rows:
        print_table(("node", "name", "dtype", "shape"), rows, "inputs, variables and outputs")
    functions = len(graph_def.library.function)
    extra = f", {functions} functions" if functions else ""
    print_line(f"{len(graph_def.node)} nodes{extra}, constants of {size_text(constants)}")


def _show_signatures(meta_graph: Any) -> None:
    rows = []
    for key in sorted(meta_graph.signature_def):
        signature = meta_graph.signature_def[key]
        for kind, tensors in (("input", signature.inputs), ("output", signature.outputs)):
            for name in sorted(tensors):
                tensor = tensors[name]
                row = (kind, name, _dtype(tensor.dtype), _shape(tensor.tensor_shape), tensor.name or "(several)")
                rows.append((key, *row))
    if rows:
        print_table(("signature", "", "name", "dtype", "shape", "tensor"), rows, "signatures")


def _show_surroundings(meta_graph: Any) -> None:
    information = meta_graph.meta_info_def
    if information.tensorflow_version:
        print_line(f"written by version {information.tensorflow_version}")
    if meta_graph.collection_def:
        rows = []
        for name in sorted(meta_graph.collection_def):
            collection = meta_graph.collection_def[name]
            kind = collection.WhichOneof("kind")
            rows.append((name, len(getattr(collection, kind).value) if kind else 0))
        print_table(("collection", "items"), rows, right=("items",))
    _show_signatures(meta_graph)
    if meta_graph.asset_file_def:
        print_table(("asset", "tensor"), [(a.filename, a.tensor_info.name) for a in meta_graph.asset_file_def])


def show(path: str) -> None:
    """Prints what the graphs of a file are made of.

    Args:
        path: str, a file of a GraphDef, MetaGraphDef or SavedModel, or a SavedModel's folder.
    """
    kind = kind_of(path)
    if kind is FileKind.SAVED_MODEL:
        for meta_graph in saved_model_of(path).meta_graphs:
            print_line(f"SavedModel {path}, tags: {', '.join(meta_graph.meta_info_def.tags)}")
            _show_surroundings(meta_graph)
            _show_graph(meta_graph.graph_def)
        return
    meta_graph = meta_graph_of(path)
    print_line(f"{kind.value} {path}")
    _show_surroundings(meta_graph)
    _show_graph(meta_graph.graph_def)


def _show_node(node: Any) -> None:
    if node.op == "Const":
        tensor = node.attr["value"].tensor
        print_value(node.name, tensor_content.make_ndarray(tensor))
        return
    shown = proto.NodeDef()
    shown.CopyFrom(node)
    print_line(proto.text_format().MessageToString(shown, descriptor_pool=proto.descriptor_pool()).rstrip())


def show_key(path: str, key: str) -> bool:
    """Prints a variable's or constant's values, another node's definition, a signature or a collection.

    Args:
        path: str, as for `show`.
        key: str, its name; an output index such as `:0` is ignored.

    Returns:
        bool; True if there is one.
    """
    if kind_of(path) is FileKind.SAVED_MODEL:
        variables = os.path.join(path, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
        if checkpoint_prefix(variables) is not None and checkpoints.show_key(variables, key):
            return True
        meta_graphs = list(saved_model_of(path).meta_graphs)
    else:
        meta_graphs = [meta_graph_of(path)]
    name, found = key.partition(":")[0], False
    for meta_graph in meta_graphs:
        for node in meta_graph.graph_def.node:
            if node.name == name:
                _show_node(node)
                found = True
        for messages in (meta_graph.signature_def, meta_graph.collection_def):
            if key in messages:
                print_line(proto.text_format().MessageToString(messages[key]).rstrip())
                found = True
    return found


def keys(path: str) -> list[str]:
    """Returns the names of nodes, signatures and collections.

    Args:
        path: str, as for `show`.
    """
    is_saved_model = kind_of(path) is FileKind.SAVED_MODEL
    meta_graphs = list(saved_model_of(path).meta_graphs) if is_saved_model else [meta_graph_of(path)]
    found = set[str]()
    for meta_graph in meta_graphs:
        found.update(node.name for node in meta_graph.graph_def.node)
        found.update(meta_graph.signature_def, meta_graph.collection_def)
    return sorted(found)
