"""`meta_graph_transform`: applies transforms to a graph, and keeps its collections, saver and signatures valid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from ferroflow._src.base import proto
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.contrib.meta_graph_transform.kept_parts import (
    add_table_initializers,
    copy_collection,
    copy_saver,
    copy_signature,
    shorten_save,
)
from ferroflow._src.contrib.meta_graph_transform.needed_operations import needed_operations, shared_initializer
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.graph_pruning import convert_variables_to_constants, node_name
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.internals.graph_transforms.applying import TransformGraph
from ferroflow._src.saved_model import constants
from ferroflow._src.session.session import Session

__all__ = ["meta_graph_transform"]

_FREEZE: Final = "freeze_graph"
_SPARSIFY: Final = "sparsify_gather"
# TensorFlow's spelling.
_ADDED_INITIALIZER: Final = "sparify_gather_init_op"
_PART: Final = "part_"

Initializers = dict[str, list[str]]


def meta_graph_transform(
    base_meta_graph_def: Any,
    input_names: list[str],
    output_names: list[str],
    transforms: Sequence[str],
    tags: Iterable[str],
    checkpoint_path: str | None = None,
) -> Any:
    """Applies graph transforms to a MetaGraphDef.

    Operations that save, restore and initialize are kept. Collections and signatures lose what names removed
    operations.

    Args:
        base_meta_graph_def: MetaGraphDef; it is not changed.
        input_names: list of str, names of the nodes that are fed.
        output_names: list of str, names of the nodes that are fetched.
        transforms: list of str, transforms of `tf.tools.graph_transforms`, and "freeze_graph", which replaces variables
            by constants of their values in the checkpoint. A frozen graph has no saver.
        tags: list of str, the tags of the new MetaGraphDef.
        checkpoint_path: str, prefix of the checkpoint for "freeze_graph".

    Returns:
        MetaGraphDef.

    Raises:
        ValueError: if a collection of operations holds other values, or a transform removes operations of the saver.
        tf.errors.InvalidArgumentError: if a transform is unknown or lacks a parameter.
        tf.errors.UnimplementedError: if ferroflow has no such transform of TensorFlow's, such as "sparsify_gather".
    """
    result = proto.MetaGraphDef()
    graph_def, initializers = apply_transforms(
        base_meta_graph_def.graph_def,
        input_names,
        output_names,
        needed_operations(base_meta_graph_def),
        transforms,
        base_meta_graph_def.saver_def,
        checkpoint_path,
    )
    result.graph_def.CopyFrom(graph_def)
    result.meta_info_def.CopyFrom(base_meta_graph_def.meta_info_def)
    result.meta_info_def.ClearField("tags")
    result.meta_info_def.tags.extend(tags)
    removed = {node.name for node in base_meta_graph_def.graph_def.node} - {node.name for node in graph_def.node}
    if _FREEZE not in transforms:
        copy_saver(base_meta_graph_def, result, removed)
    for key in base_meta_graph_def.collection_def:
        copy_collection(base_meta_graph_def, result, key, removed)
    add_table_initializers(result, initializers)
    for key in base_meta_graph_def.signature_def:
        copy_signature(base_meta_graph_def, result, key, removed)
    return result


def apply_transforms(
    graph_def: Any,
    input_names: list[str],
    output_names: list[str],
    initializer_names: Initializers,
    transforms: Iterable[str],
    saver_def: Any = None,
    checkpoint_path: str | None = None,
) -> tuple[Any, Initializers]:
    """Returns a transformed GraphDef, and the names of its operations that save, restore and initialize.

    Args:
        graph_def: GraphDef; it is not changed.
        input_names: list of str, names of the nodes that are fed.
        output_names: list of str, names of the nodes that are fetched.
        initializer_names: dict from collections to lists of names of operations to keep.
        transforms: transforms, in their order.
        saver_def: SaverDef that restores the checkpoint for "freeze_graph", or None.
        checkpoint_path: str, prefix of the checkpoint, or None.
    """
    result = proto.GraphDef()
    result.CopyFrom(graph_def)
    initializers = dict(initializer_names)
    waiting: list[str] = []
    for transform in transforms:
        if transform not in (_FREEZE, _SPARSIFY):
            waiting.append(transform)
            continue
        result = transform_graph(result, input_names, output_names, initializers, waiting)
        waiting = []
        if transform == _FREEZE:
            nodes = [node_name(name) for name in output_names]
            result, initializers = freeze(result, nodes, initializers, saver_def, checkpoint_path)
        else:
            result, initializers = sparsify_gather(result, input_names, output_names, initializers, checkpoint_path)
    return transform_graph(result, input_names, output_names, initializers, waiting), initializers


def transform_graph(
    graph_def: Any,
    input_names: list[str],
    output_names: list[str],
    initializer_names: Initializers,
    transforms: list[str],
) -> Any:
    """Returns what `TransformGraph` makes of a graph whose initializers are outputs, too; a copy without transforms."""
    if not transforms:
        copy = proto.GraphDef()
        copy.CopyFrom(graph_def)
        return copy
    kept = sorted(name for names in initializer_names.values() for name in names)
    return TransformGraph(graph_def, input_names, output_names + kept, transforms)


def freeze(
    graph_def: Any,
    output_names: list[str],
    initializer_names: Initializers,
    saver_def: Any,
    checkpoint_path: str | None,
) -> tuple[Any, Initializers]:
    """Returns a graph with constants for its variables, and the initializers that it still has: those of tables."""
    tables = initializer_names.get(GraphKeys.TABLE_INITIALIZERS, [])
    shared = shared_initializer(initializer_names)
    frozen = frozen_graph(graph_def, output_names, tables, shared, saver_def, checkpoint_path)
    keys = (GraphKeys.TABLE_INITIALIZERS, constants.LEGACY_INIT_OP_KEY, constants.MAIN_OP_KEY)
    return frozen, {key: initializer_names[key] for key in keys if tables and key in initializer_names}


def frozen_graph(
    input_graph_def: Any,
    output_node_names: list[str],
    initializer_names: list[str],
    shared_init_op_name: str | None,
    input_saver_def: Any,
    input_checkpoint: str | None,
) -> Any:
    """Returns a GraphDef in which constants of a checkpoint's values replace the variables.

    Args:
        input_graph_def: GraphDef.
        output_node_names: list of str, names of the nodes to keep with what they need.
        initializer_names: list of str, names of tables' initializers to keep.
        shared_init_op_name: str, name of the new operation that runs these initializers, or None.
        input_saver_def: SaverDef that restores the checkpoint.
        input_checkpoint: str, prefix of the checkpoint.
    """
    with Graph().as_default(), Session() as session:
        import_graph_def(input_graph_def, name="")
        Saver(saver_def=input_saver_def).restore(session, input_checkpoint)
        frozen = convert_variables_to_constants(session, input_graph_def, output_node_names + initializer_names)
    add_shared_initializer(frozen, shared_init_op_name, initializer_names)
    return frozen


def add_shared_initializer(graph_def: Any, shared_init_op_name: str | None, nodes_to_connect: list[str]) -> None:
    """Adds an operation that runs initializers to a GraphDef, if there are any."""
    if nodes_to_connect:
        graph_def.node.add(name=shared_init_op_name, op="NoOp", input=[f"^{name}" for name in nodes_to_connect])


def sparsify_gather(
    graph_def: Any,
    input_names: list[str],
    output_names: list[str],
    initializer_names: Initializers,
    checkpoint_path: str | None,
) -> tuple[Any, Initializers]:
    """Applies the transform "sparsify_gather", and adds the initializers of its tables to the others.

    Args:
        graph_def: GraphDef.
        input_names: list of str, names of the nodes that are fed.
        output_names: list of str, names of the nodes that are fetched.
        initializer_names: dict from collections to lists of names of operations to keep.
        checkpoint_path: str, prefix of the checkpoint with the variables' values, or None.

    Returns:
        GraphDef and the initializers.
    """
    before = {node.name for node in graph_def.node}
    added = _ADDED_INITIALIZER
    while added in before:
        added += "_1"
    checkpoint = f'input_checkpoint="{checkpoint_path}", ' if checkpoint_path else ""
    transform = f'{_SPARSIFY}({checkpoint}group_init_node="{added}")'
    graph_def = transform_graph(graph_def, input_names, output_names, initializer_names, [transform])
    removed = sorted(before - {node.name for node in graph_def.node})
    initializers = dict(initializer_names)
    index = next((i for i, node in enumerate(graph_def.node) if node.name == added), None)
    if index is not None:
        tables = [name.removeprefix("^") for name in graph_def.node[index].input]
        key = GraphKeys.TABLE_INITIALIZERS
        initializers[key] = [*initializers.get(key, ()), *tables]
        del graph_def.node[index]
        shared = shared_initializer(initializers)
        for node in graph_def.node:
            if node.name == shared:
                node.input.extend(f"^{name}" for name in tables)
    saved = [_name_in_checkpoint(name) for name in removed]
    for node in graph_def.node:
        if node.name.endswith("SaveV2"):
            shorten_save(graph_def, node, saved)
    return graph_def, initializers


def _name_in_checkpoint(name: str) -> str:
    """Returns the name under which a checkpoint has a variable: that of the whole for a part."""
    whole, slash, last = name.rpartition("/")
    return whole if slash and last.startswith(_PART) else name
