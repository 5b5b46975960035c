"""`object_metadata`, `list_objects` and `dot_graph_from_checkpoint`: the objects of a checkpoint or program."""

from __future__ import annotations

from typing import Any

from ferroflow._src.checkpoint.object_graph import ObjectGraphView
from ferroflow._src.checkpoint.object_saver import stored_objects
from ferroflow._src.checkpoint.reader import NewCheckpointReader
from ferroflow._src.framework.trackable import OBJECT_GRAPH_PROTO_KEY, VARIABLE_VALUE_KEY


def object_metadata(save_path: str) -> Any:
    """Returns the objects of a checkpoint, their edges and the keys of their values.

    Args:
        save_path: str, the checkpoint's prefix.

    Returns:
        TrackableObjectGraph message.

    Raises:
        ValueError: if the checkpoint is one of a `tf.train.Saver`.
        tf.errors.NotFoundError: if it does not exist.
        tf.errors.DataLossError: if the message with its objects is damaged.
    """
    message = stored_objects(save_path)
    if message is None:
        raise ValueError(
            f'The specified checkpoint "{save_path}" does not appear to be object-based (it is missing the key '
            f'"{OBJECT_GRAPH_PROTO_KEY}"): a tf.train.Saver saves variables by their names.'
        )
    return message


def list_objects(root_trackable: Any) -> list[Any]:
    """Returns the objects that a checkpoint of an object would hold.

    Args:
        root_trackable: Trackable.

    Returns:
        list of Trackables, the nearest first.
    """
    return ObjectGraphView(root_trackable).list_objects()


def _quoted(name: str) -> str:
    return name.replace('"', '\\"')


def dot_graph_from_checkpoint(save_path: str) -> str:
    """Returns a drawing of a checkpoint's objects and edges in the language of Graphviz.

    Args:
        save_path: str, the checkpoint's prefix.

    Returns:
        str.

    Raises:
        ValueError: if the checkpoint is one of a `tf.train.Saver`.
        tf.errors.NotFoundError: if it does not exist.
    """
    nodes = object_metadata(save_path).nodes
    reader = NewCheckpointReader(save_path)
    shapes, dtypes = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    slots = {slot.slot_variable_node_id for node in nodes for slot in node.slot_variables}
    lines = ["digraph {"]
    for number, node in enumerate(nodes):
        point = f'N_{number} [shape=point label=""'
        if [value.name for value in node.attributes] == [VARIABLE_VALUE_KEY]:
            value = node.attributes[0]
            color, kind = ("orange", "Slot variable") if number in slots else ("blue", "Variable")
            about = f"{kind} {_quoted(value.full_name)} shape={shapes[value.checkpoint_key]}"
            lines.append(f'{point} color={color} width=.25 tooltip="{about} {dtypes[value.checkpoint_key].name}"]')
        elif node.slot_variables:
            lines.append(f'{point} width=.25 color=red,tooltip="Optimizer"]')
        else:
            lines.append(f"{point} width=.25]")
        for edge in node.children:
            lines.append(f'N_{number} -> N_{edge.node_id} [label="{_quoted(edge.local_name)}"]')
        for slot in node.slot_variables:
            there = slot.slot_variable_node_id
            lines.append(f'N_{number} -> N_{there} [label="{_quoted(slot.slot_name)}" style=dotted]')
            lines.append(f"N_{slot.original_variable_node_id} -> N_{there} [style=dotted]")
    return "\n".join([*lines, "}", ""])
