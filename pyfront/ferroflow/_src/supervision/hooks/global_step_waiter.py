"""`GlobalStepWaiterHook`: lets a worker start later than others."""

from __future__ import annotations

import time

from ferroflow._src.base import tf_logging
from ferroflow._src.supervision.hooks.global_step_read import global_step_read_for
from ferroflow._src.supervision.session_run_hook import SessionRunContext, SessionRunHook

# Seconds between two checks of the global step, and steps between two lines of the log.
_LOOK = 0.5
_STEPS_PER_LINE = 1000


class GlobalStepWaiterHook(SessionRunHook):
    """Hook that delays the first step until other workers have advanced the global step to a value.

    Workers that start one after the other train more evenly where gradients are applied asynchronously.

    Args:
        wait_until_step: int, that value of the global step.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """Finds the global step."""
        self._worker_is_started = False
        self._global_step_tensor = global_step_read_for("_GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        """Waits before the first step.

        Args:
            run_context: SessionRunContext.
        """
        if self._worker_is_started:
            return
        self._worker_is_started = True
        if self._wait_until_step <= 0:
            return
        tf_logging.info("Waiting for global step %d before starting training.", self._wait_until_step)
        last_logged_step = 0
        while (step := run_context.session.run(self._global_step_tensor)) < self._wait_until_step:
            if step - last_logged_step > _STEPS_PER_LINE:
                tf_logging.info(
                    "Waiting for global step %d before starting training. Current step is %d.",
                    self._wait_until_step,
                    step,
                )
                last_logged_step = step
            time.sleep(_LOOK)
