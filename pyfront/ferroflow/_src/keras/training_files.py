"""The training of a model in Keras's HDF5 files: the arguments of `compile`, and the optimizer's variables."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.keras import optimizers
from ferroflow._src.keras.backend import batch_get_value
from ferroflow._src.keras.configurations import serialized

# The group of a file with the optimizer's variables, and the arguments of `compile` in its configuration.
OPTIMIZER_WEIGHTS = "optimizer_weights"
ARGUMENTS = ("loss", "metrics", "weighted_metrics", "sample_weight_mode", "loss_weights")


def training_configuration(model: Any) -> dict[str, Any] | None:
    """Returns how a compiled model is trained, as JSON holds it; None, with a warning, if it cannot be saved.

    Args:
        model: Model.

    Returns:
        dict of the arguments of `compile`, and of the optimizer's class and configuration as `optimizer_config`.
    """
    if isinstance(model.optimizer, list):
        tf_logging.warning("The optimizers are not saved; compile the loaded model.")
        return None
    if isinstance(model.optimizer, optimizers.GraphOptimizer):
        tf_logging.warning(
            "TensorFlow optimizers do not make it possible to access optimizer attributes or optimizer state after "
            "instantiation. As a result, we cannot save the optimizer as part of the model save file. You will have "
            "to compile your model again after loading it. Prefer using a Keras optimizer instead (see "
            "keras.io/optimizers)."
        )
        return None
    try:
        given = {**{name: getattr(model, name) for name in ARGUMENTS}, "metrics": model.compile_metrics}
        config = {name: serialized(value) for name, value in given.items()}
        config["optimizer_config"] = serialized(optimizers.serialize(model.optimizer))
    except ValueError as failure:
        tf_logging.warning("The loss and the optimizer are not saved; compile the loaded model: %s", failure)
        return None
    return config


def saved_description(model: Any) -> str:
    """Returns the configurations of a model and its training as JSON, for SavedModels.

    Args:
        model: Network.

    Returns:
        str, empty for a model without configuration.
    """
    try:
        described: dict[str, Any] = {"model_config": json.loads(model.to_json())}
    except (NotImplementedError, ValueError):
        return ""
    training = None if getattr(model, "optimizer", None) is None else training_configuration(model)
    if training is not None:
        described["training_config"] = training
    return json.dumps(described)


def write_training(file: Any, model: Any) -> None:
    """Writes how a compiled model is trained; warns if it cannot be written.

    Args:
        file: h5py.File.
        model: Model.
    """
    config = training_configuration(model)
    if config is None:
        return
    file.attrs["training_config"] = json.dumps(config).encode()
    variables = model.optimizer.weights
    if variables:
        group = file.create_group(OPTIMIZER_WEIGHTS)
        group.attrs["weight_names"] = [v.name.encode() for v in variables]
        for variable, value in zip(variables, batch_get_value(variables), strict=True):
            group.create_dataset(variable.name, data=np.asarray(value))


def read_optimizer_weights(hdf5_group: Any) -> list[np.ndarray[Any, Any]]:
    """Reads the values of the optimizer's variables.

    Args:
        hdf5_group: h5py.File with `optimizer_weights`.

    Returns:
        list of arrays, in the order in which the variables were made.
    """
    group = hdf5_group[OPTIMIZER_WEIGHTS]
    names = [name.decode() if isinstance(name, bytes) else str(name) for name in group.attrs["weight_names"]]
    return [np.asarray(group[name]) for name in names]
