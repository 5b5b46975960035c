"""The registry of the function that writes models as SavedModels, which a higher layer has."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.base.late_modules import LateModules

# Modules that call `set_writer`.
late_modules: Final = LateModules()
_writers: list[Callable[..., None]] = []


def set_writer(writer: Callable[..., None]) -> None:
    """Sets the function of a model, a folder and signatures that writes SavedModels."""
    _writers[:] = [writer]


def write_folder(model: Any, folder: str | os.PathLike[str], signatures: Any) -> None:
    """Writes a model as a SavedModel.

    Args:
        model: Model.
        folder: str, the folder.
        signatures: as `tf.saved_model.save` takes them.
    """
    late_modules.load()
    _writers[0](model, folder, signatures)
