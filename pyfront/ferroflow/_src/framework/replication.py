"""The strategy under which a graph is built: which replicas there are, and whether code runs for one or for all."""

from __future__ import annotations

import enum
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ferroflow._src.framework.default_graph import get_default_graph

# Collections that are not named by strings are left out of `get_all_collection_keys` and of meta graphs.
_MODES_KEY = ("__replication_modes",)
_LOSS_KEY = ("__last_loss_reduction",)


class ReduceOp(enum.Enum):
    """The way in which the values of all replicas become one: their sum, or their mean."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: enum.Enum) -> ReduceOp:
        """Returns the reduction of a variable's values for updates by replicas.

        Args:
            aggregation: `tf.VariableAggregation.SUM` or `MEAN`.

        Returns:
            ReduceOp.

        Raises:
            ValueError: if `aggregation` reduces nothing.
        """
        if aggregation.name not in ReduceOp.__members__:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to `tf.distribute.ReduceOp` type"
            )
        return ReduceOp[aggregation.name]


class Mode(NamedTuple):
    """The strategy and the replica that the code of a graph runs for.

    Attributes:
        strategy: `tf.distribute.Strategy`.
        replica: `tf.distribute.ReplicaContext`; None where code runs once for all replicas.
    """

    strategy: Any
    replica: Any


class _Modes(threading.local):
    def __init__(self) -> None:
        self.stack: list[Mode] = []


def current_mode() -> Mode | None:
    """Returns the mode of this thread in the default graph; None without a strategy."""
    found = get_default_graph().get_collection(_MODES_KEY)
    return found[0].stack[-1] if found and found[0].stack else None


@contextmanager
def entered(mode: Mode) -> Iterator[None]:
    """Makes a mode the current one in a `with` block.

    Args:
        mode: Mode.

    Yields:
        None.
    """
    found = get_default_graph().get_collection_ref(_MODES_KEY)
    if not found:
        found.append(_Modes())
    stack: list[Mode] = found[0].stack
    before = list(stack)
    stack.append(mode)
    try:
        yield
    finally:
        stack[:] = before


def note_loss_reduction(reduction: str) -> None:
    """Records how the last loss of the default graph was reduced, if the graph is built under a strategy.

    Args:
        reduction: str, of `tf.losses.Reduction`.
    """
    if current_mode() is not None:
        get_default_graph().get_collection_ref(_LOSS_KEY)[:] = [reduction]


def is_last_loss_a_sum() -> bool:
    """Returns True if the last loss of the default graph is a sum over its examples, not a mean."""
    noted = get_default_graph().get_collection(_LOSS_KEY)
    return bool(noted) and noted[0] == "weighted_sum"


def averaged_over_replicas(value: Any) -> Any:
    """Returns the mean of a value over all replicas; without a strategy, the value.

    Args:
        value: Tensor of a float dtype and any shape.

    Returns:
        Tensor of the same dtype and shape.
    """
    mode = current_mode()
    if mode is None or mode.strategy.num_replicas_in_sync == 1:
        return value
    if mode.replica is None:
        return mode.strategy.extended.reduce_to(ReduceOp.MEAN, value, None)
    return mode.replica.all_reduce(ReduceOp.MEAN, value)
