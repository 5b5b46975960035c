"""`ModelAverageOptimizer`: workers train variables of their own, whose means they share from time to time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.opt.center_variables import (
    GLOBAL_VARIABLE_NAME as GLOBAL_VARIABLE_NAME,
    CenterGetter,
    at_end_of_period,
    count_step,
    make_local_step,
    trained,
)
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, device, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.array.making import fill
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.queue.queues import FIFOQueue
from ferroflow._src.ops.state.accumulating import ConditionalAccumulator
from ferroflow._src.ops.state.assigning import assign, assign_add
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.training.optimizer import Optimizer, prepare
from ferroflow._src.variables.collections import trainable_variables
from ferroflow._src.variables.initialization import global_variables_initializer, local_variables_initializer
from ferroflow._src.variables.resource_variable import is_resource_variable
from ferroflow._src.variables.variable import Variable, reference_of


class ModelAverageCustomGetter(CenterGetter):
    """Custom getter of `tf.variable_scope` that makes the variables of `ModelAverageOptimizer`.

    A trained variable is local to the worker; beside it, `global_center_variable/NAME` is shared by all workers. Use
    `tf.get_variable` within `tf.device(tf.train.replica_device_setter(...))`, which places shared variables on
    parameter servers.

    Args:
        worker_device: str, the device of the worker, such as "/job:worker/task:0".

    Example:
        >>> getter = tf.contrib.opt.ModelAverageCustomGetter("/cpu:0")
        >>> with tf.variable_scope("", custom_getter=getter):
        ...     weights = tf.get_variable("weights", [3])
        >>> print([v.op.name for v in tf.local_variables()])
        ['weights']
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._local_2_global = self._global_map

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
            Variable.
        """
        if not trainable:
            return self._untrained(getter, name, collections, args, kwargs)
        local = self._local(getter, name, True, *args, **kwargs)
        self._global_map[local] = Variable(
            local.initialized_value(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            name=f"{GLOBAL_VARIABLE_NAME}/{name}",
        )
        return local


class ModelAverageOptimizer(Optimizer):
    """Optimizer whose workers train on their own, and from time to time all continue from the mean of their variables.

    Args:
        opt: the `Optimizer` that updates the worker's variables.
        num_worker: int, the number of workers.
        is_chief: bool; True for the worker that updates the shared variables.
        ma_custom_getter: the `ModelAverageCustomGetter` that made the variables.
        interval_steps: int, the number of steps of a worker between two means.
        use_locking: accepted; every update is atomic.
        name: str, name of the optimizer.
    """

    def __init__(
        self,
        opt: Optimizer,
        num_worker: int,
        is_chief: bool,
        ma_custom_getter: ModelAverageCustomGetter,
        interval_steps: int = 100,
        use_locking: bool = True,
        name: str = "ModelAverageOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._num_worker = num_worker
        self._is_chief = is_chief
        self._local_2_global = ma_custom_getter._local_2_global
        self._interval_steps = interval_steps
        self._accumulator_list: list[tuple[ConditionalAccumulator, str]] = []
        self._chief_init_op: Operation | None = None
        self._local_step = make_local_step()
        prepare(opt)

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the gradients, computed by the wrapped optimizer.

        Args:
            *args: as for the wrapped optimizer's `compute_gradients`.
            **kwargs: as for the wrapped optimizer's `compute_gradients`.

        Returns:
            List of (gradient, variable) pairs.
        """
        return self._opt.compute_gradients(*args, **kwargs)

    def _local_vars_update(self, var_list: list[Any]) -> Operation:
        if not var_list:
            raise ValueError("The list of local_variables should not be empty")
        updates = []
        for variable in var_list:
            with device(variable.device):
                updates.append(assign(variable, self._local_2_global[variable].read_value()))
        return group(*updates)

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Adds the operations of a training step of this worker.

        At the end of an interval, the chief waits for the variables of all workers and sets the shared variables to
        their mean. The other workers wait for the chief. Then all continue from the mean.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` gives them.
            global_step: variable that counts the means.
            name: not used.

        Returns:
            The operation of the step.

        Raises:
            ValueError: if there are no variables or no `global_step`, or a variable is a resource variable.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        with control_dependencies([self._opt.apply_gradients(pairs)]):
            counted = count_step(self._local_step)
        step: Operation = at_end_of_period(
            self._local_step, counted, self._interval_steps, lambda: self._share_means(trained(pairs), global_step)
        )
        starts = []
        for accumulator, place in self._accumulator_list:
            with device(place):
                starts.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
        self._chief_init_op = group(*starts)
        return step

    def _share_means(self, variables: list[Any], global_step: Any) -> Operation:
        """Returns the operation that sets the shared variables to the mean, and then the worker's to the shared."""
        centers = [self._local_2_global[variable] for variable in variables]
        with colocate_with(global_step):
            tokens = FIFOQueue(-1, [dtypes.bool], shapes=[[]], shared_name="sync_queue")
        sent, means = [], []
        with name_scope(None, f"{self._name}/global"):
            for variable, center in zip(variables, centers, strict=True):
                if is_resource_variable(variable):
                    raise ValueError("Unknown local variable type!")
                with device(center.device):
                    accumulator = ConditionalAccumulator(
                        variable.dtype, variable.get_shape(), f"{center.name}/var_accum"
                    )
                    sent.append(accumulator.apply_grad(reference_of(variable), local_step=global_step))
                    means.append(accumulator.take_grad(self._num_worker))
                self._accumulator_list.append((accumulator, center.device))
        with control_dependencies([self._exchange(centers, means, sent, tokens, global_step)]):
            return self._local_vars_update(variables)

    def _exchange(
        self, centers: list[Any], means: list[Any], sent: list[Operation], tokens: FIFOQueue, global_step: Any
    ) -> Any:
        """Returns what the worker waits for: the chief sets the shared variables, others take one of its tokens."""
        if not self._is_chief:
            with control_dependencies(sent), device(global_step.device):
                return tokens.dequeue()
        updates = []
        with control_dependencies(sent):
            for center, mean in zip(centers, means, strict=True):
                with device(center.device):
                    updates.append(assign(center, mean))
            with device(global_step.device):
                updates.append(assign_add(global_step, 1))
        with control_dependencies(updates), device(global_step.device):
            return tokens.enqueue_many(fill([self._num_worker - 1], constant(False)))

    def get_init_op(self) -> Operation:
        """Returns the operation that sets the worker's variables to the shared ones.

        Returns:
            Operation.

        Raises:
            ValueError: if there are no trainable variables.
        """
        return self._local_vars_update(trainable_variables())

    def make_session_run_hook(self) -> SessionRunHook:
        """Returns a hook that adds the operations which initialize variables.

        As in TensorFlow, the hook does not run them: workers begin with the initial values of their own variables.

        Returns:
            SessionRunHook.
        """
        return _ModelAverageHook(self, self._is_chief)


class _ModelAverageHook(SessionRunHook):
    def __init__(self, optimizer: ModelAverageOptimizer, is_chief: bool) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._local_init_op: Operation | None = None
        self._global_init_op: Operation | None = None
        self._chief_init_op: Operation | None = None
        self._variable_init_op: Operation | None = None

    def begin(self) -> None:
        """Adds the operations that initialize variables."""
        self._local_init_op = local_variables_initializer()
        if self._is_chief:
            self._global_init_op = global_variables_initializer()
            self._chief_init_op = self._optimizer._chief_init_op
        self._variable_init_op = self._optimizer.get_init_op()
