"""The same values of variables on all processes: `hvd.broadcast_variables` and its kin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base.typing import SessionObject
from ferroflow._src.framework.default_graph import device as placed_on, get_default_graph
from ferroflow._src.framework.handles import Operation
from ferroflow._src.horovod.collectives import broadcast
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.supervision.session_run_hook import SessionRunHook
from ferroflow._src.variables.collections import global_variables


def broadcast_variables(variables: Iterable[Any], root_rank: int) -> Operation:
    """Adds an operation that gives variables the values that they have on one process.

    Args:
        variables: variables of any dtype but string and any shape, in any order.
        root_rank: int, the rank of the process whose values are taken.

    Returns:
        The Operation.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return group(*[assign(v, broadcast(v, root_rank)) for v in variables])


def broadcast_global_variables(root_rank: int) -> Operation:
    """Adds an operation that gives all global variables of the graph the values that they have on one process.

    Args:
        root_rank: int, the rank of the process whose values are taken.

    Returns:
        The Operation.

    Raises:
        ValueError: if `hvd.init` was not called.
    """
    return broadcast_variables(global_variables(), root_rank)


class BroadcastGlobalVariablesHook(SessionRunHook):
    """Hook that gives all global variables the values of one process when a session begins.

    Only that process needs to restore a checkpoint.

    Args:
        root_rank: int, the rank of the process whose values are taken.
        device: str, the device of the operations.
    """

    def __init__(self, root_rank: int, device: str = "") -> None:
        super().__init__()
        self.root_rank = root_rank
        self.device = device
        self.bcast_op: Operation | None = None

    def begin(self) -> None:
        """Adds the operation to the graph that is run next."""
        if self.bcast_op is None or self.bcast_op.graph is not get_default_graph():
            with placed_on(self.device):
                self.bcast_op = broadcast_global_variables(self.root_rank)

    def after_create_session(self, session: SessionObject, coord: Any) -> None:
        """Runs the operation.

        Args:
            session: Session that has been made.
            coord: Coordinator of its threads.
        """
        session.run(self.bcast_op)
