"""`ReplicaSessionCreator`: sessions of several processes that begin with the same variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.checkpoint.state import latest_checkpoint
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.horovod.collectives import broadcast
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.supervision.scaffold import Scaffold
from ferroflow._src.supervision.session_creator import ChiefSessionCreator
from ferroflow._src.variables.collections import global_variables


class ReplicaSessionCreator(ChiefSessionCreator):
    """Creator of the sessions of a process that trains with others.

    The first process restores the newest checkpoint and sends the values to the others, which need no checkpoint. If
    there is none, all initialize their variables, to the first process's values.

    Args:
        rank: int, this process's rank.
        agreed: callable that returns the first process's value of its argument, on all processes.
        scaffold: Scaffold.
        master: str, the target of the sessions.
        config: ConfigProto of the sessions.
        checkpoint_dir: str, folder of the checkpoints, or None. Only the first process reads it.
    """

    def __init__(
        self,
        rank: int,
        agreed: Callable[[Any], Any],
        scaffold: Scaffold,
        master: str,
        config: Any,
        checkpoint_dir: str | None,
    ) -> None:
        super().__init__(scaffold, master, config, checkpoint_dir if rank == 0 else None)
        self._rank = rank
        self._agreed = agreed
        self._share: Any = None

    def create_session(self) -> Any:
        """Makes the graph final, and a session with the variables of the first process.

        Returns:
            Session.

        Raises:
            RuntimeError: if the model is not ready after initialization.
            tf.errors.UnknownError: if a process has ended or is lost.
        """
        if self._share is None:
            self._share = self._sharing()
        folder = self._checkpoint_dir
        is_restored = bool(self._agreed(folder is not None and latest_checkpoint(folder) is not None))
        if self._rank == 0 or not is_restored:
            session = super().create_session()
            # A function of the scaffold may have changed variables of one process alone.
            if is_restored or self._scaffold.init_fn is not None:
                session.run(self._share)
            return session
        self._scaffold.finalize()
        session = self._get_session_manager().prepare_session(self._master, config=self._config, init_op=self._share)
        self._was_prepared = True
        return session

    def _sharing(self) -> Any:
        """Returns the operation that sends the variables of the first process, or receives them."""
        shared, others = [], []
        with name_scope("share_variables"):
            for variable in global_variables():
                dtype, shape = variable.dtype.base_dtype, variable.shape
                if dtype in (dtypes.string, dtypes.resource) or not shape.is_fully_defined():
                    others.append(variable.initializer)
                    continue
                name = f"share/{variable.op.name}".replace("/", "_")
                if self._rank == 0:
                    shared.append(broadcast(variable, 0, name))
                else:
                    shared.append(assign(variable, broadcast(zeros(shape, dtype), 0, name)))
            return group(*shared, *([] if self._rank == 0 else others))
