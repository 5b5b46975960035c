"""`tf.train.SyncReplicasOptimizer`: replicas add up their gradients, and one update applies the mean of them."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.typing import ListLike, SessionObject
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, device, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.input.coordinator import Coordinator
from ferroflow._src.input.queue_runner import QueueRunner
from ferroflow._src.ops.array.making import fill
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.queue.queues import FIFOQueue
from ferroflow._src.ops.state.accumulating import ConditionalAccumulator, SparseConditionalAccumulator
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.training.moving_averages import ExponentialMovingAverage
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.collections import global_variables
from ferroflow._src.variables.initialization import report_uninitialized_variables
from ferroflow._src.variables.variable import Variable


class SyncReplicasOptimizer(Optimizer):
    """Optimizer that applies the mean of gradients that several replicas computed from the same variables.

    Each variable has an accumulator, which drops gradients that were computed before the last update. The chief waits
    for enough of them, applies their mean, adds one to the global step, and puts tokens with the new step in a queue.
    The training operation of a replica adds its gradients, then waits for a token and keeps the step it holds.

    The chief runs `chief_init_op` once, then `get_init_tokens_op()`, and starts `get_chief_queue_runner()`; other
    replicas run `local_step_init_op`. The hook of `make_session_run_hook` does all that.

    Args:
        opt: the `Optimizer` that computes and applies gradients.
        replicas_to_aggregate: int, how many gradients make one update.
        total_num_replicas: int, the number of replicas; None for as many as `replicas_to_aggregate`. Of more replicas,
            the slowest of a step are backups, whose gradients are dropped; fewer compute several gradients for one
            update.
        variable_averages: `ExponentialMovingAverage` to be moved after each update, or None.
        variables_to_average: the variables it averages.
        use_locking: accepted; every update is atomic.
        name: str, for the scope of the accumulators.

    Example:
        >>> w = tf.Variable(1.0)
        >>> step = tf.train.create_global_step()
        >>> optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=1)
        >>> train = optimizer.minimize(w * w, step)
        >>> hooks = [optimizer.make_session_run_hook(is_chief=True, num_tokens=0)]
        >>> with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
        ...     _ = session.run(train)
        ...     print(session.run(w))
        0.8
    """

    local_step_init_op: Tensor
    chief_init_op: Operation
    ready_for_local_init_op: Tensor

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: ExponentialMovingAverage | None = None,
        variables_to_average: ListLike | None = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        self._tokens_per_step = max(self._total_num_replicas, replicas_to_aggregate)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._global_step: Any = None
        self._local_step: Any = None
        self._sync_token_queue: Any = None
        self._chief_queue_runner: Any = None
        tf_logging.info(
            "SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s",
            replicas_to_aggregate,
            self._total_num_replicas,
        )

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the gradients of this replica, computed by the wrapped optimizer.

        Args:
            *args: as for the wrapped optimizer's `compute_gradients`.
            **kwargs: as for the wrapped optimizer's `compute_gradients`.

        Returns:
            List of (gradient, variable) pairs, as `Optimizer.compute_gradients`.
        """
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(  # type: ignore[override]  # TF 1.x: what is run is a tensor
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Tensor:
        """Adds the operations of this replica and those of the chief.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` gives them; each gradient is a tensor,
                IndexedSlices or None.
            global_step: variable that counts the updates.
            name: not used.

        Returns:
            The training operation of this replica, a Tensor of the dtype of `global_step`, of shape []: adds its
            gradients, waits for the update, and gives the new step.

        Raises:
            ValueError: if there is no variable or no global step, or a gradient has a wrong type.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        # An operation on the worker: the step of this replica lives next to it, not on a parameter server.
        with colocate_with(no_op()):
            self._local_step = Variable(
                0,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES],
                dtype=global_step.dtype.base_dtype,
                name="sync_rep_local_step",
            )
        self.local_step_init_op = assign(self._local_step, global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        with name_scope(None, self._name):
            accumulators, additions, means = self._accumulate(pairs)
            with device(global_step.device), name_scope(""):
                update = self._opt.apply_gradients(means, global_step)
                train_op = self._synchronize(additions, update)
            starts: list[Any] = [self.local_step_init_op]
            for accumulator, place in accumulators:
                with device(place):
                    starts.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
            self.chief_init_op = group(*starts)
        self._gradients_applied = True
        return train_op

    def _accumulate(self, pairs: list[tuple[Any, Any]]) -> tuple[list[Any], list[Operation], list[tuple[Any, Any]]]:
        """Returns the accumulators with their devices, the operations that add gradients, the means with their
        variables.
        """
        accumulators, additions, means = [], [], []
        for gradient, var in pairs:
            if gradient is None:
                means.append((None, var))
                continue
            accumulator: Any
            shared_name = f"{var.name}/grad_accum"
            with device(var.device):
                if isinstance(gradient, Tensor):
                    accumulator = ConditionalAccumulator(gradient.dtype, var.get_shape(), shared_name)
                    additions.append(accumulator.apply_grad(gradient, local_step=self._local_step))
                    means.append((accumulator.take_grad(self._replicas_to_aggregate), var))
                elif isinstance(gradient, IndexedSlices):
                    accumulator = SparseConditionalAccumulator(gradient.dtype, (), shared_name)
                    additions.append(accumulator.apply_indexed_slices_grad(gradient, local_step=self._local_step))
                    means.append((accumulator.take_indexed_slices_grad(self._replicas_to_aggregate), var))
                else:
                    raise ValueError("Unknown grad type!")
            accumulators.append((accumulator, var.device))
        return accumulators, additions, means

    def _synchronize(self, additions: list[Operation], update: Operation) -> Tensor:
        """Makes the tokens and the chief's queue runner; returns the operation that waits for a token."""
        step_type = self._global_step.dtype.base_dtype
        tokens = FIFOQueue(-1, step_type, shapes=(), name="sync_token_q", shared_name="sync_token_q")
        # A queue runner closes its queue when it ends. The queue of tokens outlives the chief, who may come back.
        closed = FIFOQueue(1, dtypes.int32, shapes=(), name="dummy_queue", shared_name="dummy_queue")
        with control_dependencies(additions):
            token = tokens.dequeue()
        train_op = assign(self._local_step, token)
        with control_dependencies([update]):
            chief_op = tokens.enqueue_many((fill([self._tokens_per_step], self._global_step),))
        if self._variable_averages is not None:
            with control_dependencies([chief_op]):
                chief_op = self._variable_averages.apply(self._variables_to_average)
        self._sync_token_queue = tokens
        self._chief_queue_runner = _UpdateRunner(closed, [chief_op])
        return train_op

    def get_chief_queue_runner(self) -> QueueRunner:
        """Returns the queue runner whose one thread makes the updates, for the chief.

        Raises:
            ValueError: if `apply_gradients` was not called.
        """
        if not self._gradients_applied:
            raise ValueError("Should be called after apply_gradients().")
        runner: QueueRunner = self._chief_queue_runner
        return runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """Returns an operation that fills the queue of tokens, for the chief to run once at the beginning.

        Args:
            num_tokens: int, how many tokens; -1 for `replicas_to_aggregate`.

        Returns:
            Operation that puts the tokens in the queue.

        Raises:
            ValueError: if `apply_gradients` was not called; or the replicas that there are cannot finish the first step
                with that few tokens.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)")
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        with device(self._global_step.device), name_scope(""):
            filled: Operation = self._sync_token_queue.enqueue_many((fill([num_tokens], self._global_step),))
        return filled

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SyncReplicasOptimizerHook:
        """Returns a hook that prepares a replica's session, and makes the updates in the chief's.

        Args:
            is_chief: bool; True if this replica is the chief.
            num_tokens: int, as for `get_init_tokens_op`.

        Returns:
            SyncReplicasOptimizerHook.
        """
        return SyncReplicasOptimizerHook(self, is_chief, num_tokens)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the slot of a variable in the wrapped optimizer.

        Args:
            *args: as for the wrapped optimizer's `get_slot`.
            **kwargs: as for the wrapped optimizer's `get_slot`.

        Returns:
            Variable, or None.
        """
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """Returns the names of the wrapped optimizer's slots.

        Args:
            *args: as for the wrapped optimizer's `get_slot_names`.
            **kwargs: as for the wrapped optimizer's `get_slot_names`.

        Returns:
            List of str, sorted.
        """
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """Returns the wrapped optimizer's variables in the default graph, without the local step."""
        return self._opt.variables()


class _Unwaited:
    """A coordinator for threads that the session does not wait for."""

    def __init__(self, coord: Coordinator, sess: Any) -> None:
        self._coord = coord
        self._sess = sess
        self.should_stop = coord.should_stop
        self.wait_for_stop = coord.wait_for_stop

    def register_thread(self, thread: threading.Thread) -> None:
        """Does nothing: `join` does not wait for the thread."""

    def request_stop(self, ex: Any) -> None:
        """Reports a failure, unless the stop caused it, and cancels the steps that wait for the update."""
        if not self._coord.should_stop():
            self._coord.request_stop(ex)
            self._sess.close()


class _UpdateRunner(QueueRunner):
    """The chief's queue runner.

    When training stops, the update waits for gradients that no replica will send. It ends with the session; waiting for
    it before would never return.
    """

    def create_threads(
        self, sess: Any, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Makes the threads, for whose end the coordinator does not wait; arguments and result are `QueueRunner`'s."""
        if coord is None:
            return super().create_threads(sess, None, daemon, start)
        return super().create_threads(sess, _Unwaited(coord, sess), True, start)  # type: ignore[arg-type]  # all that it uses


class SyncReplicasOptimizerHook(SessionRunHook):
    """Hook that prepares a replica's session for `SyncReplicasOptimizer`, and runs the updates in the chief's.

    Args:
        sync_optimizer: the optimizer; it must have applied gradients when the session begins.
        is_chief: bool; True if this replica is the chief.
        num_tokens: int, as for `SyncReplicasOptimizer.get_init_tokens_op`.
    """

    def __init__(self, sync_optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._sync_optimizer = sync_optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens
        self._local_init_op: Any = None
        self._init_tokens_op: Operation | None = None
        self._queue_runner: QueueRunner | None = None

    def begin(self) -> None:
        """Adds what the session will run.

        Raises:
            ValueError: if no gradients were applied.
        """
        optimizer = self._sync_optimizer
        if not optimizer._gradients_applied:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        self._local_init_op = optimizer.chief_init_op if self._is_chief else optimizer.local_step_init_op
        if self._is_chief:
            self._queue_runner = optimizer.get_chief_queue_runner()
            self._init_tokens_op = optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session: SessionObject, coord: Any) -> None:
        """Sets the steps, gives out the first tokens and starts the updates.

        Args:
            session: Session.
            coord: Coordinator of the session's threads.

        Raises:
            RuntimeError: if a variable has no value yet.
        """
        missing = session.run(self._sync_optimizer.ready_for_local_init_op)
        if missing.size:
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Init op: {self._local_init_op.name}, error: Variables not initialized: "
                + ", ".join(name.decode("utf-8") for name in missing)
            )
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._queue_runner is not None:
            self._queue_runner.create_threads(session, coord=coord, daemon=True, start=True)
