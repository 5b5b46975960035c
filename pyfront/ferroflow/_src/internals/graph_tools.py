"""Functions of TensorFlow's tools for frozen graphs: freezing, cutting out what outputs need, folding for inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import proto, tensor_content
from ferroflow._src.base.files.file import GFile
from ferroflow._src.checkpoint.meta_graph import import_meta_graph
from ferroflow._src.checkpoint.reader import NewCheckpointReader
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.checkpoint.state import checkpoint_exists
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_pruning import (
    convert_variables_to_constants,
    extract_sub_graph,
    remove_training_nodes,
)
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.saved_model.loader import load
from ferroflow._src.session.session import Session


def _names(text: str) -> list[str]:
    """Returns names that commas separate in a text; a list is returned as it is."""
    return text.replace(" ", "").split(",") if isinstance(text, str) else list(text)


def _read(message: Any, path: str, is_binary: bool) -> Any:
    """Returns a message with what a file holds, as bytes or as text."""
    if is_binary:
        with GFile(path, "rb") as file:
            message.ParseFromString(file.read())
    else:
        with GFile(path, "r") as file:
            proto.text_format().Merge(file.read(), message)
    return message


def freeze_graph_with_def_protos(
    input_graph_def: Any,
    input_saver_def: Any,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: Any,
    filename_tensor_name: Any,
    output_graph: str | None,
    clear_devices: bool,
    initializer_nodes: str | None,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph_def: Any = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: Sequence[str] | None = None,
    checkpoint_version: Any = None,
) -> Any:
    """Replaces the variables of a graph by constants of their values in a checkpoint.

    Args:
        input_graph_def: GraphDef; None with a MetaGraphDef or a SavedModel.
        input_saver_def: SaverDef that restores the checkpoint; None to restore each variable by its name.
        input_checkpoint: str, prefix of the checkpoint.
        output_node_names: str, names of the nodes to keep with what they need, separated by commas.
        restore_op_name: without an effect, as in TensorFlow.
        filename_tensor_name: without an effect, as in TensorFlow.
        output_graph: str, the file to write the result to, as bytes; None for no file.
        clear_devices: bool. If True, nodes lose their devices.
        initializer_nodes: str, names of operations to run before, separated by commas, or None.
        variable_names_whitelist: str, the variables to replace, separated by commas; "" for all.
        variable_names_blacklist: str, the variables not to replace, separated by commas.
        input_meta_graph_def: MetaGraphDef, in place of the GraphDef; or None.
        input_saved_model_dir: str, folder of a SavedModel, in place of both; or None.
        saved_model_tags: list of str, the tags of the graph in the SavedModel.
        checkpoint_version: version of checkpoints that the restoring Saver has; None for that of Saver.

    Returns:
        GraphDef; -1 if the checkpoint does not exist or no output is named, which is also printed.
    """
    if not input_saved_model_dir and not checkpoint_exists(input_checkpoint):
        print(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
        return -1
    if not output_node_names:
        print("You need to supply the name of a node to --output_node_names.")
        return -1
    graph_def = input_graph_def if input_meta_graph_def is None else input_meta_graph_def.graph_def
    if clear_devices and graph_def is not None:
        for node in graph_def.node:
            node.device = ""
    version = {} if checkpoint_version is None else {"write_version": checkpoint_version}
    with Graph().as_default() as graph, Session() as session:
        if input_meta_graph_def is not None:
            restorer = import_meta_graph(input_meta_graph_def, clear_devices=True)
            # A graph without variables has no Saver, and nothing to restore.
            if restorer is not None:
                restorer.restore(session, input_checkpoint)
        elif input_saved_model_dir:
            graph_def = load(session, list(saved_model_tags or ()), input_saved_model_dir).graph_def
        else:
            import_graph_def(input_graph_def, name="")
            if input_saver_def is not None:
                saver = Saver(saver_def=input_saver_def, **version)
            else:
                shapes = NewCheckpointReader(input_checkpoint).get_variable_to_shape_map()
                nodes = {node.name for node in input_graph_def.node}
                saved = {key: graph.get_tensor_by_name(f"{key}:0") for key in shapes if key in nodes}
                saver = Saver(var_list=saved, **version)
            saver.restore(session, input_checkpoint)
        if initializer_nodes:
            session.run(_names(initializer_nodes))
        frozen = convert_variables_to_constants(
            session,
            graph_def,
            _names(output_node_names),
            variable_names_whitelist=_names(variable_names_whitelist) if variable_names_whitelist else None,
            variable_names_blacklist=_names(variable_names_blacklist) if variable_names_blacklist else None,
        )
    if output_graph:
        with GFile(output_graph, "wb") as file:
            file.write(frozen.SerializeToString())
    return frozen


def freeze_graph(
    input_graph: str | None,
    input_saver: str | None,
    input_binary: bool,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: Any,
    filename_tensor_name: Any,
    output_graph: str | None,
    clear_devices: bool,
    initializer_nodes: str | None,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph: str | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = "serve",
    checkpoint_version: Any = None,
) -> Any:
    """Replaces the variables of a graph in a file by constants of their values in a checkpoint.

    Args:
        input_graph: str, file of the GraphDef; None with a MetaGraphDef or a SavedModel.
        input_saver: str, file of the SaverDef; None or "" for none.
        input_binary: bool. If True, the files hold bytes; if not, text.
        input_checkpoint: str, prefix of the checkpoint.
        output_node_names: str, names of the nodes to keep with what they need, separated by commas.
        restore_op_name: without an effect, as in TensorFlow.
        filename_tensor_name: without an effect, as in TensorFlow.
        output_graph: str, the file to write the result to, as bytes; None for no file.
        clear_devices: bool. If True, nodes lose their devices.
        initializer_nodes: str, names of operations to run before, separated by commas, or None.
        variable_names_whitelist: str, the variables to replace, separated by commas; "" for all.
        variable_names_blacklist: str, the variables not to replace, separated by commas.
        input_meta_graph: str, file of a MetaGraphDef, in place of the GraphDef; or None.
        input_saved_model_dir: str, folder of a SavedModel, in place of both; or None.
        saved_model_tags: str, the tags of the graph in the SavedModel, separated by commas.
        checkpoint_version: version of checkpoints that the restoring Saver has; None for that of Saver.

    Returns:
        GraphDef; -1 if the checkpoint does not exist or no output is named, which is also printed.

    Raises:
        NotFoundError: if a file does not exist.
    """
    graph_def = _read(proto.GraphDef(), input_graph, input_binary) if input_graph else None
    meta_graph_def = _read(proto.MetaGraphDef(), input_meta_graph, input_binary) if input_meta_graph else None
    saver_def = _read(proto.SaverDef(), input_saver, input_binary) if input_saver else None
    return freeze_graph_with_def_protos(
        graph_def,
        saver_def,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_blacklist,
        meta_graph_def,
        input_saved_model_dir,
        _names(saved_model_tags),
        checkpoint_version,
    )


def strip_unused(
    input_graph_def: Any,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any,
) -> Any:
    """Returns the part of a graph between inputs, which become placeholders, and outputs.

    Args:
        input_graph_def: GraphDef.
        input_node_names: list of str, names of the inputs' nodes.
        output_node_names: list of str, names of the outputs' nodes.
        placeholder_type_enum: int, the number of the inputs' DType, or a list of one for each input.

    Returns:
        GraphDef.

    Raises:
        ValueError: if an input is the name of a tensor.
        KeyError: if the graph has no node of an input's name.
    """
    inputs = list(input_node_names)
    for name in inputs:
        if ":" in name:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not a Operation.")
    missing = set(inputs) - {node.name for node in input_graph_def.node}
    if missing:
        raise KeyError(f"The following input nodes were not found: {missing}")
    replaced = proto.GraphDef()
    for node in input_graph_def.node:
        if node.name not in inputs:
            replaced.node.add().CopyFrom(node)
            continue
        of_all = not isinstance(placeholder_type_enum, (list, tuple))
        dtype = placeholder_type_enum if of_all else placeholder_type_enum[inputs.index(node.name)]
        placeholder = replaced.node.add(op="Placeholder", name=node.name)
        placeholder.attr["dtype"].type = dtype
        if "_output_shapes" in node.attr:
            placeholder.attr["_output_shapes"].CopyFrom(node.attr["_output_shapes"])
    return extract_sub_graph(replaced, list(output_node_names))


# The inputs of normalizations by place: those after the value.
_NORMALIZATIONS = {
    "BatchNormWithGlobalNormalization": ("mean", "variance", "beta", "gamma"),
    "FusedBatchNorm": ("gamma", "beta", "mean", "variance"),
    "FusedBatchNormV2": ("gamma", "beta", "mean", "variance"),
    "FusedBatchNormV3": ("gamma", "beta", "mean", "variance"),
}


def fold_batch_norms(input_graph_def: Any) -> Any:
    """Multiplies the weights of convolutions by the scales of the normalizations behind them.

    Args:
        input_graph_def: GraphDef whose weights are constants.

    Returns:
        GraphDef: a normalization that follows a `Conv2D` is a `BiasAdd` of the same name.
    """
    nodes = {node.name: node for node in input_graph_def.node}
    readers: dict[str, int] = {}
    for node in input_graph_def.node:
        for source in node.input:
            name = source.lstrip("^").partition(":")[0]
            readers[name] = readers.get(name, 0) + 1
    folded = proto.GraphDef()
    folded.CopyFrom(input_graph_def)
    changed = {node.name: node for node in folded.node}
    for node in input_graph_def.node:
        order = _NORMALIZATIONS.get(node.op)
        convolution = nodes.get(node.input[0]) if order else None
        if order is None or convolution is None or convolution.op != "Conv2D" or readers[convolution.name] != 1:
            continue
        weights_node = nodes.get(convolution.input[1])
        parameters = [nodes.get(name) for name in node.input[1:5]]
        constants = [weights_node, *parameters]
        if any(each is None or each.op != "Const" for each in constants) or readers[convolution.input[1]] != 1:
            continue
        weights, *values = (tensor_content.make_ndarray(each.attr["value"].tensor) for each in constants if each)
        named = dict(zip(order, values, strict=True))
        is_old = node.op == "BatchNormWithGlobalNormalization"
        epsilon = node.attr["variance_epsilon" if is_old else "epsilon"].f
        scale = 1.0 / np.sqrt(named["variance"].astype(np.float64) + epsilon)
        if not is_old or node.attr["scale_after_normalization"].b:
            scale = scale * named["gamma"]
        offset = named["beta"] - named["mean"] * scale
        new_weights = changed[weights_node.name if weights_node else ""]
        _set_constant(new_weights, (weights * scale).astype(weights.dtype))
        bias = folded.node.add(op="Const", name=f"{node.name}_offset")
        bias.attr["dtype"].CopyFrom(new_weights.attr["dtype"])
        _set_constant(bias, offset.astype(weights.dtype))
        normalized = changed[node.name]
        data_format = convolution.attr["data_format"].s or b"NHWC"
        normalized.Clear()
        normalized.op, normalized.name = "BiasAdd", node.name
        normalized.input.extend([convolution.name, bias.name])
        normalized.attr["T"].CopyFrom(new_weights.attr["dtype"])
        normalized.attr["data_format"].s = data_format
    return folded


def _set_constant(node: Any, value: Any) -> None:
    node.attr["value"].tensor.CopyFrom(tensor_content.make_tensor_proto(value))


def optimize_for_inference(
    input_graph_def: Any,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any,
    toco_compatible: bool = False,
) -> Any:
    """Returns what inference needs of a graph: the part between inputs and outputs, with normalizations folded.

    Args:
        input_graph_def: GraphDef whose variables are constants.
        input_node_names: list of str, names of the inputs' nodes.
        output_node_names: list of str, names of the outputs' nodes.
        placeholder_type_enum: int, the number of the inputs' DType, or a list of one for each input.
        toco_compatible: bool, without an effect: no operation is made that TensorFlow Lite lacks.

    Returns:
        GraphDef.

    Raises:
        ValueError: if an input is the name of a tensor.
        KeyError: if the graph has no node of an input's name.
    """
    part = strip_unused(input_graph_def, input_node_names, output_node_names, placeholder_type_enum)
    return fold_batch_norms(remove_training_nodes(part, list(output_node_names)))
