"""`ElasticAverageOptimizer`: elastic averaging, for workers that train variables of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.checkpoint.saver_builder import BaseSaverBuilder
from ferroflow._src.contrib.opt.center_variables import (
    GLOBAL_VARIABLE_NAME as GLOBAL_VARIABLE_NAME,
    CenterGetter,
    StartHook,
    at_end_of_period,
    count_step,
    make_local_step,
    trained,
)
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import (
    add_to_collection,
    colocate_with,
    control_dependencies,
    device,
    get_default_graph,
)
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.arithmetic import add_n, multiply, subtract
from ferroflow._src.ops.nn.normalization import l2_loss
from ferroflow._src.ops.queue.queues import FIFOQueue
from ferroflow._src.ops.state.assigning import assign, assign_add, assign_sub
from ferroflow._src.training.optimizer import Optimizer, prepare
from ferroflow._src.variables.collections import global_variables, trainable_variables

LOCAL_VARIABLE_NAME = "local_center_variable"
GLOBAL_STEP = "global_step"


class ElasticAverageCustomGetter(CenterGetter):
    """Custom getter of `tf.variable_scope` that makes the variables of `ElasticAverageOptimizer`.

    A trained variable is local to the worker. Beside it, `global_center_variable/NAME` is shared by all workers, and
    `local_center_variable/NAME` is the worker's copy of that. Use `tf.get_variable` within
    `tf.device(tf.train.replica_device_setter(...))`, which places shared variables on parameter servers.

    Args:
        worker_device: str, the device of the worker, such as "/job:worker/task:0".

    Example:
        >>> getter = tf.contrib.opt.ElasticAverageCustomGetter("/cpu:0")
        >>> with tf.variable_scope("", custom_getter=getter):
        ...     weights = tf.get_variable("weights", [3])
        >>> print([v.op.name for v in tf.local_variables()])
        ['weights', 'local_center_variable/weights']
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._local_map: dict[Any, Any] = {}

    def __call__(
        self, getter: Callable[..., Any], name: str, trainable: bool, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Returns the variable of a name.

        Args:
            getter: the getter of the scope around.
            name: str, name of the variable.
            trainable: bool. If True, the variable is the worker's own.
            collections: keys of collections, for a variable that is not trained; a local one is the worker's, too.
            *args: further arguments of `getter`.
            **kwargs: further arguments of `getter`.

        Returns:
            Variable, or PartitionedVariable.
        """
        if trainable:
            return self._with_center(LOCAL_VARIABLE_NAME, self._local_map, getter, name, args, kwargs)
        return self._untrained(getter, name, collections, args, kwargs)


def _learning_rate_of(optimizer: Optimizer) -> Any:
    state = vars(optimizer)
    rate = state.get("_learning_rate", state.get("_lr"))
    if rate is None:
        raise ValueError(f"ElasticAverageOptimizer needs `rho`: {optimizer} has no learning rate.")
    return rate


class ElasticAverageOptimizer(Optimizer):
    """Optimizer whose workers train on their own, and pull shared variables and their own towards each other.

    Args:
        opt: the `Optimizer` that updates the worker's variables.
        num_worker: int, the number of workers.
        ea_custom_getter: the `ElasticAverageCustomGetter` that made the variables.
        communication_period: int, the number of steps of a worker between two exchanges with the shared variables.
        moving_rate: float, the part of the difference by which variables move in an exchange; None for
            `0.9 / communication_period / num_worker`.
        rho: float, weight of the loss that keeps variables near the shared ones; None for
            `moving_rate / learning_rate`. 0 suits workers that do not wait for each other.
        use_locking: accepted; every update is atomic.
        synchronous: bool. If True, workers wait for each other before the first step.
        name: str, name of the optimizer.

    Raises:
        ValueError: if `rho` is None and `opt` has no learning rate.

    Source: Zhang, Choromanska and LeCun, Deep Learning with Elastic Averaging SGD, 2015.
    """

    BETA: Final = 0.9

    def __init__(
        self,
        opt: Optimizer,
        num_worker: int,
        ea_custom_getter: ElasticAverageCustomGetter,
        communication_period: int = 10,
        moving_rate: float | None = None,
        rho: float | None = None,
        use_locking: bool = True,
        synchronous: bool = False,
        name: str = "ElasticAverageOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._num_worker = num_worker
        self._period = communication_period
        self._global_map = ea_custom_getter._global_map
        self._local_map = ea_custom_getter._local_map
        self._synchronous = synchronous
        self._moving_rate = self.BETA / communication_period / num_worker if moving_rate is None else moving_rate
        self._rho = self._moving_rate / _learning_rate_of(opt) if rho is None else rho
        self._local_step = make_local_step()
        prepare(opt)

    def compute_gradients(
        self,
        loss: TensorLike,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Adds the operations that compute the gradients of a loss, and of the distance from the shared variables.

        Args:
            loss: Tensor of a float dtype, of shape [].
            var_list: list of variables that the `ElasticAverageCustomGetter` made; None for all trainable ones.
            gate_gradients: `GATE_NONE`, `GATE_OP` or `GATE_GRAPH`.
            aggregation_method: a constant of `AggregationMethod`.
            colocate_gradients_with_ops: bool. If True, each gradient is placed with its forward operation.
            grad_loss: Tensor of the dtype and shape of `loss`, its gradient; None for ones.

        Returns:
            List of (gradient, variable) pairs.
        """
        variables = var_list or trainable_variables()
        copies = [self._local_map[variable] for variable in variables]
        # TF 1.x: all trainable variables are paired with the copies, also if `var_list` is given.
        differences = [subtract(v, copy) for v, copy in zip(trainable_variables(), copies, strict=False)]
        distance = self._rho * add_n([l2_loss(difference) for difference in differences])
        total: Any = loss + distance
        return self._opt.compute_gradients(
            total, variables, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Adds the operations of a training step of this worker.

        At the end of a period, the worker's variables move towards the shared ones, and these towards the worker's.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` gives them.
            global_step: variable that counts the exchanges, or None.
            name: not used.

        Returns:
            The operation of the step.
        """
        pairs = list(grads_and_vars)
        before = {variable.op.name for variable in global_variables()}
        applied = self._opt.apply_gradients(pairs)
        made = {variable.op.name for variable in global_variables()} - before
        with control_dependencies([applied]):
            counted = count_step(self._local_step)
        _make_local(made)

        def exchange() -> Operation:
            variables = trained(pairs)
            centers = [self._global_map[variable] for variable in variables]
            copies = [self._local_map[variable] for variable in variables]
            copied = [copy.assign(center) for copy, center in zip(copies, centers, strict=True)]
            updates = []
            with control_dependencies(copied):
                differences = []
                for variable, copy in zip(variables, copies, strict=True):
                    with device(variable.device):
                        differences.append(subtract(variable, copy))
                for change, moved in ((assign_sub, variables), (assign_add, centers)):
                    for variable, difference in zip(moved, differences, strict=True):
                        with device(variable.device):
                            updates.append(change(variable, multiply(self._moving_rate, difference)))
                if global_step is not None:
                    with colocate_with(global_step):
                        updates.append(assign_add(global_step, 1))
            return group(*updates)

        step: Operation = at_end_of_period(self._local_step, counted, self._period, exchange)
        return step

    def get_init_op(self, task_index: int) -> Operation:
        """Returns the operation that sets the worker's variables to the shared ones.

        Args:
            task_index: int, the index of the worker.

        Returns:
            Operation; if the optimizer is synchronous, it waits until all workers run theirs.

        Raises:
            ValueError: if there are no trainable variables.
        """
        variables = trainable_variables()
        if not variables:
            raise ValueError(
                "There are no trainable variables: make them by tf.get_variable within a scope of the "
                "ElasticAverageCustomGetter."
            )
        starts = []
        for variable in variables:
            center = self._global_map[variable]
            starts += [assign(variable, center), assign(self._local_map[variable], center)]
        started = group(*starts)
        return self._wait_for_others(started, task_index) if self._synchronous else started

    def _wait_for_others(self, started: Operation, task_index: int) -> Operation:
        """Returns the operation that waits for a token of every other worker, after it gave each of them one."""
        queues = [
            FIFOQueue(self._num_worker, [dtypes.bool], shapes=[[]], shared_name=f"variable_init_sync_queue{worker}")
            for worker in range(self._num_worker)
        ]
        token = constant(False)
        with control_dependencies([started]):
            sent = [no_op() if i == task_index else queue.enqueue(token) for i, queue in enumerate(queues)]
        received: Tensor = queues[task_index].dequeue_many(len(queues) - 1)
        return group(*sent, received)

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> StartHook:
        """Returns a hook that runs `get_init_op` when a session was created.

        Args:
            is_chief: bool; True for the chief.
            task_index: int, the index of the worker.

        Returns:
            SessionRunHook.
        """
        return StartHook(self, is_chief, task_index)

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Saver:
        """Returns a saver that saves the shared variables under the names of the workers' ones.

        Args:
            var_list: variables to save, as for `tf.train.Saver`; None for all trainable ones.
            name: str, name of the saver.
            **kwargs: other arguments of `tf.train.Saver`.

        Returns:
            Saver.

        Raises:
            RuntimeError: if the `ElasticAverageCustomGetter` made no variables.
        """
        if not self._global_map:
            raise RuntimeError(
                "global_center_variable is empty: call swapping_saver after the model was made by tf.get_variable "
                "within a scope of the ElasticAverageCustomGetter."
            )
        given = trainable_variables() if var_list is None else var_list
        named = given if isinstance(given, dict) else BaseSaverBuilder.OpListToDict(given)
        centers = {variable.op.name: center for variable, center in self._global_map.items()}

        def center_of(saved: Any) -> Any:
            return [center_of(part) for part in saved] if isinstance(saved, list) else centers.get(saved.op.name, saved)

        return Saver({key: center_of(saved) for key, saved in named.items()}, name=name, **kwargs)


def _make_local(names: set[str]) -> None:
    """Moves variables from the collection of global variables to that of local ones."""
    shared = get_default_graph().get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
    for variable in [one for one in shared if one.op.name in names]:
        add_to_collection(GraphKeys.LOCAL_VARIABLES, variable)
    shared[:] = [one for one in shared if one.op.name not in names]
