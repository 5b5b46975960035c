"""MetaGraphDef messages read from files and added to graphs with their collections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import compat, errors, proto, tf_logging
from ferroflow._src.base.files.staging import fetched
from ferroflow._src.base.files.system import exists, is_directory
from ferroflow._src.base.stored_messages import stored_message
from ferroflow._src.checkpoint.meta_graph_export import export_scoped_meta_graph
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import VARIABLE_COLLECTIONS, GraphKeys
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.framework.proto_functions import get_collection_proto_type, get_from_proto_function
from ferroflow._src.framework.scope_names import prepend_name_scope, strip_name_scope

# TF 1.x: files of early versions hold these collections as names of nodes.
_ONCE_NAMES = (GraphKeys.LOCAL_VARIABLES, GraphKeys.MODEL_VARIABLES)


def read_meta_graph_file(filename: str) -> Any:
    """Reads a MetaGraphDef from a file in protobuf's binary or text format.

    Args:
        filename: str, the file's path.

    Raises:
        IOError: if the file does not exist, or it holds no MetaGraphDef.
        tf.errors.FailedPreconditionError: if it is a folder.
    """
    if not exists(filename):
        raise OSError(f"File {filename} does not exist.")
    if is_directory(filename):
        raise errors.FailedPreconditionError(None, None, f"{filename}; Is a directory")
    copy = fetched(filename)
    with open(copy.path, "rb") as file:
        content = file.read()
    message = proto.MetaGraphDef()
    try:
        message.ParseFromString(content)
        return message
    except Exception:
        # protobuf's classes of errors differ by its implementations; what is no binary message may be text.
        message = proto.MetaGraphDef()
    text_format = proto.text_format()
    try:
        text_format.Merge(content.decode("utf-8"), message)
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise OSError(f"Cannot parse file {filename}: {error}.") from None
    return message


def meta_graph_message(meta_graph_or_file: Any) -> Any:
    """Returns the MetaGraphDef that a message or a file's name stands for."""
    if isinstance(meta_graph_or_file, proto.MetaGraphDef):
        return meta_graph_or_file
    descriptor = getattr(meta_graph_or_file, "DESCRIPTOR", None)
    if descriptor is not None and descriptor.full_name == "tensorflow.MetaGraphDef":
        # Another program's message class.
        return proto.MetaGraphDef.FromString(meta_graph_or_file.SerializeToString())
    return read_meta_graph_file(meta_graph_or_file)


def _check_unbound_inputs(message: Any, collection: str | None, input_map: dict[str, Any] | None) -> None:
    if not collection or collection not in message.collection_def:
        return
    collection_def = message.collection_def[collection]
    kind = collection_def.WhichOneof("kind")
    values = [compat.as_str(v) for v in getattr(collection_def, kind).value] if kind else []
    if values and sorted(values) != sorted(input_map or ()):
        missing = ",".join(v for v in values if v not in (input_map or ()))
        raise ValueError(f"Graph contains unbound inputs: {missing}. Must provide these inputs through input_map.")


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: dict[str, Any] | None = None,
    unbound_inputs_col_name: str | None = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
) -> dict[str, Any]:
    """Adds the graph of a MetaGraphDef and its collections to a graph.

    Args:
        meta_graph_or_file: the message, or the name of a file with it.
        clear_devices: bool. If True, leave out devices.
        graph: the `Graph`; None for the default graph.
        import_scope: str, a name scope for all that is added.
        input_map: dict of tensors to take instead of inputs, by the names of these.
        unbound_inputs_col_name: str, the collection of the inputs that `input_map` must give.
        restore_collections_predicate: says of a collection's name whether to restore it.

    Returns:
        Dict of the global variables in the scope, by their names in it.

    Raises:
        ValueError: if `input_map` does not give the unbound inputs.
        tf.errors.DataLossError: if an element of a collection is damaged.
    """
    message = meta_graph_message(meta_graph_or_file)
    _check_unbound_inputs(message, unbound_inputs_col_name, input_map)
    graph = graph or get_default_graph()
    with graph.as_default():
        graph_def = message.graph_def
        if clear_devices:
            graph_def = proto.GraphDef()
            graph_def.CopyFrom(message.graph_def)
            for node in graph_def.node:
                node.device = ""
        has_schemas = message.meta_info_def.HasField("stripped_op_list")
        scope = graph.unique_name(import_scope or "", mark_as_used=False)
        import_graph_def(
            graph_def,
            name=import_scope or scope,
            input_map=input_map,
            producer_op_list=message.meta_info_def.stripped_op_list if has_schemas else None,
        )
        restored: dict[bytes, Any] = {}
        for key, collection_def in sorted(message.collection_def.items()):
            if key != unbound_inputs_col_name and restore_collections_predicate(key):
                _restore_collection(graph, key, collection_def, scope, restored)
    variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)
    return {strip_name_scope(v.name, scope): v for v in variables}


def _restore_collection(graph: Graph, key: str, collection_def: Any, scope: str, restored: dict[bytes, Any]) -> None:
    """Restores a collection. `restored` has the variables restored so far, which may be in several collections."""
    kind = collection_def.WhichOneof("kind")
    if kind is None:
        tf_logging.error("Cannot identify data type for collection %s. Skipping.", key)
        return
    values = getattr(collection_def, kind).value
    from_proto = get_from_proto_function(key)
    if from_proto is not None and kind == "bytes_list":
        proto_type = get_collection_proto_type(key)
        for value in values:
            known = restored.get(value) if key in VARIABLE_COLLECTIONS else None
            if known is None:
                message = stored_message(proto_type, value, f"An element of the collection '{key}'")
                known = from_proto(message, import_scope=scope)
                if key in VARIABLE_COLLECTIONS:
                    restored[value] = known
            graph.add_to_collection(key, known)
        return
    if key in _ONCE_NAMES:
        tf_logging.warning(
            "The saved meta_graph is possibly from an older release:\n'%s' collection should be of type 'byte_list', "
            "but instead is of type '%s'.",
            key,
            kind,
        )
    for value in values:
        if kind == "node_list":
            value = graph.as_graph_element(prepend_name_scope(value, scope))
        elif kind == "bytes_list":
            value = prepend_name_scope(value, scope)
        graph.add_to_collection(key, value)


def copy_scoped_meta_graph(
    from_scope: str, to_scope: str, from_graph: Graph | None = None, to_graph: Graph | None = None
) -> dict[str, Any]:
    """Copies the contents of a name scope, with their collections, to another scope.

    Args:
        from_scope: str, the scope.
        to_scope: str, the other.
        from_graph: the `Graph` of the scope; None for the default graph.
        to_graph: the `Graph` of the other; None for the default graph.

    Returns:
        Dict of the variables in the other scope, by their names in it.

    Raises:
        ValueError: if the scopes are the same, of the same graph.
    """
    from_graph = from_graph or get_default_graph()
    to_graph = to_graph or get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError("'from_scope' and 'to_scope' need to be different when performing copy in the same graph.")
    message, _ = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    return import_scoped_meta_graph(message, graph=to_graph, import_scope=to_scope)
