"""`StopAfterNEvalsHook`: ends an evaluation after some batches."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

# Lines of the log that an evaluation of many batches has, about.
_LINES = 10
_FEW = 20


class StopAfterNEvalsHook(SessionRunHook):
    """Hook that requests a stop after a number of batches.

    Args:
        num_evals: int, how many; None for all of the input.
        log_progress: bool. If True, the progress is logged.
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        self._log_frequency = 1 if num_evals is None or num_evals < _FEW else num_evals // _LINES

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        """Sets the tensor that counts the batches."""
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetches the count.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that fetch the count.
        """
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs the progress, and checks for the last batch.

        Args:
            run_context: SessionRunContext, the one given to `before_run`.
            run_values: SessionRunValues.
        """
        completed = run_values.results["evals_completed"]
        if self._log_progress:
            if self._num_evals is None:
                tf_logging.info("Evaluation [%d]", completed)
            elif completed % self._log_frequency == 0 or completed == self._num_evals:
                tf_logging.info("Evaluation [%d/%d]", completed, self._num_evals)
        if self._num_evals is not None and completed >= self._num_evals:
            run_context.request_stop()
