"""`ProfilerHook`: traces steps for display in Chrome and TensorBoard."""

from __future__ import annotations

import os
from typing import Any

from ferroflow._src.base import proto, tf_logging
from ferroflow._src.framework.graph_files import replace_file
from ferroflow._src.session.timeline import Timeline
from ferroflow._src.summary.file_writer_cache import FileWriterCache
from ferroflow._src.supervision.hooks.global_step_read import global_step_read_for
from ferroflow._src.supervision.hooks.timers import SecondOrStepTimer
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class ProfilerHook(SessionRunHook):
    """Hook that traces the first step and later ones in intervals, into files `timeline-STEP.json` for `about:tracing`.

    Args:
        save_steps: int, steps between two traces.
        save_secs: float, seconds between two traces.
        output_dir: str, folder of the files, and of the event file that gets the traces as well.
        show_dataflow: bool. If True, the flow of data is drawn.
        show_memory: bool. If True, the memory of tensors is drawn.

    Raises:
        ValueError: if both or neither of `save_steps` and `save_secs` are given.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._file_writer = FileWriterCache.get(output_dir)
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Finds the global step."""
        self._next_step: int | None = None
        self._global_step_tensor = global_step_read_for("ProfilerHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Requests a trace if one is due.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that fetch the global step, with a RunOptions of `FULL_TRACE` if a trace is due.
        """
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        options = proto.RunOptions(trace_level=proto.RunOptions.FULL_TRACE) if self._request_summary else None
        return SessionRunArgs({"global_step": self._global_step_tensor}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the trace.

        Args:
            run_context: SessionRunContext, the one given to `before_run`.
            run_values: SessionRunValues.
        """
        global_step = run_values.results["global_step"] + 1
        if self._request_summary:
            # The value is from before the step, which need not have counted.
            global_step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(global_step)
            self._save(global_step, self._output_file.format(global_step), run_values.run_metadata.step_stats)
            self._file_writer.add_run_metadata(run_values.run_metadata, f"step_{global_step}")
        self._next_step = global_step + 1

    def _save(self, step: int, save_path: str, step_stats: Any) -> None:
        tf_logging.info("Saving timeline for %d into '%s'.", step, save_path)
        trace = Timeline(step_stats).generate_chrome_trace_format(self._show_dataflow, self._show_memory)
        replace_file(save_path, trace.encode())
