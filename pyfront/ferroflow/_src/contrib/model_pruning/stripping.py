"""Graphs without masks: each product of weights and mask becomes a constant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.base.tensor_content import make_tensor_proto
from ferroflow._src.checkpoint.meta_graph import import_meta_graph
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_pruning import convert_variables_to_constants, extract_sub_graph
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.session.session import Session

_MASKED = "masked_weight"


def _masked_weights(graph_def: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Returns the values of masked weights by the names of their nodes."""
    names = [node.name for node in graph_def.node if _MASKED in node.name]
    graph = Graph()
    with graph.as_default():
        import_graph_def(graph_def, name="")
        with Session(graph=graph) as session:
            values: list[Any] = session.run([f"{name}:0" for name in names])
    for name, value in zip(names, values, strict=True):
        zeros = 100 - 100 * np.count_nonzero(value) / np.size(value)
        tf_logging.info("%s has %d values, %1.2f%% zeros", name, np.size(value), zeros)
    return dict(zip(names, values, strict=True))


def strip_pruning_vars_fn(input_graph_def: Any, output_node_names: Sequence[str]) -> Any:
    """Returns the graph with constants in place of masked weights, and without masks.

    Args:
        input_graph_def: GraphDef whose variables are constants, as `tf.graph_util.convert_variables_to_constants`
            returns it.
        output_node_names: list of str, the nodes to compute.

    Returns:
        GraphDef of the nodes that lead to `output_node_names`.

    Raises:
        AssertionError: if an output is not in the graph.
    """
    values = _masked_weights(input_graph_def)
    stripped = proto.GraphDef()
    for node in input_graph_def.node:
        added = stripped.node.add()
        if node.name not in values:
            added.CopyFrom(node)
            continue
        added.op = "Const"
        added.name = node.name
        added.attr["dtype"].CopyFrom(node.attr["T"])
        added.attr["value"].tensor.CopyFrom(make_tensor_proto(values[node.name]))
    return extract_sub_graph(stripped, output_node_names)


def graph_def_from_checkpoint(checkpoint_dir: str, output_node_names: Sequence[str]) -> Any:
    """Returns the graph of the latest checkpoint, with constants in place of variables.

    The graph of the checkpoint is added to the default graph.

    Args:
        checkpoint_dir: str, folder of the checkpoints.
        output_node_names: list of str, the nodes to compute.

    Returns:
        GraphDef of the nodes that lead to `output_node_names`.

    Raises:
        ValueError: if there is no checkpoint.
        AssertionError: if an output is not in the graph.
    """
    path = latest_checkpoint(checkpoint_dir)
    if path is None:
        raise ValueError(f"Could not find a checkpoint at: {checkpoint_dir}.")
    saver: Any = import_meta_graph(f"{path}.meta", clear_devices=True)
    with Session() as session:
        saver.restore(session, path)
        return convert_variables_to_constants(session, get_default_graph().as_graph_def(), output_node_names)
