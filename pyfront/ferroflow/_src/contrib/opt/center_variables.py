"""Parts of optimizers of workers that train variables of their own: custom getters, the local step, and the hook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.default_graph import control_dependencies, device
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math.arithmetic import mod
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initialization import global_variables_initializer, local_variables_initializer

GLOBAL_VARIABLE_NAME = "global_center_variable"


def parts_of(variable: Any, partitioner: object) -> Iterator[Any]:
    """Returns the parts of a partitioned variable; of another, the variable alone."""
    return iter([variable] if partitioner is None else variable)


class CenterGetter:
    """Custom getter that makes trained variables local to a worker, with a center variable for all workers.

    Args:
        worker_device: str, the device of the worker.
    """

    def __init__(self, worker_device: str) -> None:
        self._worker_device = worker_device
        self._global_map: dict[Any, Any] = {}

    def _local(self, getter: Callable[..., Any], name: str, trainable: bool, *args: Any, **kwargs: Any) -> Any:
        with device(self._worker_device):
            return getter(name, *args, trainable=trainable, collections=[GraphKeys.LOCAL_VARIABLES], **kwargs)

    def _with_center(
        self,
        beside: str,
        of_each: dict[Any, Any],
        getter: Callable[..., Any],
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Returns the worker's variable; makes the center variable, and one more of the worker.

        Args:
            beside: str, the scope of the further variable.
            of_each: dict that receives the further variable by the worker's.
            getter: the getter that makes variables.
            name: str, the name of the worker's variable.
            args: further arguments of the getter, by position.
            kwargs: further arguments of the getter, by name.
        """
        local = self._local(getter, name, True, *args, **kwargs)
        if kwargs.get("reuse") is True:
            return local
        center = getter(
            f"{GLOBAL_VARIABLE_NAME}/{name}",
            *args,
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            **kwargs,
        )
        further = self._local(getter, f"{beside}/{name}", False, *args, **kwargs)
        partitioner = kwargs.get("partitioner")
        found = (parts_of(one, partitioner) for one in (local, center, further))
        for part, center_part, further_part in zip(*found, strict=True):
            self._global_map[part] = center_part
            of_each[part] = further_part
        return local

    def _untrained(
        self, getter: Callable[..., Any], name: str, collections: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Returns a variable that is not trained: on the worker if it is local."""
        is_local = GraphKeys.LOCAL_VARIABLES in (collections or ())
        with device(self._worker_device if is_local else ""):
            return getter(name, *args, trainable=False, collections=collections, **kwargs)


def make_local_step() -> Any:
    """Returns the variable that counts the steps of this worker, int32 of shape []."""
    return get_variable(initializer=0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], name="local_step")


def count_step(local_step: Any) -> Operation:
    """Returns the operation that adds one to the worker's number of steps."""
    counted: Operation = assign_add(local_step, 1, name="local_step_update").op
    return counted


def is_period_over(local_step: Any, counted: Operation, period: int) -> Any:
    """Returns a bool tensor: True in each step whose number is a multiple of the period."""
    with control_dependencies([counted]):
        return equal(mod(local_step, period), 0)


def at_end_of_period(local_step: Any, counted: Operation, period: int, update: Callable[[], Any]) -> Any:
    """Returns the operation that runs an update each time that the period is over."""
    with control_dependencies([counted]):
        return cond(equal(mod(local_step, period), 0), update, no_op)


def trained(grads_and_vars: Iterable[tuple[Any, Any]]) -> list[Any]:
    """Returns the variables that have a gradient."""
    return [variable for gradient, variable in grads_and_vars if gradient is not None]


class StartHook(SessionRunHook):
    """Hook that sets a worker's variables to the center variables when a session was created.

    Args:
        optimizer: the optimizer, which has `get_init_op(task_index)`.
        is_chief: bool; True for the chief.
        task_index: int, the index of the worker.
    """

    def __init__(self, optimizer: Optimizer, is_chief: bool, task_index: int) -> None:
        self._optimizer: Any = optimizer
        self._is_chief = is_chief
        self._task_index = task_index
        self._local_init_op: Operation | None = None
        self._global_init_op: Operation | None = None
        self._variable_init_op: Any = None

    def begin(self) -> None:
        """Adds the operations that initialize variables."""
        self._local_init_op = local_variables_initializer()
        if self._is_chief:
            self._global_init_op = global_variables_initializer()
        self._variable_init_op = self._optimizer.get_init_op(self._task_index)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Sets the variables.

        Args:
            session: the Session that was created.
            coord: the Coordinator of the threads.
        """
        session.run(self._variable_init_op)
