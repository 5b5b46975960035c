"""Names of the operations that save, restore and initialize a graph, which its transforms keep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.proto_functions import get_collection_proto_type
from ferroflow._src.saved_model import constants

_OF_VARIABLES: Final = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
)
_OF_ONE_OPERATION: Final = (
    constants.LEGACY_INIT_OP_KEY,
    constants.MAIN_OP_KEY,
    GraphKeys.INIT_OP,
    GraphKeys.LOCAL_INIT_OP,
    GraphKeys.READY_OP,
    GraphKeys.READY_FOR_LOCAL_INIT_OP,
)


def needed_operations(meta_graph_def: Any) -> dict[str, list[str]]:
    """Returns the names of a graph's operations for saving, restoring and initializing, by collection.

    Args:
        meta_graph_def: MetaGraphDef.

    Returns:
        dict from the collection's name to a list of names; collections without such operations are left out.

    Raises:
        ValueError: if a collection holds another kind of values, or several initial operations.
    """
    savers = [meta_graph_def.saver_def] if meta_graph_def.HasField("saver_def") else []
    savers += _messages(meta_graph_def, GraphKeys.SAVERS)
    found = {
        GraphKeys.SAVERS: [
            name
            for saver in savers
            for name in (saver.filename_tensor_name, saver.save_tensor_name, saver.restore_op_name)
        ]
    }
    for key in _OF_VARIABLES:
        found[key] = [variable.initializer_name for variable in _messages(meta_graph_def, key)]
    found[GraphKeys.TABLE_INITIALIZERS] = node_names(meta_graph_def, GraphKeys.TABLE_INITIALIZERS)
    for key in _OF_ONE_OPERATION:
        found[key] = node_names(meta_graph_def, key)
        if len(found[key]) > 1:
            raise ValueError(f"Collection {key} has {len(found[key])} elements; expected exactly one.")
    return {key: names for key, names in found.items() if names}


def node_names(meta_graph_def: Any, key: str) -> list[str]:
    """Returns the names of the nodes in a collection of a MetaGraphDef; ValueError if it holds no names of nodes."""
    return list(_values(meta_graph_def, key, "node_list"))


def _messages(meta_graph_def: Any, key: str) -> list[Any]:
    message_type = get_collection_proto_type(key)
    return [message_type.FromString(value) for value in _values(meta_graph_def, key, "bytes_list")]


def _values(meta_graph_def: Any, key: str, kind: str) -> Iterable[Any]:
    if key not in meta_graph_def.collection_def:
        return ()
    values: Iterable[Any] = getattr(meta_graph_def.collection_def[key], kind).value
    if not values:
        raise ValueError(f"Collection {key} is present but type is not {kind}.")
    return values


def shared_initializer(initializers: dict[str, list[str]]) -> str | None:
    """Returns the name of the one operation that initializes a served model, or None."""
    names = initializers.get(constants.MAIN_OP_KEY) or initializers.get(constants.LEGACY_INIT_OP_KEY)
    return str(names[0]) if names else None
