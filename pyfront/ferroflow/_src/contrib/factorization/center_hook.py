"""Hooks of clusterings: they run the choice of first centers before training, and end training."""

from __future__ import annotations

import time
from typing import Any

from ferroflow._src.framework.handles import Operation
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

_SECONDS_BETWEEN_LOOKS = 1


class InitializeClustersHook(SessionRunHook):
    """Hook that chooses the first centers in the chief, and waits for them in the other workers.

    Args:
        init_op: Operation that chooses some centers.
        is_initialized: bool Tensor or Variable, scalar: True once all are chosen.
        is_chief: bool. If True, this task chooses.
    """

    def __init__(self, init_op: Operation, is_initialized: Any, is_chief: bool) -> None:
        self._init_op = init_op
        self._is_initialized = is_initialized
        self._is_chief = is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs the choice until all centers are there."""
        while not session.run(self._is_initialized):
            if self._is_chief:
                session.run(self._init_op)
            else:
                time.sleep(_SECONDS_BETWEEN_LOOKS)


class LossRelativeChangeHook(SessionRunHook):
    """Hook that stops the training when the loss changes by less than a share of itself.

    Args:
        loss: Tensor of float32, scalar.
        tolerance: float, the share.
    """

    def __init__(self, loss: Any, tolerance: float) -> None:
        self._loss = loss
        self._tolerance = tolerance
        self._before: Any = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetches the loss."""
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Compares the loss with that of the step before."""
        loss = run_values.results
        if self._before and abs(loss - self._before) / (1 + abs(self._before)) < self._tolerance:
            run_context.request_stop()
        self._before = loss
