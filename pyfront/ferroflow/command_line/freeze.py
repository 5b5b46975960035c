"""`ferroflow freeze`: a graph and its variables' values as one GraphDef of constants."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

import ferroflow as tf
from ferroflow._src.framework.graph_files import replace_file
from ferroflow._src.saved_model import constants
from ferroflow.command_line.interface import interface
from ferroflow.command_line.model_files import FileKind, NotReadable, checkpoint_prefix, kind_of, meta_graph_of
from ferroflow.command_line.tables import print_table, size_text

HELP = "write a graph with its variables' values as constants"
EXIT_STATUS = "0; 1 if the graph cannot be frozen; 2 if a file cannot be read or written"

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "model", metavar="MODEL", help="a checkpoint with its .meta file, a SavedModel, or a file with a graph"
    )
    parser.add_argument("output", metavar="OUTPUT.pb", help="the file to write")
    parser.add_argument(
        "--checkpoint", help="the checkpoint (prefix or folder) with the variables' values, if MODEL has none"
    )
    parser.add_argument(
        "--outputs", help="names of the output nodes, separated by commas; default: the signature's outputs"
    )
    parser.add_argument("--signature", help="the signature whose outputs are kept; default: serving_default")
    parser.add_argument(
        "--tags", help="tags of the graph in a SavedModel, separated by commas; default: its only graph"
    )
    parser.add_argument("--clear-devices", action="store_true", help="remove the nodes' devices")


def _outputs(args: argparse.Namespace, meta_graph: Any) -> list[str]:
    """Returns the names of the nodes to keep."""
    if args.outputs:
        return [name.strip().partition(":")[0] for name in args.outputs.split(",")]
    key = args.signature or "serving_default"
    if key not in meta_graph.signature_def:
        known = ", ".join(sorted(meta_graph.signature_def)) or "none"
        raise NotReadable(f"{args.model}: no signature {key} (there are: {known}); name the nodes with --outputs")
    tensors = meta_graph.signature_def[key].outputs
    return sorted({tensors[name].name.partition(":")[0] for name in tensors})


def _checkpoint(args: argparse.Namespace) -> str | None:
    """Returns the checkpoint with the variables' values; None if none is named."""
    if args.checkpoint:
        path = args.checkpoint
    elif kind_of(args.model) is FileKind.SAVED_MODEL:
        path = os.path.join(args.model, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
    elif kind_of(args.model) is FileKind.CHECKPOINT:
        path = args.model
    else:
        path = args.model.removesuffix(".meta")
    return checkpoint_prefix(path)


def frozen(meta_graph: Any, outputs: list[str], checkpoint: str | None) -> Any:
    """Returns a graph with the values of its variables as constants.

    Args:
        meta_graph: MetaGraphDef message; its own operations restore the variables, if it says which they are.
        outputs: list of str, the names of the nodes to keep, with what they need.
        checkpoint: str, prefix of the checkpoint with the values.

    Returns:
        A GraphDef message.

    Raises:
        NotReadable: if a node is missing, or a variable's value.
    """
    graph_def, saver = meta_graph.graph_def, meta_graph.saver_def
    nodes = {node.name for node in graph_def.node}
    missing = sorted(set(outputs) - nodes)
    if missing:
        raise NotReadable(f"the graph has no node {', '.join(missing)}")
    needed = tf.graph_util.extract_sub_graph(graph_def, outputs)
    names = [node.name for node in needed.node if node.op in _VARIABLES]
    if names and checkpoint is None:
        raise NotReadable("the graph has variables: name the checkpoint with their values (--checkpoint)")
    restoring = [saver.restore_op_name] if names and saver.restore_op_name in nodes else []
    with tf.Graph().as_default() as graph, tf.Session() as session:
        # Only what is needed: the rest may be training with operations that are not known here.
        tf.import_graph_def(tf.graph_util.extract_sub_graph(graph_def, outputs + restoring), name="")
        if restoring:
            session.run(saver.restore_op_name, {saver.filename_tensor_name: checkpoint})
        elif checkpoint is not None:
            _restore(graph, session, names, checkpoint)
        return tf.graph_util.convert_variables_to_constants(session, needed, outputs)


def _restore(graph: Any, session: Any, names: list[str], checkpoint: str) -> None:
    """Assigns the values that a checkpoint has under the variables' names."""
    reader = tf.train.NewCheckpointReader(checkpoint)
    missing = [name for name in names if not reader.has_tensor(name)]
    if missing:
        raise NotReadable(f"{checkpoint} has no value of {', '.join(missing)}")
    assignments, feeds = [], {}
    for name in names:
        op = graph.get_operation_by_name(name)
        value = tf.placeholder(op.get_attr("dtype"), op.get_attr("shape"))
        feeds[value] = reader.get_tensor(name)
        if op.type == "VarHandleOp":
            assignments.append(tf.raw_ops.AssignVariableOp(resource=op.outputs[0], value=value))
        else:
            assignments.append(tf.assign(op.outputs[0], value).op)
    session.run(assignments, feeds)


def run(args: argparse.Namespace) -> int:
    """Writes the file.

    Args:
        args: the command's arguments.

    Returns:
        int: 0; 1 if the graph cannot be frozen; 2 if a file cannot be read or written.
    """
    try:
        meta_graph = meta_graph_of(args.model, args.tags)
        outputs = _outputs(args, meta_graph)
        result = frozen(meta_graph, outputs, _checkpoint(args))
        if args.clear_devices:
            for node in result.node:
                node.device = ""
        content = result.SerializeToString()
        replace_file(args.output, content)
    except (NotReadable, OSError) as failure:
        print(f"ferroflow freeze: {failure}", file=sys.stderr)
        return 2
    except (tf.errors.OpError, ValueError) as failure:
        print(f"ferroflow freeze: {getattr(failure, 'message', failure)}", file=sys.stderr)
        return 1
    print(f"{args.output}: {len(result.node)} nodes, {size_text(len(content))}, for {', '.join(outputs)}")
    ends = [(end.kind, end.name, end.dtype, end.shape) for end in interface(result, outputs)]
    print_table(("", "name", "dtype", "shape"), ends)
    return 0
