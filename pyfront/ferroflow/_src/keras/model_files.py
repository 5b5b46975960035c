"""`load_model`: models of Keras's HDF5 files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.keras.hdf5 import opened, read_weights, text
from ferroflow._src.keras.model_configurations import model_from_json


def load_model(filepath: str, custom_objects: Mapping[str, Any] | None = None, compile: bool = True) -> Any:
    """Makes a model of a file, with its variables. It is not compiled.

    Args:
        filepath: str, the file, which `save_model` or Keras wrote.
        custom_objects: dict of classes and functions of the program by their names, or None.
        compile: bool. If True, warn that the model must be compiled before it is trained.

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
        tf_logging.warning("%s: the model that is loaded is not compiled; compile it to train it.", os.fspath(filepath))
    return model
