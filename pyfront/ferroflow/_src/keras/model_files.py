"""`load_model`: models of Keras's HDF5 files and SavedModels."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.keras import optimizers
from ferroflow._src.keras.by_name import described
from ferroflow._src.keras.compiled_network import training_operation
from ferroflow._src.keras.hdf5 import opened, read_weights, text
from ferroflow._src.keras.loss_classes import Loss
from ferroflow._src.keras.metric_base import Metric
from ferroflow._src.keras.model_configurations import model_from_json
from ferroflow._src.keras.model_folders import is_folder, read_folder
from ferroflow._src.keras.training_files import ARGUMENTS, OPTIMIZER_WEIGHTS, read_optimizer_weights


def load_model(
    filepath: str | os.PathLike[str] | Mapping[str, Any],
    custom_objects: Mapping[str, Any] | None = None,
    compile: bool = True,
) -> Any:
    """Makes a model of a file, with its variables, compiled as it was saved.

    Args:
        filepath: str, the HDF5 file or the folder of a SavedModel, which `save_model` or Keras wrote; or an open
            h5py.File.
        custom_objects: dict of classes and functions of the program by their names, or None.
        compile: bool. If True, the model is compiled, and the optimizer's variables are restored, if the file has them.

    Returns:
        Model or Sequential.

    Raises:
        ImportError: if h5py is not installed.
        ValueError: if the file has no model, or a class or function is unknown.
        tf.errors.DataLossError: if the file is damaged.
    """
    if is_folder(filepath):

        def compile_model(config: Mapping[str, Any], model: Any) -> None:
            _compile_by(config, model, custom_objects)
            training_operation(model)

        return read_folder(filepath, custom_objects, compile_model if compile else None)
    with opened(filepath) as file:
        described = file.attrs.get("model_config")
        if described is None:
            raise ValueError("No model found in config file.")
        model = model_from_json(text(described), custom_objects)
        with model.graph.as_default():
            read_weights(file["model_weights"], model, by_name=False)
            if compile:
                _compile_as_trained(file, model, custom_objects)
    return model


def _compile_as_trained(file: Any, model: Any, custom_objects: Mapping[str, Any] | None) -> None:
    """Compiles a loaded model with the arguments of a file, and restores the optimizer's variables.

    Args:
        file: h5py.File.
        model: Model.
        custom_objects: dict of classes and functions of the program by their names, or None.

    Raises:
        ValueError: if a class or function is unknown.
    """
    described = file.attrs.get("training_config")
    if described is None:
        tf_logging.warning(
            "No training configuration found in save file: the model was *not* compiled. Compile it manually."
        )
        return
    _compile_by(json.loads(text(described)), model, custom_objects)
    if OPTIMIZER_WEIGHTS not in file:
        return
    if not model.built:
        tf_logging.warning(
            "Sequential models without an `input_shape` passed to the first layer cannot reload their optimizer "
            "state. As a result, your model is starting with a freshly initialized optimizer."
        )
        return
    training_operation(model)
    try:
        model.optimizer.set_weights(read_optimizer_weights(file))
    except ValueError:
        tf_logging.warning(
            "Error in loading the saved optimizer state. As a result, your model is starting with a freshly "
            "initialized optimizer."
        )


def _compile_by(config: Mapping[str, Any], model: Any, custom_objects: Mapping[str, Any] | None) -> None:
    custom = dict(custom_objects or {})
    arguments = {name: config.get(name) for name in ARGUMENTS}
    arguments["loss"] = _objects(arguments["loss"], Loss, custom)
    for name in ("metrics", "weighted_metrics"):
        arguments[name] = _objects(arguments[name], Metric, custom)
    model.compile(optimizers.deserialize(config["optimizer_config"], custom), **arguments)


def _objects(value: Any, base: type[Any], custom: Mapping[str, Any]) -> Any:
    """Returns arguments of `compile` with objects in the place of their descriptions and of the program's names."""
    if isinstance(value, Mapping) and {"class_name", "config"} <= value.keys():
        return described(value, base, custom, base.__name__.lower())
    if isinstance(value, Mapping):
        return {name: _objects(one, base, custom) for name, one in value.items()}
    if isinstance(value, list):
        return [_objects(one, base, custom) for one in value]
    return custom.get(value, value) if isinstance(value, str) else value
