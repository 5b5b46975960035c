"""`CheckpointSaverHook`: saves checkpoints while training, and calls listeners."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.base.typing import SessionObject
from ferroflow._src.checkpoint.meta_graph_export import create_meta_graph_def
from ferroflow._src.framework.default_graph import get_collection, get_default_graph
from ferroflow._src.framework.graph_files import write_graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.summary.file_writer_cache import FileWriterCache
from ferroflow._src.supervision.hooks.global_step_read import global_step_read_for
from ferroflow._src.supervision.hooks.timers import SecondOrStepTimer
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class CheckpointSaverListener:
    """Actions of a program around a hook's checkpoints; override the methods of interest."""

    def begin(self) -> None:
        """Is called once, before the session is created; operations may be added to the default graph."""

    def before_save(self, session: SessionObject, global_step_value: int) -> None:
        """Is called before each checkpoint.

        Args:
            session: Session.
            global_step_value: int, the global step.
        """

    def after_save(self, session: SessionObject, global_step_value: int) -> bool | None:
        """Is called after each checkpoint.

        Args:
            session: Session.
            global_step_value: int, the global step.

        Returns:
            True to end the training.
        """

    def end(self, session: SessionObject, global_step_value: int) -> None:
        """Is called at the end of the training, after the last checkpoint.

        Args:
            session: Session.
            global_step_value: int, the global step.
        """


class CheckpointSaverHook(SessionRunHook):
    """Hook that saves a checkpoint at the beginning, every `save_steps` or `save_secs`, and at the end.

    Args:
        checkpoint_dir: str, folder of the checkpoints.
        save_secs: float, seconds between two checkpoints.
        save_steps: int, steps between two checkpoints.
        saver: Saver; by default the scaffold's, or the one of the collection `SAVERS`.
        checkpoint_basename: str, the prefix of checkpoints' names.
        scaffold: Scaffold, whose saver is used.
        listeners: list of CheckpointSaverListener.
        save_graph_def: bool. If True, the graph is written as well.
        steps_per_run: int, by how much one call of `run` advances the global step.

    Raises:
        ValueError: if `saver` and `scaffold` are both given, or both or neither of `save_secs` and `save_steps`.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Iterable[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
        steps_per_run: int = 1,
    ) -> None:
        tf_logging.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._checkpoint_dir = os.fspath(checkpoint_dir)
        self._save_path = os.path.join(self._checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = list(listeners or ())
        self._save_graph_def = save_graph_def
        self._steps_per_run = steps_per_run

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Finds the global step and the folder's writer, and calls the listeners.

        Raises:
            RuntimeError: if the graph has no global step.
        """
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = global_step_read_for("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: SessionObject, coord: Any) -> None:
        """Writes the graph and the first checkpoint, that of variables without training or as they were restored.

        Args:
            session: Session.
            coord: Coordinator of the session's threads.

        Raises:
            RuntimeError: if no saver was given, and the collection `SAVERS` has none, or several.
        """
        global_step = session.run(self._global_step_tensor)
        graph = get_default_graph()
        graph_def = graph.as_graph_def(add_shapes=True)
        if self._save_graph_def:
            write_graph(graph_def, self._checkpoint_dir, "graph.pbtxt")
        saver = self._get_saver()
        self._summary_writer.add_graph(graph)
        self._summary_writer.add_meta_graph(
            create_meta_graph_def(graph_def=graph_def, saver_def=saver.saver_def if saver else None)
        )
        self._save(session, global_step)
        self._timer.update_last_triggered_step(global_step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Reads the global step.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that fetch the global step.
        """
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Saves a checkpoint if one is due.

        Args:
            run_context: SessionRunContext, the one given to `before_run`.
            run_values: SessionRunValues.

        Raises:
            RuntimeError: if no saver was given, and the collection `SAVERS` has none, or several.
        """
        # The value is from before the step, which need not have counted.
        if not self._timer.should_trigger_for_step(run_values.results + self._steps_per_run):
            return
        global_step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(global_step):
            self._timer.update_last_triggered_step(global_step)
            if self._save(run_context.session, global_step):
                run_context.request_stop()

    def end(self, session: SessionObject) -> None:
        """Saves the last checkpoint, unless there is one of this step, and calls the listeners.

        Args:
            session: Session.

        Raises:
            RuntimeError: if no saver was given, and the collection `SAVERS` has none, or several.
        """
        last_step = session.run(self._global_step_tensor)
        if last_step != self._timer.last_triggered_step():
            self._save(session, last_step)
        for listener in self._listeners:
            listener.end(session, last_step)
        self._summary_writer.flush()

    def _save(self, session: Any, step: int) -> bool:
        """Saves a checkpoint; returns True if a listener requests a stop."""
        for listener in self._listeners:
            listener.before_save(session, step)
        tf_logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._get_saver().save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def)
        log = proto.SessionLog(status=proto.SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(log, step)
        stops = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                tf_logging.info("A CheckpointSaverListener requested that training be stopped. listener: %s", listener)
                stops = True
        return stops

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_collection(GraphKeys.SAVERS)
        if not savers:
            raise RuntimeError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection or provide a saver "
                "or scaffold."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by passing it "
                "to the constructor."
            )
        self._saver = savers[0]
        return self._saver
