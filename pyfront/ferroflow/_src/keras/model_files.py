"""`load_model`: models of Keras's HDF5 files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.keras.hdf5 import opened, read_weights, text
from ferroflow._src.keras.model_configurations import model_from_json
from ferroflow._src.keras.training_files import compile_as_trained


def load_model(filepath: str, custom_objects: Mapping[str, Any] | None = None, compile: bool = True) -> Any:
    """Makes a model of a file, with its variables, compiled as it was saved.

    Args:
        filepath: str, the file, which `save_model` or Keras wrote.
        custom_objects: dict of classes and functions of the program by their names, or None.
        compile: bool. If True, the model is compiled, and the optimizer's variables are restored, if the file has them.

    Returns:
        Model or Sequential.

    Raises:
        ImportError: if h5py is not installed.
        ValueError: if the file has no model, or a class or function is unknown.
        tf.errors.DataLossError: if the file is damaged.
    """
    with opened(filepath) as file:
        described = file.attrs.get("model_config")
        if described is None:
            raise ValueError("No model found in config file.")
        model = model_from_json(text(described), custom_objects)
        with model.graph.as_default():
            read_weights(file["model_weights"], model, by_name=False)
            if compile:
                compile_as_trained(file, model, custom_objects)
    return model
