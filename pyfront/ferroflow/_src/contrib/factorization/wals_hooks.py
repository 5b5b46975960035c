"""Hooks of the factorization's training: alternate sweeps over rows and columns, and end the training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ferroflow._src.base import tf_logging
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from ferroflow._src.training.global_step import get_global_step

COMPLETED_SWEEPS: Final = "completed_sweeps"


class SweepHook(SessionRunHook):
    """Hook that runs the step of the current sweep, and what comes before each sweep.

    Args:
        is_row_sweep_var: bool Variable: True during a sweep over the rows.
        is_sweep_done_var: bool Variable: True once a sweep is complete.
        init_op: Operation that runs once before all sweeps.
        row_prep_ops: list of Operations that run before a sweep over the rows, in this order.
        col_prep_ops: list of Operations that run before a sweep over the columns, in this order.
        row_train_op: Operation, the step of a sweep over the rows.
        col_train_op: Operation, the step of a sweep over the columns.
        switch_op: Operation that runs between two sweeps.
    """

    def __init__(
        self,
        is_row_sweep_var: Any,
        is_sweep_done_var: Any,
        init_op: Operation,
        row_prep_ops: Sequence[Operation],
        col_prep_ops: Sequence[Operation],
        row_train_op: Operation,
        col_train_op: Operation,
        switch_op: Operation,
    ) -> None:
        self._is_row_sweep = is_row_sweep_var
        self._is_sweep_done = is_sweep_done_var
        self._init_op = init_op
        self._switch_op = switch_op
        self._prepare = {True: row_prep_ops, False: col_prep_ops}
        self._step = {True: row_train_op, False: col_train_op}
        self._is_initialized = False

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Prepares a sweep if one begins, and requests its step."""
        session = run_context.session
        is_done = session.run(self._is_sweep_done)
        begins = is_done or not self._is_initialized
        if not self._is_initialized:
            session.run(self._init_op)
            self._is_initialized = True
        if is_done:
            session.run(self._switch_op)
        is_row_sweep = bool(session.run(self._is_row_sweep))
        if begins:
            tf_logging.info("A sweep over the %s begins.", "rows" if is_row_sweep else "columns")
            for operation in self._prepare[is_row_sweep]:
                session.run(operation)
        return SessionRunArgs([self._step[is_row_sweep]])


class IncrementGlobalStepHook(SessionRunHook):
    """Hook that adds one to the global step, if there is one."""

    def __init__(self) -> None:
        step = get_global_step()
        self._increase: Any = None if step is None else assign_add(step, 1, name="global_step_incr").op

    def before_run(self, run_context: SessionRunContext) -> None:
        """Adds one."""
        if self._increase is not None:
            run_context.session.run(self._increase)


class StopAtSweepHook(SessionRunHook):
    """Hook that ends the training after a number of sweeps.

    Args:
        last_sweep: int, the number of sweeps.
    """

    def __init__(self, last_sweep: int) -> None:
        self._last_sweep = last_sweep
        self._completed: Any = None

    def begin(self) -> None:
        """Finds the number of completed sweeps in the graph.

        Raises:
            RuntimeError: if the graph has no such number.
        """
        try:
            self._completed = get_default_graph().get_tensor_by_name(f"{COMPLETED_SWEEPS}:0")
        except KeyError:
            raise RuntimeError(f"{COMPLETED_SWEEPS} counter should be created to use StopAtSweepHook.") from None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Requests the number of completed sweeps."""
        return SessionRunArgs(self._completed)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Ends the training if all sweeps are complete."""
        if run_values.results >= self._last_sweep:
            run_context.request_stop()
