"""`GraphHandles`: the operations and tensors of a graph, and what these read of it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from ferroflow import _core
from ferroflow._src.base import fork_locks
from ferroflow._src.framework.operation import Frames, Operation, frames_from
from ferroflow._src.framework.scopes import FlowContext
from ferroflow._src.framework.tensor import Tensor

# Classes of handles are called by programs with TensorFlow's arguments; these make one of a node.
_new_operation = _core.OperationHandle.__new__
_new_tensor = _core.TensorHandle.__new__


class GraphHandles:
    """The handles of a graph's nodes: one `Operation` for each node, one `Tensor` for each output.

    It is all that operations and tensors need of their graph.
    """

    def __init__(self) -> None:
        self._core = _core.Graph()
        self._lock = threading.RLock()
        fork_locks.watch(self)
        # By node: its operation or, where nobody has asked for that yet, where the node was made.
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

    def _operation(self, node: int) -> Operation:
        """Returns the handle of a node."""
        handle = self._handles[node]
        if handle.__class__ is not tuple:
            return handle  # type: ignore[return-value]  # what is no tuple is a handle
        with self._lock:
            handle = self._handles[node]
            if isinstance(handle, tuple):
                handle = self._handles[node] = self._handle(node, self._core.output_count(node), handle)
                self._unmade -= 1
            return handle

    def _tensor(self, node: int, index: int) -> Tensor:
        return self._operation(node)._outputs[index]

    @property
    def _operations(self) -> list[Operation]:
        """The handles of all nodes."""
        if self._unmade:
            for node in range(len(self._handles)):
                self._operation(node)
        return self._handles  # type: ignore[return-value]  # all are made now

    @property
    def _nodes_by_name(self) -> Mapping[str, Operation]:
        """The operations by name, in the order they were made: TF 1.x's table, which programs read."""
        return _ByName(self)

    @property
    def _nodes_by_id(self) -> Mapping[int, Operation]:
        """The operations by their `_id`, in the order they were made: TF 1.x's table, which programs read."""
        return _ById(self)

    def _adopt(self, node: int, outputs: int, op_type: str | None = None) -> Operation:
        """Returns the handle of a node just added."""
        op = self._handle(node, outputs, frames_from(sys._getframe(2)))
        op._cached_type = op_type
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

    def _handle(self, node: int, outputs: int, frames: Frames) -> Operation:
        core = self._core
        op: Operation = _new_operation(Operation, core, node)
        op._graph = self
        op._cached_name = op._cached_type = op._original_op = None
        op._frames = frames
        tensors = op._outputs = []
        for index in range(outputs):
            tensor: Tensor = _new_tensor(Tensor, core, node, index)
            tensor._op = op
            tensor._dtype = tensor._shape = None
            tensors.append(tensor)
        return op


class _ByName(Mapping[str, Operation]):
    def __init__(self, handles: GraphHandles) -> None:
        self._of = handles

    def __getitem__(self, name: str) -> Operation:
        node = self._of._core.find(name) if isinstance(name, str) else None
        if node is None:
            raise KeyError(name)
        return self._of._operation(node)

    def __iter__(self) -> Iterator[str]:
        return (op.name for op in self._of._operations)

    def __len__(self) -> int:
        return len(self._of._handles)

    def __repr__(self) -> str:
        return repr(dict(self))


class _ById(Mapping[int, Operation]):
    def __init__(self, handles: GraphHandles) -> None:
        self._of = handles

    def __getitem__(self, node: int) -> Operation:
        if not isinstance(node, int) or not 0 <= node < len(self._of._handles):
            raise KeyError(node)
        return self._of._operation(node)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._of._handles)))

    def __len__(self) -> int:
        return len(self._of._handles)

    def __repr__(self) -> str:
        return repr(dict(self))


def output_key(tensor: Tensor) -> tuple[int, int]:
    """Returns (node, output number) of a tensor, the engine's name for it."""
    return tensor._node_id, tensor._index


def operation_of(value: Any) -> Operation:
    """Returns the operation behind an Operation, a Tensor or an object that stands for one.

    Raises:
        TypeError: if `value` is not one of these.
    """
    if isinstance(value, Operation):
        return value
    if isinstance(value, Tensor):
        return value.op
    as_element = getattr(value, "_as_graph_element", None)
    if as_element is not None:
        return operation_of(as_element())
    raise TypeError(f"Control input must be Operation or Tensor: {value}")
