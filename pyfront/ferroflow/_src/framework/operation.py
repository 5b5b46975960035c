"""`Operation`: a Python handle of one graph node."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from ferroflow import _core
from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import FeedDict, SessionObject, TensorLike
from ferroflow._src.framework import node_def as node_defs

if TYPE_CHECKING:
    from ferroflow._src.framework.graph import Graph
    from ferroflow._src.framework.tensor import Tensor

Frame = tuple[CodeType, int]
# The code object and instruction offset of each calling frame, innermost first, one after the other: in one flat tuple
# the collector has nothing to follow.
Frames = tuple[Any, ...]


def frames_from(innermost: FrameType) -> Frames:
    """Returns a frame and those that called it."""
    frames: list[Any] = []
    push = frames.append
    frame: FrameType | None = innermost
    while frame is not None:
        push(frame.f_code)
        push(frame.f_lasti)
        frame = frame.f_back
    return tuple(frames)


def _line_of(code: CodeType, offset: int) -> int:
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            return number
    return line


class Operation(_core.OperationHandle):
    """A node of a graph; made by the graph, one object for each node.

    Args:
        graph: the engine's graph.
        node: int, the node's number.
    """

    # A graph has tens of thousands of these: no dict until a program sets an attribute of its own.
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_cached_name",
        "_cached_type",
        "_frames",
        "_graph",
        "_original_op",
        "_outputs",
    )

    _graph: Graph
    _outputs: list[Tensor]
    _frames: Frames
    _cached_name: str | None
    _cached_type: str | None
    # The forward operation whose gradient this one is part of.
    _original_op: Operation | None

    @property
    def graph(self) -> Graph:
        """The graph that holds this operation."""
        return self._graph

    @property
    def name(self) -> str:
        """The full name, scopes included."""
        return self._name

    @property
    def _name(self) -> str:
        cached = self._cached_name
        if cached is None:
            cached = self._cached_name = self._graph._core.node_name(self._id)
        return cached

    @property
    def type(self) -> str:
        """The op type, such as `MatMul`."""
        cached = self._cached_type
        if cached is None:
            cached = self._cached_type = self._graph._core.node_op(self._id)
        return cached

    @property
    def device(self) -> str:
        """The requested device, `""` where none was."""
        return self._graph._core.node_device(self._id)

    def _set_device(self, device: Any) -> None:
        self._graph._core.set_device(self._id, _device_string(device))

    @property
    def outputs(self) -> list[Tensor]:
        """The output tensors, a list of Tensors of the dtypes and shapes that the op's schema and inputs decide."""
        return self._outputs

    @property
    def inputs(self) -> InputList:
        """The tensors this operation reads, as an immutable sequence."""
        graph = self._graph
        return InputList(graph._tensor(node, index) for node, index in graph._core.node_inputs(self._id))

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must run before this one."""
        graph = self._graph
        return [graph._operation(i) for i in graph._core.node_control_inputs(self._id)]

    @property
    def _control_outputs(self) -> list[Operation]:
        graph = self._graph
        return [graph._operation(i) for i in graph._core.node_control_outputs(self._id)]

    def _get_control_flow_context(self) -> Any:
        """Returns the branch or loop this operation is in, or None."""
        return self._graph._flow_contexts.get(self._id)

    def _set_control_flow_context(self, context: Any) -> None:
        if context is None:
            self._graph._flow_contexts.pop(self._id, None)
        else:
            self._graph._flow_contexts[self._id] = context

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops: Sequence[Operation]) -> None:
        for op in ops:
            if not isinstance(op, Operation):
                raise TypeError(f"op must be an Operation: {op}")
            if op._graph is not self._graph:
                raise ValueError(f"{op!r} must be from the same graph as {self!r}.")
        self._graph._core.add_control_inputs(self._id, [op._id for op in ops])

    def _remove_all_control_inputs(self) -> None:
        self._graph._core.set_control_inputs(self._id, [])

    def _update_input(self, index: int, tensor: Tensor) -> None:
        self._graph._core.update_input(self._id, index, tensor)

    @property
    def _input_types(self) -> list[dtypes.DType]:
        return [t.dtype for t in self.inputs]

    @property
    def _output_types(self) -> list[int]:
        return [t.dtype.as_datatype_enum for t in self._outputs]

    def colocation_groups(self) -> list[bytes]:
        """Returns the `loc:@name` groups this operation is placed with; its own if it names none."""
        default = [b"loc:@" + self.name.encode()]
        try:
            groups = self.get_attr("_class")
        except ValueError:
            return default
        return [g for g in groups if g.startswith(b"loc:@")] or default

    def values(self) -> tuple[Tensor, ...]:
        """Returns the outputs as a tuple of Tensors, of the dtypes and shapes that the op's schema and inputs
        decide.
        """
        return tuple(self._outputs)

    def get_attr(self, name: str) -> Any:
        """Returns an attribute.

        Args:
            name: str.

        Returns:
            Python value, DType, TensorShapeProto, TensorProto, NameAttrList, or a list of these.

        Raises:
            ValueError: if the operation has no attribute of that name.
        """
        try:
            kind, value = self._graph._core.attr(self._id, name)
        except KeyError:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.") from None
        return node_defs.attr_to_python(kind, value)

    def _set_attr(self, name: str, value: Any) -> None:
        """Sets an attribute from an AttrValue message or a plain Python value."""
        self._graph._core.set_attr(self._id, name, node_defs.attr_from_message(value))

    @property
    def node_def(self) -> Any:
        """The NodeDef message of this operation."""
        return node_defs.to_node_def(self)

    @property
    def op_def(self) -> Any:
        """The OpDef message of this operation's type."""
        return node_defs.to_op_def(self.type)

    def _calls(self) -> list[Frame]:
        """Returns the frames from the outermost call to the innermost."""
        return list(zip(self._frames[-2::-2], self._frames[::-2], strict=True))

    @property
    def traceback(self) -> list[tuple[str, int, str, str | None]]:
        """The stack at which this operation was created: (file, line, function, text) from the outermost call to the
        innermost.
        """
        rows = []
        for code, offset in self._calls():
            line = _line_of(code, offset)
            text = linecache.getline(code.co_filename, line).strip() or None
            rows.append((code.co_filename, line, code.co_name, text))
        return rows

    @property
    def traceback_with_start_lines(self) -> list[tuple[str, int, str, str | None, int]]:
        """`traceback` with the first line of each function."""
        starts = [code.co_firstlineno for code, _ in self._calls()]
        return [(*row, start) for row, start in zip(self.traceback, starts, strict=True)]

    def run(self, feed_dict: FeedDict | None = None, session: SessionObject | None = None) -> None:
        """Runs this operation in a session.

        Args:
            feed_dict: dict of fed values, as for `Session.run`.
            session: `Session`; None for the default session.

        Raises:
            ValueError: if there is no default session, or the session has another graph.
            tf.errors.OpError: if the step failed.
        """
        run_operation(self, feed_dict, self._graph, session)

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __copy__(self) -> Operation:
        return self

    def __deepcopy__(self, memo: Any) -> Operation:
        return self


class InputList(tuple):  # type: ignore[type-arg]
    """An operation's inputs: a tuple that also compares and adds like TF1's list."""

    def __new__(cls, tensors: Any) -> InputList:
        return super().__new__(cls, tensors)

    def __add__(self, other: Any) -> Any:
        return list(self) + list(other)

    def __radd__(self, other: Any) -> Any:
        return list(other) + list(self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, tuple | list)
            and len(self) == len(other)
            and all(a is b for a, b in zip(self, other, strict=True))
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


def _device_string(device: Any) -> str:
    if device is None:
        return ""
    return device if isinstance(device, str) else device.to_string()


_Runner = Callable[[Any, Any, Any, Any], Any]
_runners: dict[str, _Runner] = {}


def register_runner(kind: str, runner: _Runner) -> None:
    """Registers the session layer's functions for `Operation.run` ("run") and `Tensor.eval` ("eval")."""
    _runners[kind] = runner


def run_operation(op: Any, feed_dict: FeedDict | None, graph: Any, session: SessionObject | None) -> Any:
    """Runs `op` through the registered session layer."""
    return _runners["run"](op, feed_dict, graph, session)


def eval_tensors(tensors: TensorLike, feed_dict: FeedDict | None, graph: Any, session: SessionObject | None) -> Any:
    """Evaluates tensors through the registered session layer."""
    return _runners["eval"](tensors, feed_dict, graph, session)
