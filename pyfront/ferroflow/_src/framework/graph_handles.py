"""`GraphHandles`: makes the handles of a graph's nodes, one `Operation` for each node, one `Tensor` for each output."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping

from ferroflow import _core
from ferroflow._src.base import fork_locks
from ferroflow._src.framework.definition_stack import Frames, frames_from
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.node_tables import NodesById, NodesByName
from ferroflow._src.framework.scopes import FlowContext

# Classes of handles are called by programs with TensorFlow's arguments; these make one of a node.
_new_operation = _core.OperationHandle.__new__
_new_tensor = _core.TensorHandle.__new__


class GraphHandles:
    """The part of a graph that its operations and tensors use: the engine's graph, and their own handles."""

    # The class of the outputs' handles; a graph whose tensors can do more has a subclass.
    _tensor_class: type[Tensor] = Tensor

    def __init__(self) -> None:
        self._core = _core.Graph()
        self._lock = threading.RLock()
        fork_locks.watch(self)
        # By node: its operation or, before its first use, where the node was made.
        self._handles: list[Operation | Frames] = []
        self._unmade = 0
        self._finalized = False
        # The branch or loop of each operation that is in one, by node.
        self._flow_contexts: dict[int, FlowContext] = {}

    @property
    def finalized(self) -> bool:
        """True if the graph refuses new operations."""
        return self._finalized

    def finalize(self) -> None:
        """Makes the graph read-only."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def operation(self, node: int) -> Operation:
        """Returns the operation of a node.

        Args:
            node: int, the node's number.

        Returns:
            Operation.
        """
        handle = self._handles[node]
        if handle.__class__ is not tuple:
            return handle  # type: ignore[return-value]  # what is not a tuple is a handle
        with self._lock:
            handle = self._handles[node]
            if isinstance(handle, tuple):
                handle = self._handles[node] = self._handle(node, self._core.output_count(node), handle)
                self._unmade -= 1
            return handle

    def tensor(self, node: int, index: int) -> Tensor:
        """Returns an output of a node.

        Args:
            node: int, the node's number.
            index: int, the output's number.

        Returns:
            Tensor of the output's dtype and shape.
        """
        handle = self._handles[node]
        op = self.operation(node) if handle.__class__ is tuple else handle
        return op._outputs[index]  # type: ignore[union-attr]  # what is not a tuple is a handle

    @property
    def _operations(self) -> list[Operation]:
        """The handles of all nodes."""
        if self._unmade:
            for node in range(len(self._handles)):
                self.operation(node)
        return self._handles  # type: ignore[return-value]  # all are made now

    @property
    def _nodes_by_name(self) -> Mapping[str, Operation]:
        """The operations by name, in the order they were made: TF 1.x's table, which programs read."""
        return NodesByName(self)

    @property
    def _nodes_by_id(self) -> Mapping[int, Operation]:
        """The operations by their `_id`, in the order they were made: TF 1.x's table, which programs read."""
        return NodesById(self)

    def _adopt(self, node: int, outputs: int, name: str | None = None, op_type: str | None = None) -> Operation:
        """Returns the handle of a node just added."""
        op = self._handle(node, outputs, frames_from(sys._getframe(2)), name, op_type)
        self._handles.append(op)
        return op

    def _adopt_later(self) -> list[str]:
        """Records nodes that the engine added, whose handles are made at first use; returns their names in lower
        case.
        """
        new = len(self._core) - len(self._handles)
        self._handles += [frames_from(sys._getframe(1))] * new
        self._unmade += new
        return self._core.lowercase_names(len(self._handles) - new)

    def _handle(
        self, node: int, outputs: int, frames: Frames, name: str | None = None, op_type: str | None = None
    ) -> Operation:
        core = self._core
        op: Operation = _new_operation(Operation, core, node)
        op._graph = self  # type: ignore[assignment]  # what has handles is a graph
        op._cached_name = name
        op._cached_type = op_type
        op._original_op = None
        op._frames = frames
        tensors = op._outputs = []
        for index in range(outputs):
            tensor: Tensor = _new_tensor(self._tensor_class, core, node, index)
            tensor._op = op
            tensor._dtype = tensor._shape = None
            tensors.append(tensor)
        return op
