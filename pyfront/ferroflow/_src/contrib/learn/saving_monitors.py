"""Monitors of `tf.contrib.learn` that save checkpoints or export the model."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.contrib.learn.monitors import BaseMonitor, EveryN
from ferroflow._src.estimator import estimator as core
from ferroflow._src.summary.file_writer_cache import FileWriterCache

__all__ = ["CheckpointSaver", "ExportMonitor"]


class CheckpointSaver(BaseMonitor):
    """Saves checkpoints every few steps or seconds, at the first step and at the end.

    Args:
        checkpoint_dir: str, the folder of checkpoints.
        save_secs: float, seconds between two checkpoints, or None.
        save_steps: int, steps between two checkpoints, or None.
        saver: tf.train.Saver; None for that of `scaffold`.
        checkpoint_basename: str, the start of the checkpoints' names.
        scaffold: tf.train.Scaffold, or None.

    Raises:
        ValueError: if both or neither of `save_secs` and `save_steps` are given.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
    ) -> None:
        super().__init__()
        if save_steps is None and save_secs is None:
            raise ValueError("Either save_steps or save_secs should be provided")
        if save_steps is not None and save_secs is not None:
            raise ValueError("Can not provide both save_steps and save_secs.")
        self._saver, self._scaffold = saver, scaffold
        self._writer = FileWriterCache.get(checkpoint_dir)
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._save_secs, self._save_steps = save_secs, save_steps
        self._last_begin_step: int | None = None
        self._saved: tuple[int | None, float] | None = None

    def begin(self, max_steps: int | None = None) -> None:
        """Makes the first step save a checkpoint."""
        super().begin(max_steps)
        self._last_begin_step = self._saved = None

    def step_begin(self, step: int) -> list[Any]:
        """Notes the step; requests nothing."""
        self._last_begin_step = step
        return super().step_begin(step)

    def post_step(self, step: int, session: Any) -> None:
        """Saves a checkpoint if the interval has passed."""
        super().post_step(step, session)
        if self._saved is None or self._is_due(step, *self._saved):
            self._save(step, session)

    def _is_due(self, step: int, saved_step: int | None, saved_time: float) -> bool:
        if self._save_steps is not None:
            return step >= (saved_step or 0) + self._save_steps
        return time.time() >= saved_time + (self._save_secs or 0)

    def end(self, session: Any = None) -> None:
        """Saves the last checkpoint."""
        super().end(session)
        if self._saved is None or self._saved[0] != self._last_begin_step:
            self._save(self._last_begin_step, session)

    def _save(self, step: int | None, session: Any) -> None:
        tf_logging.info("Saving checkpoints for %s into %s.", step, self._path)
        self._saved = step, time.time()
        (self._saver or self._scaffold.saver).save(session, self._path, global_step=step)
        log = proto.SessionLog(status=proto.SessionLog.CHECKPOINT, checkpoint_path=self._path)
        self._writer.add_session_log(log, step)


class ExportMonitor(EveryN):
    """Exports the model as a session bundle every few steps, if there is a new checkpoint.

    Args:
        every_n_steps: int, the steps between two exports.
        export_dir: str, the folder in which those named by the global step are made.
        input_fn: function of no arguments that returns features and labels; None to parse the features of training.
        input_feature_key: str, the key of the serialized examples among the features, or None.
        exports_to_keep: int, the number of exports that are kept; None for all.
        signature_fn: function of examples, features and predictions that returns a Signature message and a dict of
            named ones; None for the estimator's.
        default_batch_size: int, the number of examples.
    """

    def __init__(
        self,
        every_n_steps: int,
        export_dir: str,
        input_fn: Callable[..., Any] | None = None,
        input_feature_key: str | None = None,
        exports_to_keep: int | None = 5,
        signature_fn: Callable[..., Any] | None = None,
        default_batch_size: int = 1,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._options: dict[str, Any] = {
            "exports_to_keep": exports_to_keep,
            "signature_fn": signature_fn,
            "default_batch_size": default_batch_size,
            "input_feature_key": input_feature_key,
            "use_deprecated_input_fn": input_fn is None,
            **({} if input_fn is None else {"input_fn": input_fn}),
        }
        self._export_dir = export_dir
        self._last_export_dir: Any = None

    @property
    def export_dir(self) -> str:
        """The folder of the exports, a str."""
        return self._export_dir

    @property
    def exports_to_keep(self) -> int | None:
        """The number of exports that are kept, an int or None."""
        kept: int | None = self._options["exports_to_keep"]
        return kept

    @property
    def signature_fn(self) -> Callable[..., Any] | None:
        """The function that makes the signatures, or None."""
        function: Callable[..., Any] | None = self._options["signature_fn"]
        return function

    @property
    def last_export_dir(self) -> Any:
        """The folder of the last export, bytes; None before it."""
        return self._last_export_dir

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool:
        """Exports the model; never ends training.

        Raises:
            ValueError: if the estimator is of `tf.estimator`.
        """
        self._export()
        return False

    def end(self, session: Any = None) -> None:
        """Exports the last checkpoint."""
        super().end(session=session)
        if latest_checkpoint(self._estimator.model_dir) is not None:
            self._export()

    def _export(self) -> None:
        if isinstance(self._estimator, core.Estimator):
            raise ValueError(
                "ExportMonitor does not support `tf.estimator.Estimator`. Please pass an ExportStrategy to Experiment "
                "instead."
            )
        try:
            self._last_export_dir = self._estimator.export(self._export_dir, **self._options)
        except RuntimeError as failure:
            tf_logging.info("The checkpoint is not exported again: %s", failure)
