"""Exporters: which of the trained models are exported for serving, and how many are kept."""

from __future__ import annotations

import abc
import contextlib
import os
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import errors, tf_logging
from ferroflow._src.base.files.system import delete_recursively, exists, glob, list_directory, remove, rename
from ferroflow._src.base.files.urls import is_remote
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.modes import argument_names
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.saved_model import constants
from ferroflow._src.summary.summary_iterator import summary_iterator

_LOSS = "loss"
_SECONDS_DIGITS = 10


class Exporter(abc.ABC):
    """Exporter of a model during training, for `EvalSpec`; subclasses define `name` and `export`."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of the folder that its exports are in, below `export` in the model's folder."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports the model of an evaluated checkpoint, if the exporter's conditions hold.

        Args:
            estimator: Estimator.
            export_path: str, the folder to make the export in.
            checkpoint_path: str, the checkpoint's prefix.
            eval_result: dict of the metrics by name.
            is_the_final_export: bool; True if the training has come to its last step.

        Returns:
            The new folder; None if nothing is exported.
        """


class _SavedModelExporter(Exporter):
    """Exporter of SavedModels when `_is_due`, which deletes the oldest ones."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any,
        assets_extra: Mapping[str, str] | None,
        as_text: bool,
        exports_to_keep: int | None,
    ) -> None:
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number")
        self._name = name
        self._serving_input_receiver_fn = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text
        self._exports_to_keep = exports_to_keep

    @property
    def name(self) -> str:
        """The name of the folder that its exports are in."""
        return self._name

    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports the model as a SavedModel in a folder named by the time, if the exporter chooses to.

        Args:
            estimator: Estimator.
            export_path: str, the folder to make the export in.
            checkpoint_path: str, the checkpoint's prefix.
            eval_result: dict of the metrics by name.
            is_the_final_export: bool; True if the training has come to its last step.

        Returns:
            bytes, the new folder; None if nothing is exported.

        Raises:
            ValueError: on the same conditions as `Estimator.export_savedmodel`.
        """
        if not self._is_due(estimator, eval_result, is_the_final_export):
            return None
        made = estimator.export_savedmodel(
            export_path,
            self._serving_input_receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=True,
        )
        self._delete_oldest(export_path)
        return made

    @abc.abstractmethod
    def _is_due(self, estimator: Estimator, eval_result: Mapping[str, Any], is_the_final_export: bool) -> bool:
        """Returns True if the model is to be exported."""

    def _delete_oldest(self, base: str) -> None:
        if self._exports_to_keep is None:
            return
        names = [entry.rstrip("/") for entry in list_directory(base)]
        exports = [name for name in names if len(name) == _SECONDS_DIGITS and name.isdigit()]
        for name in sorted(exports, key=int)[: -self._exports_to_keep]:
            folder, removed = os.path.join(base, name), os.path.join(base, f"temp-{name}")
            try:
                _remove_export(folder, removed)
            except errors.NotFoundError as error:
                tf_logging.warning("Can not delete %s recursively: %s", folder, error)
            except BaseException:
                # An interrupt is raised after the removal.
                with contextlib.suppress(errors.OpError):
                    _remove_export(folder, removed)
                raise


def _remove_export(folder: str, removed: str) -> None:
    """Removes an export, which has another name meanwhile: no reader takes the rest for a model. A second call
    finishes what an interrupt left.
    """
    if is_remote(folder):
        # Renaming would copy all files. Without the file of its graphs, an export is no model.
        for name in (constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT):
            if exists(os.path.join(folder, name)):
                remove(os.path.join(folder, name))
        if exists(folder):
            delete_recursively(folder)
        return
    if exists(removed):
        delete_recursively(removed)
    if exists(folder):
        rename(folder, removed)
        delete_recursively(removed)


class FinalExporter(_SavedModelExporter):
    """Exporter of the model once, at the end of the training.

    Args:
        name: str, the name of the folder of its exports.
        serving_input_receiver_fn: as `Estimator.export_savedmodel`.
        assets_extra: as `Estimator.export_savedmodel`.
        as_text: as `Estimator.export_savedmodel`.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, None)

    def _is_due(self, estimator: Estimator, eval_result: Mapping[str, Any], is_the_final_export: bool) -> bool:
        if is_the_final_export:
            tf_logging.info("Performing the final export in the end of training.")
        return is_the_final_export


class LatestExporter(_SavedModelExporter):
    """Exporter of the model after each evaluation, which keeps the newest exports.

    Args:
        name: str, the name of the folder of its exports.
        serving_input_receiver_fn: as `Estimator.export_savedmodel`.
        assets_extra: as `Estimator.export_savedmodel`.
        as_text: as `Estimator.export_savedmodel`.
        exports_to_keep: int, the number of exports that are kept; None for all.

    Raises:
        ValueError: if `exports_to_keep` is not positive.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)

    def _is_due(self, estimator: Estimator, eval_result: Mapping[str, Any], is_the_final_export: bool) -> bool:
        return True


def is_loss_smaller(best_eval_result: Mapping[str, Any] | None, current_eval_result: Mapping[str, Any] | None) -> bool:
    for name, result in (("best_eval_result", best_eval_result), ("current_eval_result", current_eval_result)):
        if not result or _LOSS not in result:
            raise ValueError(f"{name} cannot be empty or no loss is found in it.")
    assert best_eval_result is not None
    assert current_eval_result is not None
    return bool(best_eval_result[_LOSS] > current_eval_result[_LOSS])


class BestExporter(_SavedModelExporter):
    """Exporter of the model after each evaluation that is better than all before, which keeps the newest exports.

    Args:
        name: str, the name of the folder of its exports.
        serving_input_receiver_fn: as `Estimator.export_savedmodel`.
        event_file_pattern: str, a pattern of event files below the model's folder whose values are those of earlier
            evaluations, for a training that continues; None to start without any.
        compare_fn: callable of `best_eval_result` and `current_eval_result`, dicts of metrics, to whether the second
            one is better. By default the one of smaller "loss" is.
        assets_extra: as `Estimator.export_savedmodel`.
        as_text: as `Estimator.export_savedmodel`.
        exports_to_keep: int, the number of exports that are kept; None for all.

    Raises:
        ValueError: if `compare_fn` is None or has other arguments, or `exports_to_keep` is not positive.
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Any = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = is_loss_smaller,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        arguments = set(argument_names(compare_fn))
        for argument in ("best_eval_result", "current_eval_result"):
            if argument not in arguments:
                raise ValueError(f"compare_fn ({compare_fn}) must include {argument} argument.")
        if len(arguments) > 2:
            raise ValueError(f"compare_fn ({compare_fn}) has following not expected args: {sorted(arguments)}")
        self._compare_fn = compare_fn
        self._event_file_pattern = event_file_pattern
        self._model_dir: str | None = None
        self._best: Mapping[str, Any] | None = None

    def _is_due(self, estimator: Estimator, eval_result: Mapping[str, Any], is_the_final_export: bool) -> bool:
        if self._model_dir != estimator.model_dir and self._event_file_pattern:
            tf_logging.info("Loading best metric from event files.")
            self._model_dir = estimator.model_dir
            pattern = os.path.join(self._model_dir, self._event_file_pattern)
            step = eval_result.get(GraphKeys.GLOBAL_STEP)
            self._best = best_of_event_files(pattern, self._is_better, step)
        if self._best is not None and not self._is_better(self._best, eval_result):
            return False
        self._best = eval_result
        return True

    def _is_better(self, best: Mapping[str, Any], current: Mapping[str, Any]) -> bool:
        return bool(self._compare_fn(best_eval_result=best, current_eval_result=current))


def best_of_event_files(
    pattern: str, compare_fn: Callable[..., Any], step: int | None = None
) -> Mapping[str, Any] | None:
    """Returns the best result of an evaluation that event files have.

    Args:
        pattern: str, a pattern of the files.
        compare_fn: function of two dicts of metrics that returns True if the second one is better.
        step: int, the step of an evaluation that does not count; or None.

    Returns:
        dict of the metrics by name; None if there is none.
    """
    best: Mapping[str, Any] | None = None
    for path in sorted(glob(pattern)):
        for event in summary_iterator(path):
            values = {v.tag: v.simple_value for v in event.summary.value if v.HasField("simple_value")}
            if values and event.step != step and (best is None or compare_fn(best, values)):
                best = values
    return best
