"""Functions of `tf.contrib.estimator` that export models in several modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.typing import DictLike
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.modes import ModeKeys

__all__ = ["export_all_saved_models", "export_saved_model_for_mode"]


@deprecated("Estimator.export_saved_model")
def export_saved_model_for_mode(
    estimator: Estimator,
    export_dir_base: str,
    input_receiver_fn: Callable[[], Any],
    assets_extra: DictLike | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
    mode: str = ModeKeys.PREDICT,
) -> bytes:
    """Exports the model in a mode.

    Args:
        estimator: Estimator.
        export_dir_base: str, the folder in which one named by the time is made.
        input_receiver_fn: callable without arguments of the receiver of features, and of labels for training and
            evaluation.
        assets_extra: dict from names below `assets.extra` to files to copy there.
        as_text: bool. If True, the SavedModel is written as text.
        checkpoint_path: str, prefix of the checkpoint; None for the latest.
        mode: str, of `tf.estimator.ModeKeys`.

    Returns:
        bytes, the new folder.

    Raises:
        ValueError: if there is no checkpoint, or the model has no outputs to export.
    """
    extra: Any = assets_extra
    return estimator.export_saved_model(export_dir_base, input_receiver_fn, extra, as_text, checkpoint_path, mode)


@deprecated("Estimator.experimental_export_all_saved_models")
def export_all_saved_models(
    estimator: Estimator,
    export_dir_base: str,
    input_receiver_fn_map: DictLike,
    assets_extra: DictLike | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
) -> bytes:
    """Exports a SavedModel with a graph for each of several modes, over the same variables.

    Args:
        estimator: Estimator.
        export_dir_base: str, the folder in which one named by the time is made.
        input_receiver_fn_map: dict from `tf.estimator.ModeKeys` to callables without arguments of receivers.
        assets_extra: dict from names below `assets.extra` to files to copy there.
        as_text: bool. If True, the SavedModel is written as text.
        checkpoint_path: str, prefix of the checkpoint; None for the latest.

    Returns:
        bytes, the new folder.

    Raises:
        ValueError: if there is no checkpoint or no mode, or a graph has variables that the checkpoint lacks.
    """
    extra: Any = assets_extra
    return estimator.experimental_export_all_saved_models(
        export_dir_base, input_receiver_fn_map, extra, as_text, checkpoint_path
    )
