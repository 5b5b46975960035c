"""The current strategy, and the context of a replica's code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.replication import Mode, ReduceOp, current_mode, entered, is_last_loss_a_sum


def as_reduce_op(given: Any) -> ReduceOp:
    """Returns a `ReduceOp` for one, or for its name, or for a value of `tf.VariableAggregation`.

    Args:
        given: ReduceOp, str or `tf.VariableAggregation`.

    Raises:
        ValueError: if it is something else.
    """
    name = given if isinstance(given, str) else getattr(given, "name", None)
    if isinstance(name, str) and name.upper() in ReduceOp.__members__:
        return ReduceOp[name.upper()]
    raise ValueError(f"reduce_op must be tf.distribute.ReduceOp.SUM or MEAN, found {given!r}")


class ReplicaContext:
    """The number of one replica, and the functions that reduce values over all replicas.

    Args:
        strategy: Strategy.
        replica_id_in_sync_group: int32 Tensor of shape [], or int: the number of the replica.
    """

    def __init__(self, strategy: Any, replica_id_in_sync_group: Any) -> None:
        self._strategy = strategy
        self._replica_id = replica_id_in_sync_group
        self._entered: list[AbstractContextManager[None]] = []

    def __enter__(self) -> None:
        context = entered(Mode(self._strategy, self))
        self._entered.append(context)
        context.__enter__()

    def __exit__(self, *exc: Any) -> None:
        self._entered.pop().__exit__(*exc)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Calls a function once for all replicas.

        Args:
            merge_fn: callable of the strategy and the arguments.
            args: sequence of any objects, this replica's arguments.
            kwargs: mapping from str to any objects, this replica's arguments by name.

        Returns:
            The result of the function.

        Raises:
            RuntimeError: if this is not the context of the running code.
        """
        require_replica_context(self)
        if self is _DEFAULT_REPLICA[0]:
            return merge_fn(self._strategy, *args, **(kwargs or {}))
        with entered(Mode(self._strategy, None)):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose values are reduced together."""
        return int(self._strategy.num_replicas_in_sync)

    @property
    def replica_id_in_sync_group(self) -> Tensor:
        """int32 Tensor of shape [], the number of this replica from 0 on."""
        require_replica_context(self)
        if isinstance(self._replica_id, Tensor):
            return self._replica_id
        return constant(self._replica_id, dtypes.int32, name="replica_id_in_sync_group")

    @property
    def strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of the replica's devices."""
        require_replica_context(self)
        return tuple(self._strategy.extended.worker_devices)[:1]

    def all_reduce(self, reduce_op: Any, value: NestedTensors) -> Any:
        """Returns the sum or the mean of values over all replicas. Gradients flow back to all replicas.

        Args:
            reduce_op: `tf.distribute.ReduceOp`, or its name.
            value: nest of Tensors of float or integer dtypes and any shapes, the same in all replicas.

        Returns:
            Nest of Tensors of the same dtypes and shapes.

        Raises:
            RuntimeError: if this is not the context of the running code.
            ValueError: if `reduce_op` is something else.
        """
        require_replica_context(self)
        reduce_op = as_reduce_op(reduce_op)
        flat = [one if isinstance(one, IndexedSlices) else convert_to_tensor(one) for one in nest.flatten(value)]

        def reduced(strategy: Any) -> list[Any]:
            return list(strategy.extended.batch_reduce_to(reduce_op, [(v, v) for v in flat]))

        return nest.pack_sequence_as(value, self.merge_call(reduced))


def require_replica_context(replica_ctx: ReplicaContext) -> None:
    """Raises an error unless the running code is that of a replica.

    Args:
        replica_ctx: ReplicaContext that must be the current one.

    Raises:
        RuntimeError: if it is not.
    """
    mode = current_mode()
    current = _DEFAULT_REPLICA[0] if mode is None else mode.replica
    if current is not replica_ctx:
        if current is None:
            raise RuntimeError(
                "Need to be inside `call_for_each_replica()`: this code runs once for all replicas, and not in a "
                "function that `experimental_run_v2` calls."
            )
        raise RuntimeError("Mismatching ReplicaContext.")


def require_cross_replica_context(extended: Any) -> None:
    """Raises an error if the running code is that of one replica.

    Args:
        extended: StrategyExtended of the strategy.

    Raises:
        RuntimeError: if it is.
    """
    mode = current_mode()
    if mode is not None and mode.replica is not None:
        raise RuntimeError("Method requires being in cross-replica context, use get_replica_context().merge_call()")


# The strategy without a scope, and its replica context. The module of strategies sets both.
_DEFAULT: list[Any] = []
_DEFAULT_REPLICA: list[Any] = []


def set_default_strategy(strategy: Any) -> None:
    """Sets the strategy of code outside of every scope.

    Args:
        strategy: Strategy.
    """
    _DEFAULT[:] = [strategy]
    _DEFAULT_REPLICA[:] = [ReplicaContext(strategy, 0)]


def get_strategy() -> Any:
    """Returns the current strategy; outside of `strategy.scope()` the default one, which has one replica."""
    mode = current_mode()
    return _DEFAULT[0] if mode is None else mode.strategy


def has_strategy() -> bool:
    """Returns True within `strategy.scope()`, and in functions that a strategy calls."""
    return current_mode() is not None


def get_replica_context() -> Any:
    """Returns the context of the replica whose code runs; None where code runs once for all replicas."""
    mode = current_mode()
    return _DEFAULT_REPLICA[0] if mode is None else mode.replica


def get_cross_replica_context() -> Any:
    """Returns the current strategy where code runs once for all replicas; None elsewhere."""
    mode = current_mode()
    return None if mode is None or mode.replica is not None else mode.strategy


def in_cross_replica_context() -> bool:
    """Returns True where code runs once for all replicas."""
    return get_cross_replica_context() is not None


def get_loss_reduction() -> ReduceOp:
    """Returns how the last loss is reduced over the replicas: MEAN in an estimator, unless it is a sum; else SUM."""
    if not getattr(get_strategy(), "_scales_loss", False) or is_last_loss_a_sum():
        return ReduceOp.SUM
    return ReduceOp.MEAN


_set_for_program = ExitStack()


def experimental_set_strategy(strategy: Any) -> None:
    """Enters the scope of a strategy, instead of a `with` block.

    Args:
        strategy: Strategy; None for the default one.

    Raises:
        RuntimeError: if it is called within a scope of a `with` block.
    """
    _set_for_program.close()
    if has_strategy():
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    if strategy is not None:
        _set_for_program.enter_context(strategy.scope())
