"""`AGNOptimizer`: accumulated gradient normalization, for workers that train variables of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.contrib.opt.center_variables import (
    GLOBAL_VARIABLE_NAME as GLOBAL_VARIABLE_NAME,
    CenterGetter,
    StartHook,
    count_step,
    is_period_over,
    make_local_step,
    trained,
)
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.array.making import zeros_like
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.state.assigning import assign, assign_add
from ferroflow._src.training.optimizer import Optimizer, prepare
from ferroflow._src.variables.collections import trainable_variables
from ferroflow._src.variables.creation import variable_creator_scope

GRAD_VARIABLE_NAME = "grad_variable"


class AGNCustomGetter(CenterGetter):
    """Custom getter of `tf.variable_scope` that makes the variables of `AGNOptimizer`.

    A trained variable is local to the worker. Beside it, `global_center_variable/NAME` is shared by all workers, and
    `grad_variable/NAME` on the worker sums up gradients. Use `tf.get_variable` within
    `tf.device(tf.train.replica_device_setter(...))`, which places shared variables on parameter servers.

    Args:
        worker_device: str, the device of the worker, such as "/job:worker/task:0".

    Example:
        >>> getter = tf.contrib.opt.AGNCustomGetter("/cpu:0")
        >>> with tf.variable_scope("", custom_getter=getter):
        ...     weights = tf.get_variable("weights", [3])
        >>> print([v.op.name for v in tf.global_variables()])
        ['global_center_variable/weights']
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._grad_map: dict[Any, Any] = {}

    def __call__(
        self, getter: Callable[..., Any], name: str, trainable: bool, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Returns the variable of a name.

        Args:
            getter: the getter of the scope around.
            name: str, name of the variable.
            trainable: bool. If True, the variable is the worker's own.
            collections: keys of collections, for a variable that is not trained.
            *args: further arguments of `getter`.
            **kwargs: further arguments of `getter`.

        Returns:
            Variable, or PartitionedVariable.
        """
        if trainable:
            return self._with_center(GRAD_VARIABLE_NAME, self._grad_map, getter, name, args, kwargs)
        return getter(name, *args, trainable=trainable, collections=collections, **kwargs)


def _into_local(next_creator: Callable[..., Any], collections: Any = None, **kwargs: Any) -> Any:
    """Makes a variable that is not global, so that each worker initializes its own."""
    places = list(collections or [GraphKeys.LOCAL_VARIABLES])
    if GraphKeys.GLOBAL_VARIABLES in places:
        places.remove(GraphKeys.GLOBAL_VARIABLES)
        places.append(GraphKeys.LOCAL_VARIABLES)
    return next_creator(collections=places, **kwargs)


class AGNOptimizer(Optimizer):
    """Optimizer whose workers train on their own, and update shared variables by the mean of their last gradients.

    Args:
        optimizer: the `Optimizer` that updates the worker's variables and the shared ones.
        num_worker: int, the number of workers.
        custom_getter: the `AGNCustomGetter` that made the variables.
        communication_period: int, the number of steps of a worker between two updates of the shared variables.
        use_locking: accepted; every update is atomic.
        name: str, name of the optimizer.

    Source: Hermans, Accumulated Gradient Normalization, 2017.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        num_worker: int,
        custom_getter: AGNCustomGetter,
        communication_period: int = 10,
        use_locking: bool = True,
        name: str = "AGNOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = optimizer
        self._num_worker = num_worker
        self._period = communication_period
        self._global_map = custom_getter._global_map
        self._grad_map = custom_getter._grad_map
        self._local_step = make_local_step()
        prepare(optimizer)

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Adds the operations of a training step of this worker.

        The worker's variables are updated and the gradients are summed up. At the end of a period, the shared variables
        are updated by the mean of the gradients, and the worker's variables become equal to them.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` gives them.
            global_step: variable that counts the updates of the shared variables, or None.
            name: not used.

        Returns:
            The operation of the step.
        """
        pairs = list(grads_and_vars)
        variables = trained(pairs)
        with variable_creator_scope(_into_local):
            updates: list[Any] = [self._opt.apply_gradients(pairs)]
        sums = [self._grad_map[variable] for variable in variables]
        gradients = [gradient for gradient, _ in pairs if gradient is not None]
        updates += [assign_add(total, gradient) for total, gradient in zip(sums, gradients, strict=True)]
        centers = [self._global_map[variable] for variable in variables]

        def update_centers() -> Operation:
            means = [assign(total, total / self._period) for total in sums]
            with control_dependencies(means):
                applied = self._opt.apply_gradients(zip(sums, centers, strict=True))
            with control_dependencies([applied]):
                later = []
                if global_step is not None:
                    with colocate_with(global_step):
                        later.append(assign_add(global_step, 1))
                later += [assign(v, self._global_map[v].read_value()) for v in variables]
                later += [assign(total, zeros_like(total)) for total in sums]
                return group(*later)

        over = is_period_over(self._local_step, count_step(self._local_step), self._period)
        with control_dependencies(updates):
            step: Operation = cond(over, update_centers, no_op)
        return step

    def get_init_op(self, task_index: int) -> Operation:
        """Returns the operation that sets the worker's variables to the shared ones, and its sums to zero.

        Args:
            task_index: int, the index of the worker; not used.

        Returns:
            Operation.

        Raises:
            ValueError: if there are no trainable variables.
        """
        del task_index
        variables = trainable_variables()
        if not variables:
            raise ValueError(
                "There are no trainable variables: make them by tf.get_variable within a scope of the AGNCustomGetter."
            )
        starts = [assign(variable, self._global_map[variable]) for variable in variables]
        sums = [self._grad_map[variable] for variable in variables]
        return group(*starts, *(assign(total, zeros_like(total)) for total in sums))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> StartHook:
        """Returns a hook that runs `get_init_op` when a session was created.

        Args:
            is_chief: bool; True for the chief.
            task_index: int, the index of the worker.

        Returns:
            SessionRunHook.
        """
        return StartHook(self, is_chief, task_index)
