"""`StopAtStepHook`: ends the training at a step."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import SessionObject
from ferroflow._src.supervision.hooks.global_step_read import global_step_read_for
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class StopAtStepHook(SessionRunHook):
    """Hook that requests a stop after a number of steps, or at a value of the global step.

    Args:
        num_steps: int, steps from the beginning of this training.
        last_step: int, value of the global step.

    Raises:
        ValueError: if both or neither of `num_steps` and `last_step` are given.

    Example:
        >>> step = tf.train.create_global_step()
        >>> increment = tf.assign_add(step, 1)
        >>> with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(num_steps=3)]) as session:
        ...     while not session.should_stop():
        ...         print(session.run(increment))
        1
        2
        3
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self) -> None:
        """Finds the global step."""
        self._global_step_tensor = global_step_read_for("StopAtStepHook")

    def after_create_session(self, session: SessionObject, coord: Any) -> None:
        """Starts counting, at the first call.

        Args:
            session: Session.
            coord: Coordinator of the session's threads.
        """
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Reads the global step.

        Args:
            run_context: SessionRunContext.

        Returns:
            SessionRunArgs that fetch the global step.
        """
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Requests a stop after the last step.

        Args:
            run_context: SessionRunContext, the one given to `before_run`.
            run_values: SessionRunValues.
        """
        # The value is from before the step, which need not have counted.
        if run_values.results + 1 >= self._last_step and (
            run_context.session.run(self._global_step_tensor) >= self._last_step
        ):
            run_context.request_stop()
