"""Models made of SavedModels, in whose folders TensorFlow or `Model.save` put their configurations."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base.files.renamed import exists
from ferroflow._src.base.proto.saved_objects import objects_of
from ferroflow._src.keras.model_configurations import model_from_json
from ferroflow._src.saved_model import constants
from ferroflow._src.saved_model.loader import parse_saved_model


def is_folder(path: Any) -> bool:
    """Returns True for the path of a SavedModel."""
    if not isinstance(path, str | os.PathLike):
        return False
    folder = os.fspath(path)
    return exists(os.path.join(folder, constants.SAVED_MODEL_FILENAME_PB))


def read_folder(
    folder: Any,
    custom_objects: Mapping[str, Any] | None,
    compile_model: Callable[[Mapping[str, Any], Any], None] | None,
) -> Any:
    """Makes a model of a SavedModel, with its variables.

    Args:
        folder: str, the folder, which `Model.save` of this library or of TensorFlow wrote.
        custom_objects: dict of classes and functions of the program by their names, or None.
        compile_model: callable of the configuration of the training and the model, which compiles it; None to leave it.

    Returns:
        Model or Sequential.

    Raises:
        IOError: if the SavedModel cannot be parsed.
        ValueError: if the folder has no model with a configuration, or a class or function is unknown.
        tf.errors.NotFoundError: if it has no variables.
    """
    path = os.fspath(folder)
    message = parse_saved_model(path)
    nodes = objects_of(message.meta_graphs[0]).nodes if message.meta_graphs else ()
    text = nodes[0].user_object.metadata if nodes else ""
    described = json.loads(text) if text else {}
    config = described.get("model_config") if isinstance(described, dict) else None
    if not isinstance(config, dict) or "config" not in config:
        raise ValueError(
            f"{path} has no configuration of a model: it is not one of tf.keras, or a subclass of Model. Use "
            "tf.saved_model.load_v2 for its functions."
        )
    model = model_from_json(json.dumps(config), custom_objects)
    with model.graph.as_default():
        if compile_model is not None and described.get("training_config") is not None:
            compile_model(described["training_config"], model)
        model.load_weights(os.path.join(path, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME))
    return model
