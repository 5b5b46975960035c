"""`LoggingTensorHook`: logs the values of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import DictLike, SessionObject
from ferroflow._src.supervision.hooks.graph_element import as_graph_element
from ferroflow._src.supervision.hooks.timers import HookTimer, NeverTriggerTimer, SecondOrStepTimer
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class LoggingTensorHook(SessionRunHook):
    """Hook that logs tensors at the first step and in intervals of steps or seconds, at the level INFO.

    Args:
        tensors: dict from names for the log to tensors, of any dtype and shape, or their names; or a list of these.
        every_n_iter: int, steps of this session between two logs.
        every_n_secs: float, seconds between two logs.
        at_end: bool. If True, they are logged at the end.
        formatter: callable that makes the text of a dict of values; by default `name = value` for each.

    Raises:
        ValueError: if `every_n_iter` and `every_n_secs` are both given, or neither is given without `at_end`; or if
            `every_n_iter` is not positive.
    """

    def __init__(
        self,
        tensors: DictLike,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[Any, Any]], str] | None = None,
    ) -> None:
        is_only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not is_only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        self._tensors = tensors if isinstance(tensors, dict) else {item: item for item in tensors}
        self._tag_order = list(self._tensors)
        self._formatter = formatter
        self._timer: HookTimer = (
            NeverTriggerTimer()
            if is_only_at_end
            else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        )
        self._log_at_end = at_end

    def begin(self) -> None:
        """Finds the tensors."""
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: as_graph_element(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Fetches the tensors if they are due.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that fetch the tensors, or None.
        """
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def _log_tensors(self, tensor_values: dict[Any, Any]) -> None:
        with np.printoptions(suppress=True):
            elapsed_secs, _ = self._timer.update_last_triggered_step(self._iter_count)
            if self._formatter:
                tf_logging.info(self._formatter(tensor_values))
                return
            stats = ", ".join(f"{tag} = {tensor_values[tag]!s}" for tag in self._tag_order)
            if elapsed_secs is None:
                tf_logging.info("%s", stats)
            else:
                tf_logging.info("%s (%.3f sec)", stats, elapsed_secs)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs the fetched values.

        Args:
            run_context: SessionRunContext, the one given to `before_run`.
            run_values: SessionRunValues.
        """
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: SessionObject) -> None:
        """Logs the tensors, if requested.

        Args:
            session: Session.
        """
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))
