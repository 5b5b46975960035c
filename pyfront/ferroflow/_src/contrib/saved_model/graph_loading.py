"""SavedModels without objects, loaded as an object: their signatures become functions."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes, proto
from ferroflow._src.base.stored_messages import stored_message
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.checkpoint.meta_graph_import import import_scoped_meta_graph
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.contrib.eager.concrete_function import FuncGraph
from ferroflow._src.contrib.eager.wrapped_function import WrappedFunction, pruned
from ferroflow._src.contrib.saved_model.restored_functions import fit_to_load, load_library, next_suffix
from ferroflow._src.contrib.saved_model.signature_map import SignatureMap
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import add_to_collection, get_default_graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.framework.trackable_resources import TrackableAsset
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.saved_model import constants
from ferroflow._src.saved_model.assets import asset_paths
from ferroflow._src.saved_model.loader import initializer_of, meta_graph_with_tags
from ferroflow._src.saved_model.tensor_info import get_tensor_from_tensor_info
from ferroflow._src.variables.auto_trackable import AutoTrackable
from ferroflow._src.variables.initialization import variables_initializer
from ferroflow._src.variables.uninitialized_variable import UninitializedVariable

_COLLECTIONS = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TABLE_INITIALIZERS)
_OWN_SIGNATURES = (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY)


def load_graph(saved_model: Any, folder: str, tags: set[str] | None) -> Any:
    """Makes an object of a SavedModel without objects.

    Variables behind handles become variables of the default graph. Others stay within the functions;
    `tf.tables_initializer()` restores them.

    Args:
        saved_model: SavedModel message.
        folder: str, its folder.
        tags: set of the graph's tags; None if there is one graph.

    Returns:
        AutoTrackable with `signatures`, `variables`, `graph`, `prune` and `asset_paths`.

    Raises:
        ValueError: if `tags` is None, and there are several graphs.
        RuntimeError: if no graph has these tags.
    """
    message = proto.MetaGraphDef()
    message.CopyFrom(_chosen(saved_model, tags))
    suffix = next_suffix()
    functions = load_library(message.graph_def, suffix)
    names = {old: function.name.decode() for old, function in functions.items()}
    message.graph_def.ClearField("library")
    for node in message.graph_def.node:
        fit_to_load(node, names, suffix, "MetaGraph import")
    lifted = _lifted_variables(message)
    body = FuncGraph("loaded", get_default_graph())
    # The body begins with the collections of the graph around.
    before = {key: len(body.get_collection(key)) for key in _COLLECTIONS}
    with body.as_default():
        handles = {f"{name}:0": variable.handle for name, variable in lifted.items()}
        import_scoped_meta_graph(message, input_map=handles or None)
        variables, local, tables = (body.get_collection(key)[count:] for key, count in before.items())
        saver_def = _saver_def(message, variables)
        initializer = initializer_of(body, message, None)
        if initializer is None:
            initializer = group(variables_initializer(local), *tables)
        anchor = constant(0.0, name="dummy_fetch")
    if saver_def is not None:
        _restore(body, saver_def, folder, lifted)
    root: Any = AutoTrackable()
    paths = asset_paths(message, folder, None)
    root.asset_paths = [TrackableAsset(path) for path in paths.values()]
    initialize = pruned(body, list(paths), [anchor, initializer])
    initialized, _ = initialize(*(asset.asset_path for asset in root.asset_paths))
    add_to_collection(GraphKeys.TABLE_INITIALIZERS, initialized.op)
    for name in {variable.op.name for variable in local} & lifted.keys():
        lifted[name].set_initializer(initialized.op)
    root.initializer = Trackable()
    root.signatures = SignatureMap(
        {
            key: _signature(body, key, signature)
            for key, signature in message.signature_def.items()
            if key not in _OWN_SIGNATURES
        }
    )
    root.variables = list(lifted.values())
    root.tensorflow_version = message.meta_info_def.tensorflow_version
    root.tensorflow_git_version = message.meta_info_def.tensorflow_git_version
    root.graph = body
    root.prune = functools.partial(pruned, body)
    return root


def _chosen(saved_model: Any, tags: set[str] | None) -> Any:
    if tags is not None:
        return meta_graph_with_tags(saved_model, tags)
    graphs = saved_model.meta_graphs
    if len(graphs) != 1:
        sets = [list(graph.meta_info_def.tags) for graph in graphs]
        raise ValueError(
            "Importing a SavedModel with tf.saved_model.load requires a 'tags=' argument if there is more than one "
            f"MetaGraph. Got 'tags=None', but there are {len(graphs)} MetaGraphs with the tag sets {sets}."
        )
    return graphs[0]


def _lifted_variables(message: Any) -> dict[str, UninitializedVariable]:
    """Returns new variables of the default graph for those behind handles, by the names of their nodes."""
    nodes = {node.name: node for node in message.graph_def.node}
    made: dict[str, UninitializedVariable] = {}
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        if key not in message.collection_def:
            continue
        for value in message.collection_def[key].bytes_list.value:
            described = stored_message(proto.VariableDef, value, f"An element of the collection '{key}'")
            name = described.variable_name.rpartition(":")[0]
            if not described.is_resource or name in made or name not in nodes:
                continue
            attrs = nodes[name].attr
            is_local = key == GraphKeys.LOCAL_VARIABLES
            made[name] = UninitializedVariable(
                TensorShape(attrs["shape"].shape),
                dtypes.as_dtype(attrs["dtype"].type),
                name,
                described.trainable,
                described.synchronization,
                described.aggregation,
                collections=[GraphKeys.LOCAL_VARIABLES if is_local else GraphKeys.GLOBAL_VARIABLES],
            )
    return made


def _saver_def(message: Any, variables: Sequence[Any]) -> Any:
    """Returns the message of the graph's saver, or of a new one; None if there are no variables."""
    if message.HasField("saver_def"):
        return message.saver_def
    return Saver(variables).saver_def if variables else None


def _restore(body: FuncGraph, saver_def: Any, folder: str, lifted: dict[str, UninitializedVariable]) -> None:
    """Adds the call that restores the variables, which their initializers run."""
    path = body.as_graph_element(saver_def.filename_tensor_name)
    restore = pruned(body, [path], [path, body.as_graph_element(saver_def.restore_op_name)])
    prefix = os.path.join(folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
    restored, _ = restore(constant(prefix))
    add_to_collection(GraphKeys.TABLE_INITIALIZERS, restored.op)
    for variable in lifted.values():
        variable.set_initializer(restored.op)


def _signature(body: FuncGraph, key: str, signature: Any) -> WrappedFunction:
    inputs = {name: get_tensor_from_tensor_info(info, body) for name, info in sorted(signature.inputs.items())}
    outputs = {name: get_tensor_from_tensor_info(info, body) for name, info in signature.outputs.items()}
    if not all(isinstance(tensor, Tensor) for tensor in inputs.values()):
        raise NotImplementedError(f"Signature '{key}' has a sparse input; name its three Tensors with `prune`.")
    specs = [TensorSpec(tensor.shape, tensor.dtype.base_dtype, name) for name, tensor in inputs.items()]
    function = pruned(body, list(inputs.values()), outputs, None, specs)
    function.allow_positional(1 if len(inputs) == 1 else 0)
    return function
