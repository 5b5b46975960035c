"""SavedModels of Keras's models: a graph for serving, the model's configuration and a checkpoint of its variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from ferroflow._src.base import compat, nest, tf_logging
from ferroflow._src.base.files.content import read_file_to_string, write_string_to_file
from ferroflow._src.base.files.renamed import makedirs
from ferroflow._src.base.typing import ListLike
from ferroflow._src.checkpoint.object_graph import ObjectGraphView
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.framework.graph import Graph
from ferroflow._src.keras.backend import set_learning_phase
from ferroflow._src.keras.custom_objects import custom_object_scope
from ferroflow._src.keras.model import Model
from ferroflow._src.keras.model_configurations import model_from_json
from ferroflow._src.keras.sequential import Sequential
from ferroflow._src.layers.nodes import one_or_list
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.saved_model import constants
from ferroflow._src.saved_model.builder import builder_of_saved_variables
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.saved_model.signatures import predict_signature_def
from ferroflow._src.saved_model.tag_constants import SERVING

__all__ = ["load_keras_model", "save_keras_model"]

_CONFIGURATION: Final = "saved_model.json"


def _layer_classes(model: Any) -> dict[str, type]:
    """Returns the classes of a model's layers by their names, those of inner models included."""
    found: dict[str, type] = {}
    for layer in model.layers:
        found[type(layer).__name__] = type(layer)
        if isinstance(layer, Model):
            found.update(_layer_classes(layer))
    return found


def save_keras_model(
    model: Any,
    saved_model_path: str | os.PathLike[str],
    custom_objects: Mapping[str, Any] | None = None,
    as_text: bool = False,
    input_signature: ListLike | None = None,
    serving_only: bool = False,
) -> None:
    """Writes a model as a SavedModel, which `load_keras_model` and `tf.saved_model.load` read.

    It holds the graph of predictions, the model's configuration and a checkpoint of its variables. Graphs of training
    and evaluation are not written.

    Args:
        model: Model with inputs, or built Sequential.
        saved_model_path: str, the folder, which is made; if it exists, it must be empty.
        custom_objects: dict of classes and functions of the program by name, or None.
        as_text: If True, the graph is written in protobuf's text format.
        input_signature: list of the TensorSpecs of the inputs; None for those of the model.
        serving_only: If True, a compiled model is written without a warning.

    Raises:
        ValueError: if the model is a Sequential without inputs.
        NotImplementedError: if the model is a subclass's, which has no configuration.
        AssertionError: if the folder has files.
    """
    path = os.fspath(saved_model_path)
    if not model._is_graph_network and not isinstance(model, Sequential):
        raise NotImplementedError(
            "The model is a subclass's, which has no configuration. Export it with tf.saved_model.simple_save, and "
            "save its variables with save_weights."
        )
    if not model.built:
        raise ValueError(
            "Weights for sequential model have not yet been created. Call the model, build() it with an input shape, "
            "or give `input_shape` to its first layer."
        )
    builder = builder_of_saved_variables(path)
    if getattr(model, "optimizer", None) is not None and not serving_only:
        tf_logging.warning(
            "%s: only the graph of predictions is written, without those of training and evaluation. Compile the model "
            "again after load_keras_model.",
            path,
        )
    variables = os.path.join(path, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
    model.save_weights(variables, save_format="tf")
    described, weights = model.get_config(), model.get_weights()
    with model.graph.as_default():
        stored = {saveable.name for saveable in ObjectGraphView(model).serialize_object_graph().saveables}
    specs = [(x.shape, x.dtype) for x in model.inputs]
    if input_signature is not None:
        specs = [(spec.shape, spec.dtype) for spec in nest.flatten(input_signature)]
    with Graph().as_default():
        set_learning_phase(False)
        classes = {**_layer_classes(model), **dict(custom_objects or {})}
        with custom_object_scope(classes):
            clone = type(model).from_config(described, classes)
        if clone.built and input_signature is None:
            inputs, outputs = clone.inputs, clone.outputs
        else:
            inputs = [
                placeholder(dtype, shape, name) for (shape, dtype), name in zip(specs, model.input_names, strict=True)
            ]
            outputs = nest.flatten(clone(one_or_list(inputs)))
        saveables = ObjectGraphView(clone).serialize_object_graph().saveables
        if not stored.issuperset(saveable.name for saveable in saveables):
            # The paths of objects differ for a model that was built later than it was made.
            clone.set_weights(weights)
            clone.save_weights(variables, save_format="tf")
        signature = predict_signature_def(
            dict(zip(model.input_names, inputs, strict=True)), dict(zip(model.output_names, outputs, strict=True))
        )
        builder.add_meta_graph(
            [SERVING],
            signature_def_map={DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            saver=Saver(saveables, allow_empty=True),
        )
    builder.save(as_text)
    assets = os.path.join(path, constants.ASSETS_DIRECTORY)
    makedirs(assets)
    write_string_to_file(os.path.join(assets, _CONFIGURATION), model.to_json())


def load_keras_model(saved_model_path: str | os.PathLike[str], custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a model from a SavedModel of `save_keras_model` or of TensorFlow. It is not compiled.

    Args:
        saved_model_path: str, the folder.
        custom_objects: dict of classes and functions of the program by name, or None.

    Returns:
        Model or Sequential.

    Raises:
        tf.errors.NotFoundError: if the folder contains no configuration of a model, or no variables.
        ValueError: if a class or function is unknown.
    """
    path = os.fspath(saved_model_path)
    configuration = read_file_to_string(os.path.join(path, constants.ASSETS_DIRECTORY, _CONFIGURATION))
    model = model_from_json(compat.as_str(configuration), custom_objects)
    model.load_weights(os.path.join(path, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME))
    return model
