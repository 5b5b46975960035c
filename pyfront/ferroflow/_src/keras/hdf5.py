"""Models and their weights in Keras's HDF5 files, which the package h5py reads and writes."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from ferroflow._src.base import errors
from ferroflow._src.base.files.replacement import replacing
from ferroflow._src.base.files.system import exists
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.keras.backend import batch_get_value, batch_set_value
from ferroflow._src.keras.folder_writer import write_folder
from ferroflow._src.keras.older_weights import preprocess_weights_for_loading
from ferroflow._src.keras.overwriting import may_overwrite
from ferroflow._src.keras.training_files import write_training

_VERSION, _BACKEND = b"2.2.4-tf", b"tensorflow"


def is_hdf5(filepath: Any) -> bool:
    """Returns True if a file's name is that of an HDF5 file."""
    return str(filepath).endswith((".h5", ".hdf5", ".keras"))


def h5py() -> Any:
    """Returns the package.

    Raises:
        ImportError: if h5py is not installed.
    """
    try:
        return importlib.import_module("h5py")
    except ModuleNotFoundError as missing:
        raise ImportError(
            "Keras's HDF5 files need the package h5py: pip install h5py. Without it save_weights and load_weights take "
            "the prefix of a checkpoint."
        ) from missing


@contextlib.contextmanager
def _written(filepath: Any) -> Iterator[Any]:
    """Opens a file for writing, which replaces `filepath` once it is whole; an open one is yielded as it is.

    The contents are made in memory: HDF5 ends the process with a segmentation fault if closing a file fails, as on a
    full disk.

    Yields:
        h5py.File.

    Raises:
        ImportError: if h5py is not installed.
        OSError: if the file cannot be written; an existing one stays as it was.
    """
    package = h5py()
    if isinstance(filepath, package.Group):
        yield filepath
        return
    contents = io.BytesIO()
    with package.File(contents, "w") as file:
        yield file
    with replacing(filepath) as target:
        target.write(contents.getbuffer())


# Errors that h5py and the parser of a model's configuration raise for a damaged file.
_DAMAGE = (
    OSError,
    KeyError,
    RuntimeError,
    TypeError,
    UnicodeDecodeError,
    json.JSONDecodeError,
    IndexError,
    MemoryError,
)


@contextlib.contextmanager
def opened(filepath: Any) -> Iterator[Any]:
    """Opens a file for reading; errors about damaged contents name the file.

    Args:
        filepath: str, the file, or an open h5py.File.

    Yields:
        h5py.File.

    Raises:
        ImportError: if h5py is not installed.
        FileNotFoundError: if the file does not exist.
        tf.errors.DataLossError: if the file is damaged, or no HDF5 file.
    """
    package = h5py()
    if isinstance(filepath, package.Group):
        yield filepath
        return
    path = os.fspath(filepath)
    try:
        with package.File(path, "r") as file:
            yield file
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except _DAMAGE as failure:
        raise errors.DataLossError(
            None, None, f"{path}: no HDF5 file of Keras, or a damaged one: {failure}"
        ) from failure


def _weights(layer: Any) -> list[Any]:
    """Returns the variables of a layer in the order of files: those that are trained come first, of models too."""
    return list(layer.trainable_weights) + list(layer.non_trainable_weights)


def text(value: NestedTensors) -> str:
    """Returns a file's value as text."""
    return value.decode() if isinstance(value, bytes) else str(value)


def _write_weights(group: Any, model: Any) -> None:
    group.attrs["layer_names"] = [layer.name.encode() for layer in model.layers]
    group.attrs["backend"], group.attrs["keras_version"] = _BACKEND, _VERSION
    for layer in model.layers:
        part = group.create_group(layer.name)
        variables = _weights(layer)
        part.attrs["weight_names"] = [v.name.encode() for v in variables]
        for variable, value in zip(variables, batch_get_value(variables), strict=True):
            part.create_dataset(variable.name, data=np.asarray(value))


def read_weights(group: Any, model: Any, by_name: bool) -> None:
    """Assigns the values of a group of a file to a model's variables.

    Args:
        group: h5py.Group.
        model: Model.
        by_name: bool. If True, layers are found by their names, and not in their order.

    Raises:
        ValueError: if there are more or fewer layers, or their variables have other shapes.
    """
    # Keras 1 wrote no version.
    version = text(group.attrs.get("keras_version", "1"))
    backend = text(group.attrs["backend"]) if "backend" in group.attrs else None
    stored = []
    for name in map(text, group.attrs["layer_names"]):
        part = group[name]
        names = [text(x) for x in part.attrs["weight_names"]]
        if names:
            stored.append((name, [np.asarray(part[x]) for x in names]))
    layers = [layer for layer in model.layers if _weights(layer)]
    if by_name:
        known = dict(stored)
        pairs = [(layer, known[layer.name]) for layer in layers if layer.name in known]
    else:
        if len(stored) != len(layers):
            raise ValueError(
                f"You are trying to load a weight file containing {len(stored)} layers into a model with {len(layers)} "
                "layers."
            )
        pairs = [(layer, values) for layer, (_, values) in zip(layers, stored, strict=True)]
    for layer, values in pairs:
        variables = _weights(layer)
        values = preprocess_weights_for_loading(layer, values, version, backend)
        shapes = [tuple(v.get_shape().as_list()) for v in variables]
        if shapes != [v.shape for v in values]:
            raise ValueError(
                f'Layer "{layer.name}" has weights of shapes {shapes}, but the file has those of shapes '
                f"{[v.shape for v in values]}."
            )
        batch_set_value(list(zip(variables, values, strict=True)))


def save_weights(model: Any, filepath: str) -> None:
    """Saves the variables of a model.

    Args:
        model: Model.
        filepath: str, the file.

    Raises:
        ImportError: if h5py is not installed.
        OSError: if the file cannot be written; an existing one stays as it was.
    """
    with _written(os.fspath(filepath)) as file, model.graph.as_default():
        _write_weights(file, model)


def load_weights(model: Any, filepath: str, by_name: bool = False) -> None:
    """Restores the variables of a model.

    Args:
        model: Model.
        filepath: str, the file, of weights or of a whole model.
        by_name: bool. If True, layers are found by their names, and not in their order.

    Raises:
        ImportError: if h5py is not installed.
        ValueError: if there are more or fewer layers, or their variables have other shapes.
        tf.errors.DataLossError: if the file is damaged.
    """
    with opened(filepath) as file, model.graph.as_default():
        inner = "layer_names" not in file.attrs and "model_weights" in file
        read_weights(file["model_weights"] if inner else file, model, by_name)


def save_model(
    model: Any,
    filepath: Any,
    overwrite: bool = True,
    include_optimizer: bool = True,
    save_format: str | None = None,
    signatures: object = None,
) -> None:
    """Saves a model's architecture and variables; if it is compiled, also its loss, metrics and optimizer.

    Args:
        model: Model.
        filepath: str, the file, or an open h5py.File.
        overwrite: bool. If False, an existing file is replaced only after a yes on the terminal.
        include_optimizer: bool. If True, the arguments of `compile` and the optimizer's variables are saved.
        save_format: "h5" for an HDF5 file, "tf" for the folder of a SavedModel; None for "h5".
        signatures: as `tf.saved_model.save` takes them, for a SavedModel.

    Raises:
        ImportError: if h5py is not installed.
        OSError: if the file cannot be written; an existing one stays as it was.
        ValueError: if `save_format` is unknown, `signatures` are given for an HDF5 file, or an argument of a layer has
            neither `get_config` nor a name.
    """
    if save_format not in (None, "h5", "tf"):
        raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
    if save_format == "tf":
        if not overwrite and exists(os.fspath(filepath)) and not may_overwrite(filepath):
            return
        with model.graph.as_default():
            write_folder(model, filepath, signatures)
        return
    if signatures is not None:
        raise ValueError('`signatures` are for `save_format="tf"`.')
    described = model.to_json()
    is_there = isinstance(filepath, str | os.PathLike) and os.path.exists(filepath)
    if is_there and not overwrite and not may_overwrite(filepath):
        return
    with _written(filepath) as file, model.graph.as_default():
        file.attrs["keras_version"], file.attrs["backend"] = _VERSION, _BACKEND
        file.attrs["model_config"] = described.encode()
        _write_weights(file.create_group("model_weights"), model)
        if include_optimizer and model.optimizer is not None:
            write_training(file, model)
