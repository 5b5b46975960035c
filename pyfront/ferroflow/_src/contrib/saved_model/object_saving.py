"""`tf.saved_model.save`: objects with their variables and functions, written as a SavedModel."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import compat, proto
from ferroflow._src.base.files.system import make_directories
from ferroflow._src.base.files.urls import shown_name
from ferroflow._src.base.proto.saved_objects import saved_object_graph_class, set_objects
from ferroflow._src.checkpoint.meta_graph_export import create_meta_graph_def
from ferroflow._src.checkpoint.object_saver import TrackableSaver
from ferroflow._src.contrib.eager.concrete_function import ConcreteFunction
from ferroflow._src.contrib.eager.function import Function
from ferroflow._src.contrib.saved_model.exported_graph import CapturedConstant, ExportedGraph
from ferroflow._src.contrib.saved_model.model_signatures import model_function
from ferroflow._src.contrib.saved_model.saved_view import NumberedObjects, SavedView
from ferroflow._src.contrib.saved_model.signature_map import canonical_signatures, function_to_export
from ferroflow._src.contrib.saved_model.structures import encoded, specifications
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.function import FunctionGraph
from ferroflow._src.framework.graph_files import replace_file
from ferroflow._src.framework.trackable import Trackable, description_of
from ferroflow._src.framework.trackable_resources import CapturableResource, TrackableAsset, device_of
from ferroflow._src.keras.folder_writer import set_writer
from ferroflow._src.layers.sessions import session_to_use
from ferroflow._src.saved_model import constants
from ferroflow._src.saved_model.assets import copy_assets
from ferroflow._src.saved_model.builder import removed_if_failed
from ferroflow._src.saved_model.tag_constants import SERVING
from ferroflow._src.variables.creation import variable_creator_scope
from ferroflow._src.variables.resource_variable import ResourceVariable


def save(obj: Any, export_dir: str | os.PathLike[str], signatures: Any = None) -> None:
    """Writes an object as a SavedModel, with the objects that its attributes reach, their variables and functions.

    `tf.saved_model.load_v2` makes the objects again. Servers call the signatures. The variables have the values of
    the default session, or of the session of Keras's models if there is none. Functions are saved with the signatures
    that they were called with, or with their `input_signature`.

    Args:
        obj: Trackable: `tf.Module`, `tf.train.Checkpoint`, or another object that a checkpoint saves.
        export_dir: str, the folder, a path or URL, which is made if it does not exist.
        signatures: `tf.function` with an `input_signature`, ConcreteFunction, or a dict of these by names. If None,
            the signature is the object's only function that has one signature, if there is exactly one.

    Raises:
        ValueError: if `obj` is not a Trackable, or has an attribute `signatures`. If a function of `signatures` has no
            input signature, or its results have no names. If a function captures a Tensor that is not a constant, or a
            variable was made without `use_resource=True`.
        AssertionError: if a function uses a variable that no attribute reaches, or the call is in a `tf.function`.
        tf.errors.FailedPreconditionError: if a variable is not initialized.

    Example:
        >>> class Scale(tf.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = tf.Variable(2.0, use_resource=True)
        ...
        ...     @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        ...     def __call__(self, x):
        ...         return x * self.factor
        >>> scale = Scale()
        >>> with tf.Session() as session:
        ...     session.run(tf.global_variables_initializer())
        ...     tf.saved_model.save(scale, "scale")
        >>> tf.saved_model.contains_saved_model("scale")
        True
    """
    if isinstance(get_default_graph(), FunctionGraph):
        raise AssertionError(
            "tf.saved_model.save is not supported inside a traced @tf.function. Move the call out of the function."
        )
    if not isinstance(obj, Trackable):
        raise ValueError(f"Expected a Trackable object for export, got {obj}.")
    folder = shown_name(export_dir)
    view = SavedView(obj)
    made: list[Any] = []

    def recorded(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        made.append(next_creator(**kwargs))
        return made[-1]

    with variable_creator_scope(recorded):
        if signatures is None:
            signatures = model_function(obj) or function_to_export(view.functions(obj))
        signature_map = canonical_signatures(signatures)
        view.set_signatures(signature_map)
        # Functions that are traced now may make variables, which are objects, too.
        NumberedObjects(view)
        numbered = NumberedObjects(view)
    exported = ExportedGraph(view, numbered, signature_map)
    meta_graph_def = _meta_graph_def(exported)
    set_objects(meta_graph_def, _object_graph(view, numbered, exported))
    session = session_to_use(None)
    if made:
        session.run([variable.initializer for variable in made])
    with removed_if_failed(folder):
        variables = os.path.join(folder, constants.VARIABLES_DIRECTORY)
        make_directories(variables)
        TrackableSaver(view).save(os.path.join(variables, constants.VARIABLES_FILENAME), session=session)
        copy_assets(exported.asset_sources, folder)
        saved_model = proto.SavedModel(
            saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION, meta_graphs=[meta_graph_def]
        )
        replace_file(os.path.join(folder, constants.SAVED_MODEL_FILENAME_PB), saved_model.SerializeToString())


def _meta_graph_def(exported: ExportedGraph) -> Any:
    message = create_meta_graph_def(
        graph_def=exported.graph_def(),
        saver_def=exported.saver_def,
        collection_list=(),
        graph=exported.graph,
        strip_default_attrs=True,
    )
    message.meta_info_def.tags.append(SERVING)
    name = exported.initializer.name
    # Older loaders read the collection.
    message.collection_def[constants.MAIN_OP_KEY].node_list.value.append(name)
    output = message.signature_def[constants.INIT_OP_SIGNATURE_KEY].outputs[constants.INIT_OP_SIGNATURE_KEY]
    output.name = name
    output.tensor_shape.unknown_rank = True
    message.asset_file_def.extend(exported.assets)
    for key, signature in exported.signature_defs.items():
        message.signature_def[key].CopyFrom(signature)
    return message


def _object_graph(view: SavedView, numbered: NumberedObjects, exported: ExportedGraph) -> Any:
    """Returns the SavedObjectGraph message."""
    message = saved_object_graph_class()()
    described = exported.objects.nodes
    for i, node in enumerate(numbered.nodes):
        saved = message.nodes.add()
        if i < len(described):
            saved.slot_variables.extend(described[i].slot_variables)
            for name, ref in view.list_dependencies(node):
                saved.children.add(node_id=numbered.numbers[id(ref)], local_name=name)
            for name, function in view.functions(node).items():
                saved.children.add(node_id=numbered.numbers[id(function)], local_name=name)
        _describe(node, saved, numbered, exported)
    for concrete in numbered.concrete:
        function = message.concrete_functions[compat.as_str(concrete.name)]
        function.bound_inputs.extend(_bound_input(exported, concrete, tensor) for tensor in concrete.captured_inputs)
        function.canonicalized_input_signature.CopyFrom(encoded(concrete.structured_input_signature))
        function.output_signature.CopyFrom(encoded(specifications(concrete.structured_outputs)))
    return message


def _bound_input(exported: ExportedGraph, concrete: ConcreteFunction, tensor: Any) -> int:
    if tensor not in exported.capture_numbers:
        raise KeyError(
            f"Failed to add concrete function {concrete.name!r} to object based saved model as it captures tensor "
            f"{tensor} which is unsupported or not reachable from root. Assign the variable or table that the function "
            "uses to an attribute of the saved object."
        )
    return exported.capture_numbers[tensor]


def _describe(node: Any, saved: Any, numbered: NumberedObjects, exported: ExportedGraph) -> None:
    """Sets the kind of a node in its SavedObject message."""
    if isinstance(node, TrackableAsset):
        saved.asset.asset_file_def_index = exported.asset_numbers[id(node)]
        saved.asset.SetInParent()
    elif isinstance(node, ResourceVariable):
        variable = saved.variable
        variable.name = node.handle.op.name
        variable.trainable = node.trainable
        variable.dtype = node.dtype.as_datatype_enum
        variable.synchronization = node.synchronization.value
        variable.aggregation = node.aggregation.value
        variable.shape.CopyFrom(node.shape.as_proto())
    elif isinstance(node, Function):
        specification = saved.function.function_spec
        specification.fullargspec.CopyFrom(encoded(node.specification))
        specification.is_method = node.is_method
        specification.input_signature.CopyFrom(encoded(node.input_signature))
        saved.function.concrete_functions.extend(compat.as_str(c.name) for c in numbered.traces[id(node)])
    elif isinstance(node, ConcreteFunction):
        bare = saved.bare_concrete_function
        bare.concrete_function_name = compat.as_str(node.name)
        bare.allowed_positional_arguments = node.positional_count
        bare.argument_keywords.extend(node.argument_names)
    elif isinstance(node, CapturedConstant):
        saved.constant.operation = node.operation
    elif isinstance(node, CapturableResource):
        saved.resource.device = device_of(node)
        saved.resource.SetInParent()
    else:
        user = saved.user_object
        user.identifier, user.metadata = description_of(node)
        user.version.producer = user.version.min_consumer = 1


set_writer(save)
