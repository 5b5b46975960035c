"""`CheckpointInputPipelineHook`: checkpoints of the iterators alone, beside those of the model."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import IntLike, SessionObject
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.data.iterator import ITERATORS
from ferroflow._src.data.iterator_saving import IteratorSaveable
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.session.session import BaseSession
from ferroflow._src.supervision.hooks.checkpoint_saver import CheckpointSaverHook
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class _IteratorSaver(Saver):
    """A saver with a state file of its own, so that `latest_checkpoint` of the model does not find its checkpoints."""

    def __init__(self, saveables: list[IteratorSaveable], latest_filename: str) -> None:
        super().__init__(saveables)
        self._latest_filename = latest_filename

    def save(
        self,
        sess: BaseSession,
        save_path: str,
        global_step: IntLike | None = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
    ) -> str | None:
        return super().save(
            sess,
            save_path,
            global_step,
            latest_filename or self._latest_filename,
            meta_graph_suffix,
            write_meta_graph,
            write_state,
            strip_default_attrs,
        )


class _PositionSaverHook(CheckpointSaverHook):
    """Hook that saves and restores the positions of all iterators of the graph.

    Args:
        folder: str, the folder of the checkpoints.
        prefix: str, the prefix of their names, and the end of the name of their state file.
        save_secs: float, seconds between two checkpoints, or None.
        save_steps: int, steps between two checkpoints, or None.
    """

    def __init__(self, folder: str, prefix: str, save_secs: float | None, save_steps: int | None) -> None:
        super().__init__(folder, save_secs, save_steps, checkpoint_basename=f"{prefix}.ckpt")
        self._latest_filename = f"checkpoint_{prefix}"

    def begin(self) -> None:
        saveables = [IteratorSaveable(resource) for resource in get_collection(ITERATORS)]
        self._saver = _IteratorSaver(saveables, self._latest_filename)
        super().begin()

    def restore_or_save(self, session: Any) -> None:
        """Restores the latest positions; saves the present ones if there are none."""
        latest = latest_checkpoint(self._checkpoint_dir, self._latest_filename)
        if latest is not None:
            self._saver.restore(session, latest)
            return
        global_step = session.run(self._global_step_tensor)
        self._save(session, global_step)
        self._timer.update_last_triggered_step(global_step)


class CheckpointInputPipelineHook(SessionRunHook):
    """Hook that saves the positions of all iterators of the graph, as often as an estimator saves its model.

    A training that is continued goes on in the middle of its data. The checkpoints are in the estimator's folder and
    named `input.ckpt`, or `input_<task type>_<task number>.ckpt` with several workers. Give the hook to `train` only:
    `evaluate` has other iterators.

    Args:
        estimator: Estimator, for its folder and its intervals between checkpoints.

    Raises:
        ValueError: if the estimator's configuration has no interval between checkpoints, or two.

    Example:
        >>> hook = tf.data.experimental.CheckpointInputPipelineHook(estimator)
        >>> estimator.train(train_input_fn, hooks=[hook], steps=100)
    """

    def __init__(self, estimator: Any) -> None:
        config = estimator.config
        prefix = "input"
        if config.num_worker_replicas > 1:
            prefix = f"input_{config.task_type}_{config.task_id}"
        # A part and no base class, because estimators add no saver of their own if a hook is a CheckpointSaverHook.
        self._saver_hook = _PositionSaverHook(
            estimator.model_dir, prefix, config.save_checkpoints_secs, config.save_checkpoints_steps
        )
        self._is_first_run = True

    def begin(self) -> None:
        """Makes the saver of the graph's iterators.

        Raises:
            RuntimeError: if the graph has no global step.
            ValueError: if it has no iterator.
        """
        self._saver_hook.begin()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Restores the latest positions before the first step, or saves the first ones; reads the global step.

        Another hook initializes the iterators after the session is created. A position restored earlier would be lost.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that fetch the global step.
        """
        if self._is_first_run:
            self._is_first_run = False
            self._saver_hook.restore_or_save(run_context.session)
        return self._saver_hook.before_run(run_context)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Saves the positions if a checkpoint is due.

        Args:
            run_context: SessionRunContext.
            run_values: SessionRunValues.
        """
        self._saver_hook.after_run(run_context, run_values)

    def end(self, session: SessionObject) -> None:
        """Saves the last positions.

        Args:
            session: Session.
        """
        self._saver_hook.end(session)
