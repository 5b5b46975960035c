"""Copies parts of a MetaGraphDef without what names removed operations."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

from ferroflow._src.contrib.meta_graph_transform.needed_operations import node_names
from ferroflow._src.framework.graph_keys import GraphKeys

_NAME: Final = re.compile(r"[\w/]+", re.ASCII)


def _is_removed(tensor_name: str, removed: Collection[str]) -> bool:
    return tensor_name.partition(":")[0] in removed


def _mentions(value: Any, removed: Collection[str]) -> bool:
    """Returns True if a removed operation's name ends one of the names in a serialized message."""
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
    return any(name.endswith(tuple(removed)) for name in _NAME.findall(text))


def _need(tensor_name: str, removed: Collection[str]) -> None:
    if not tensor_name:
        raise ValueError("Tensor name should not be empty")
    if _is_removed(tensor_name, removed):
        raise ValueError(f"Expected Tensor, but it was removed: {tensor_name}")


def copy_collection(before: Any, after: Any, key: str, removed: Collection[str]) -> None:
    """Copies a collection, without the values that name removed operations.

    Args:
        before: MetaGraphDef to copy from.
        after: MetaGraphDef to copy to.
        key: str, the collection's name.
        removed: names of operations. A message is left out if one of the names in it ends with such a name.
    """
    source, target = before.collection_def[key], after.collection_def[key]
    if source.HasField("any_list"):
        target.any_list.value.extend(each for each in source.any_list.value if not _mentions(each.value, removed))
    elif source.HasField("bytes_list"):
        target.bytes_list.value[:] = [each for each in source.bytes_list.value if not _mentions(each, removed)]
    elif source.HasField("node_list"):
        target.node_list.value[:] = [each for each in source.node_list.value if not _is_removed(each, removed)]
    else:
        target.CopyFrom(source)


def copy_saver(before: Any, after: Any, removed: Collection[str]) -> None:
    """Copies the SaverDef of a MetaGraphDef, if it has one.

    Args:
        before: MetaGraphDef to copy from.
        after: MetaGraphDef to copy to.
        removed: names of operations.

    Raises:
        ValueError: if one of the saver's operations is removed.
    """
    if before.HasField("saver_def"):
        saver = before.saver_def
        for name in (saver.filename_tensor_name, saver.save_tensor_name, saver.restore_op_name):
            _need(name, removed)
        after.saver_def.CopyFrom(saver)


def copy_signature(before: Any, after: Any, key: str, removed: Collection[str]) -> None:
    """Copies a signature, unless one of its tensors is of a removed operation.

    Args:
        before: MetaGraphDef to copy from.
        after: MetaGraphDef to copy to.
        key: str, the signature's name.
        removed: names of operations.
    """
    signature = before.signature_def[key]
    tensors = [*signature.inputs.values(), *signature.outputs.values()]
    if all(each.name and not _is_removed(each.name, removed) for each in tensors):
        after.signature_def[key].CopyFrom(signature)


def add_table_initializers(meta_graph_def: Any, initializers: dict[str, list[str]]) -> None:
    """Adds new initializers of tables to their collection in a MetaGraphDef, sorted by name."""
    key = GraphKeys.TABLE_INITIALIZERS
    new = set(initializers.get(key, ())) - set(node_names(meta_graph_def, key))
    if new:
        meta_graph_def.collection_def[key].node_list.value.extend(sorted(new))


def shorten_save(graph_def: Any, save: Any, removed: Collection[str]) -> None:
    """Removes variables from a `SaveV2` operation: their names, slices and dtypes.

    Args:
        graph_def: GraphDef with the constants `tensor_names` and `shape_and_slices` below the operation's name.
        save: NodeDef of the operation; it and the constants are changed.
        removed: names that the variables have in checkpoints.
    """
    nodes = {node.name: node for node in graph_def.node}
    constants = [nodes[f"{save.name}/{part}"] for part in ("tensor_names", "shape_and_slices")]
    names = list(constants[0].attr["value"].tensor.string_val)
    kept = [i for i, name in enumerate(names) if not _is_removed(name.decode(), removed)]
    types = list(save.attr["dtypes"].list.type)
    save.attr["dtypes"].list.type[:] = [types[i] for i in kept]
    for constant in constants:
        tensor = constant.attr["value"].tensor
        values = list(tensor.string_val)
        tensor.string_val[:] = [values[i] for i in kept]
        tensor.tensor_shape.dim[0].size = len(kept)
        shapes = constant.attr["_output_shapes"].list.shape
        if not shapes:
            shapes.add().dim.add()
        shapes[0].dim[0].size = len(kept)
