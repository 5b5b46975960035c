"""`SummarySaverHook`: writes summaries while training."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.base.typing import SessionObject, TensorLike
from ferroflow._src.summary.file_writer_cache import FileWriterCache
from ferroflow._src.supervision.hooks.global_step_read import global_step_read_for
from ferroflow._src.supervision.hooks.timers import SecondOrStepTimer
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class SummarySaverHook(SessionRunHook):
    """Hook that writes summaries at the first step and in intervals of steps or seconds.

    Args:
        save_steps: int, steps between two summaries.
        save_secs: float, seconds between two summaries.
        output_dir: str, folder of the summaries.
        summary_writer: FileWriter of the summaries, instead of `output_dir`.
        scaffold: Scaffold, whose `summary_op` is written.
        summary_op: string scalar Tensor, or list of them: the summaries to write instead.

    Raises:
        ValueError: if both or neither of `scaffold` and `summary_op` are given, or both or neither of `save_steps` and
            `save_secs`.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: TensorLike | None = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Finds the global step and the folder's writer."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step: int | None = None
        self._global_step_tensor = global_step_read_for("SummarySaverHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetches the global step, and the summaries if they are due.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that fetch the global step, and the summaries if they are due.
        """
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        requests: dict[str, Any] = {"global_step": self._global_step_tensor}
        if self._request_summary and (summary_ops := self._get_summary_op()) is not None:
            requests["summary"] = summary_ops
        return SessionRunArgs(requests)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes what was fetched.

        Args:
            run_context: SessionRunContext, the one given to `before_run`.
            run_values: SessionRunValues.
        """
        if not self._summary_writer:
            return
        global_step = run_values.results["global_step"] + 1
        if self._next_step is None or self._request_summary:
            # The value is from before the step, which need not have counted.
            global_step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            self._summary_writer.add_session_log(proto.SessionLog(status=proto.SessionLog.START), global_step)
        if self._request_summary:
            self._timer.update_last_triggered_step(global_step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, global_step)
        self._next_step = global_step + 1

    def end(self, session: SessionObject | None = None) -> None:
        """Writes the summaries to disk.

        Args:
            session: Session; not used.
        """
        if self._summary_writer:
            self._summary_writer.flush()

    def _get_summary_op(self) -> list[Any] | None:
        summary_op = self._scaffold.summary_op if self._summary_op is None else self._summary_op
        if summary_op is None:
            return None
        return summary_op if isinstance(summary_op, list) else [summary_op]
