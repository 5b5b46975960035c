"""How a model is trained, in Keras's HDF5 files: the arguments of `compile`, and the optimizer's variables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.keras import optimizers
from ferroflow._src.keras.backend import batch_get_value
from ferroflow._src.keras.configurations import serialized
from ferroflow._src.keras.loss_classes import Loss
from ferroflow._src.keras.metric_base import Metric
from ferroflow._src.keras.optimizer_base import Optimizer

_OPTIMIZER_WEIGHTS = "optimizer_weights"
_ARGUMENTS = ("loss", "metrics", "weighted_metrics", "sample_weight_mode", "loss_weights")


def write_training(file: Any, model: Any) -> None:
    """Writes how a compiled model is trained; warns if it cannot be written.

    Args:
        file: h5py.File.
        model: Model.
    """
    if not isinstance(model.optimizer, Optimizer) or hasattr(model.optimizer, "optimizer"):
        tf_logging.warning(
            "TensorFlow optimizers do not make it possible to access optimizer attributes or optimizer state after "
            "instantiation. As a result, we cannot save the optimizer as part of the model save file. You will have "
            "to compile your model again after loading it. Prefer using a Keras optimizer instead (see "
            "keras.io/optimizers)."
        )
        return
    try:
        config = {name: serialized(getattr(model, name)) for name in _ARGUMENTS}
        config["optimizer_config"] = serialized(optimizers.serialize(model.optimizer))
    except NotImplementedError as failure:
        tf_logging.warning("The loss and the optimizer are not saved; compile the loaded model: %s", failure)
        return
    file.attrs["training_config"] = json.dumps(config).encode()
    variables = model.optimizer.weights
    if variables:
        group = file.create_group(_OPTIMIZER_WEIGHTS)
        group.attrs["weight_names"] = [v.name.encode() for v in variables]
        for variable, value in zip(variables, batch_get_value(variables), strict=True):
            group.create_dataset(variable.name, data=np.asarray(value))


def compile_as_trained(file: Any, model: Any, custom_objects: Mapping[str, Any] | None) -> None:
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
    config = json.loads(described.decode() if isinstance(described, bytes) else described)
    custom = dict(custom_objects or {})
    arguments = {name: config.get(name) for name in _ARGUMENTS}
    arguments["loss"] = _objects(arguments["loss"], Loss, custom)
    for name in ("metrics", "weighted_metrics"):
        arguments[name] = _objects(arguments[name], Metric, custom)
    model.compile(optimizers.deserialize(config["optimizer_config"], custom), **arguments)
    if _OPTIMIZER_WEIGHTS not in file:
        return
    if not model.built:
        tf_logging.warning(
            "Sequential models without an `input_shape` passed to the first layer cannot reload their optimizer "
            "state. As a result, your model is starting with a freshly initialized optimizer."
        )
        return
    model._training_operation()
    group = file[_OPTIMIZER_WEIGHTS]
    names = [name.decode() if isinstance(name, bytes) else str(name) for name in group.attrs["weight_names"]]
    try:
        model.optimizer.set_weights([np.asarray(group[name]) for name in names])
    except ValueError:
        tf_logging.warning(
            "Error in loading the saved optimizer state. As a result, your model is starting with a freshly "
            "initialized optimizer."
        )


def _objects(value: Any, base: type[Any], custom: Mapping[str, Any]) -> Any:
    """Returns arguments of `compile` with objects in the place of their descriptions and of the program's names."""
    if isinstance(value, Mapping) and {"class_name", "config"} <= value.keys():
        known = {**_classes(base), **custom}
        if value["class_name"] not in known:
            raise ValueError(f"Unknown {base.__name__.lower()}: {value['class_name']}")
        kind: Any = known[value["class_name"]]
        config = dict(value["config"])
        return kind.from_config(config) if hasattr(kind, "from_config") else kind(**config)
    if isinstance(value, Mapping):
        return {name: _objects(one, base, custom) for name, one in value.items()}
    if isinstance(value, list):
        return [_objects(one, base, custom) for one in value]
    return custom.get(value, value) if isinstance(value, str) else value


def _classes(base: type[Any]) -> dict[str, type[Any]]:
    """Returns the classes derived from another, by their names."""
    found: dict[str, type[Any]] = {base.__name__: base}
    for kind in base.__subclasses__():
        found.update(_classes(kind))
    return found
