"""`StepCounterHook`: reports how many steps a second are done."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.summary.file_writer_cache import FileWriterCache
from ferroflow._src.supervision.hooks.global_step_read import global_step_read_for
from ferroflow._src.supervision.hooks.timers import SecondOrStepTimer
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from ferroflow._src.training.global_step import get_global_step

# Steps without a change of the global step after which a warning says that no operation increments it.
_PATIENCE = 20


class StepCounterHook(SessionRunHook):
    """Hook that logs the steps per second in intervals of steps or seconds, and writes them as a summary.

    Args:
        every_n_steps: int, steps between two reports.
        every_n_secs: float, seconds between two reports.
        output_dir: str, folder of the summaries.
        summary_writer: FileWriter of the summaries, instead of `output_dir`.

    Raises:
        ValueError: if both or neither of `every_n_steps` and `every_n_secs` are given.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._last_global_step: int | None = None
        self._global_step_check_count = 0
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Finds the global step and the folder's writer."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = global_step_read_for("StepCounterHook")
        self._summary_tag = get_global_step().op.name + "/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Reads the global step.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that fetch the global step.
        """
        return SessionRunArgs(self._global_step_tensor)

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        """Reports the time that steps took, in seconds."""
        steps_per_sec = elapsed_steps / elapsed_time if elapsed_time else float("inf")
        if self._summary_writer is not None:
            value = proto.Summary.Value(tag=self._summary_tag, simple_value=steps_per_sec)
            self._summary_writer.add_summary(proto.Summary(value=[value]), global_step)
        tf_logging.info("%s: %g", self._summary_tag, steps_per_sec)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Reports the speed if it is due; warns if the global step does not change.

        Args:
            run_context: SessionRunContext, the one given to `before_run`.
            run_values: SessionRunValues.
        """
        stale_global_step = run_values.results
        if self._timer.should_trigger_for_step(stale_global_step + self._steps_per_run):
            # The value is from before the step, which need not have counted.
            global_step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(global_step):
                elapsed_time, elapsed_steps = self._timer.update_last_triggered_step(global_step)
                if elapsed_time is not None and elapsed_steps is not None:
                    self._log_and_record(elapsed_steps, elapsed_time, global_step)
        if stale_global_step != self._last_global_step:
            self._global_step_check_count = 0
        else:
            self._global_step_check_count += 1
            if self._global_step_check_count % _PATIENCE == 0:
                self._global_step_check_count = 0
                tf_logging.warning(
                    "It seems that global step (tf.train.get_global_step) has not been increased. Current value (could "
                    "be stable): %s vs previous value: %s. You could increase the global step by passing "
                    "tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.",
                    stale_global_step,
                    self._last_global_step,
                )
        self._last_global_step = stale_global_step
