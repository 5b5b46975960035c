"""`Operation` and `Tensor`, the handles of a graph's nodes and their outputs, and `GraphHandles`, which makes them."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ferroflow import _core
from ferroflow._src.base import array_conversion, dtypes, fork_locks, proto
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, FeedDict, SessionObject, ShapeLike
from ferroflow._src.framework import node_def as node_defs
from ferroflow._src.framework.definition_stack import Frame, Frames, frames_from, line_of
from ferroflow._src.framework.node_tables import InputList, NodesById, NodesByName
from ferroflow._src.framework.running import eval_tensors, run_operation
from ferroflow._src.framework.scopes import FlowContext
from ferroflow._src.framework.tensor_operators import TensorOperators

if TYPE_CHECKING:
    from ferroflow._src.framework.graph import Graph


class Operation(_core.OperationHandle):
    """A node of a graph, one object for each node. Programs add operations with `tf.Graph.create_op` or a function of
    an op; this constructor adds one from its NodeDef.

    Only a conditional or loop around the call changes the operation; other scopes do not apply to it.

    Args:
        node_def: NodeDef message; its `name` is taken as it is, and its `input` is not read.
        g: Graph to add the operation to.
        inputs: list of the Tensors that the operation reads, of the dtypes and shapes that the op's schema takes.
        output_types: accepted for compatibility; the op's schema decides the types of the outputs.
        control_inputs: list of the Operations, Tensors of any dtype and shape or IndexedSlices to run before; or None.
        input_types: list of the DTypes that the inputs must be compatible with, or None.
        original_op: Operation that this one is recorded to derive from, or None.
        op_def: accepted for compatibility; the op must be registered.

    Raises:
        TypeError: if an argument is not of its type, or an input does not have its type in `input_types`.
        ValueError: if the name is invalid or in use, or shapes or attributes are incompatible.
        RuntimeError: if the graph is finalized.
        tf.errors.NotFoundError: if the op is not registered.
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

    _graph: GraphHandles
    _outputs: list[Tensor]
    _frames: Frames
    _cached_name: str | None
    _cached_type: str | None
    # The forward operation whose gradient this one is part of.
    _original_op: Operation | None

    def __new__(
        cls,
        node_def: proto.NodeDef,
        g: Graph,
        inputs: list[Tensor] | None = None,
        output_types: object = None,
        control_inputs: Sequence[Any] | None = None,
        input_types: Sequence[dtypes.DType] | None = None,
        original_op: Operation | None = None,
        op_def: object = None,
    ) -> Operation:
        if not isinstance(node_def, proto.NodeDef):
            raise TypeError(f"node_def needs to be a NodeDef: {node_def}")
        add = getattr(g, "_add_node_def", None)
        if add is None:
            raise TypeError(f"g needs to be a Graph: {g}")
        op: Operation = add(node_def, inputs, control_inputs, input_types)
        op._original_op = original_op
        return op

    @property
    def graph(self) -> Graph:
        """The graph that holds this operation."""
        return self._graph  # type: ignore[return-value]  # what has handles is a graph

    @property
    def name(self) -> str:
        """The full name, scopes included."""
        cached = self._cached_name
        if cached is None:
            cached = self._cached_name = self._graph._core.node_name(self._id)
        return cached

    # TF 1.x's name, which programs read.
    _name = name

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
        return InputList([graph.tensor(node, index) for node, index in graph._core.node_inputs(self._id)])

    # TF 1.x's names, which programs read.
    _inputs = inputs

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must run before this one."""
        graph = self._graph
        return [graph.operation(i) for i in graph._core.node_control_inputs(self._id)]

    _control_inputs = control_inputs

    @property
    def _control_outputs(self) -> list[Operation]:
        return operations_after(self)

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

    def _add_outputs(self, types: Sequence[DTypeLike], shapes: Sequence[Any]) -> None:
        """Adds outputs behind the others; the attribute that lists the types of outputs must be set to match."""
        for dtype, shape in zip(types, shapes, strict=True):
            dims = TensorShape(shape)
            number = dtypes.as_dtype(dtype).as_datatype_enum
            self._graph._core.add_output(self._id, number, None if dims.ndims is None else dims.as_list())
            self._outputs.append(self._graph._output_handle(self, len(self._outputs)))

    @property
    def node_def(self) -> Any:
        """The NodeDef message of this operation."""
        reads = [*(t._as_node_def_input() for t in self.inputs), *(f"^{c.name}" for c in self.control_inputs)]
        return node_defs.to_node_def(self._graph._core, self._id, reads)

    _node_def = node_def

    @property
    def op_def(self) -> Any:
        """The OpDef message of this operation's type."""
        return node_defs.to_op_def(self.type)

    _op_def = op_def

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
            line = line_of(code, offset)
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

    # A class that defines `__eq__` has no hash otherwise.
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __copy__(self) -> Operation:
        return self

    def __deepcopy__(self, memo: Any) -> Operation:
        return self


def operations_after(op: Operation) -> list[Operation]:
    """Returns the operations that have a control edge from another."""
    graph = op._graph
    return [graph.operation(i) for i in graph._core.node_control_outputs(op._id)]


def _device_string(device: Any) -> str:
    if device is None:
        return ""
    return device if isinstance(device, str) else device.to_string()


_DTYPES = {d.as_datatype_enum: d for d in map(dtypes.as_dtype, [*range(1, 24), *range(101, 124)])}


class Tensor(_core.TensorHandle, TensorOperators):
    """A symbolic value: output number `value_index` of `op`, one object for each output. The constructor returns it.

    Args:
        op: Operation that computes it.
        value_index: int, which of the operation's outputs.
        dtype: accepted for compatibility; the operation decides it.

    Raises:
        TypeError: if `op` is not an Operation.
        IndexError: if `op` does not have that many outputs.
    """

    # As for operations: no dict until a program sets an attribute of its own.
    __slots__ = ("__dict__", "__weakref__", "_dtype", "_op", "_shape")

    _op: Operation
    _dtype: dtypes.DType | None
    _shape: TensorShape | None

    def __new__(cls, op: Operation, value_index: int, dtype: DTypeLike | None = None) -> Tensor:
        if not isinstance(op, _core.OperationHandle):
            raise TypeError(f"op needs to be an Operation: {op}")
        return op.outputs[value_index]

    @property
    def op(self) -> Operation:
        """The operation that computes this tensor."""
        return self._op

    @property
    def graph(self) -> Graph:
        """The graph that holds this tensor."""
        return self._op._graph  # type: ignore[return-value]  # what has handles is a graph

    @property
    def _id(self) -> int:
        """A number of the tensor that grows in order of creation."""
        return self._op._id << 16 | self._value_index

    @property
    def value_index(self) -> int:
        """The position of this tensor among the outputs of `op`."""
        return self._index

    # TF 1.x's names, which programs read.
    _value_index = value_index

    @property
    def name(self) -> str:
        """`op_name:output_number`."""
        return f"{self._op.name}:{self._index}"

    _name = name

    @property
    def device(self) -> str:
        """The device of the operation."""
        return self._op.device

    @property
    def dtype(self) -> dtypes.DType:
        """The element type; a `_ref` type for a reference to a variable."""
        cached = self._dtype
        if cached is None:
            number = self._op._graph._core.output_dtype(self._node_id, self._index)
            cached = self._dtype = _DTYPES[number]
        return cached

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        cached = self._shape
        if cached is None:
            cached = TensorShape(self._op._graph._core.output_shape(self._node_id, self._index))
            self._shape = cached
        return cached

    def get_shape(self) -> TensorShape:
        """Returns the same as `shape`."""
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Makes the static shape more specific.

        Args:
            shape: anything a `TensorShape` is made of.

        Raises:
            ValueError: if `shape` contradicts the known shape.
        """
        shape = shape if isinstance(shape, TensorShape) else TensorShape(shape)
        merged = self.shape.merge_with(shape)
        self._op._graph._core.merge_shape(self._node_id, self._index, shape)
        self._shape = merged

    def _shape_as_list(self) -> list[int | None] | None:
        return self.shape.as_list() if self.shape.ndims is not None else None

    def _shape_tuple(self) -> tuple[int | None, ...] | None:
        sizes = self._shape_as_list()
        return None if sizes is None else tuple(sizes)

    def _rank(self) -> int | None:
        return self.shape.ndims

    def consumers(self) -> list[Operation]:
        """Returns the operations that read this tensor."""
        graph = self._op._graph
        found = graph._core.consumers(self._node_id, self._index)
        return [graph.operation(i) for i in dict.fromkeys(node for node, _ in found)]

    def eval(self, feed_dict: FeedDict | None = None, session: SessionObject | None = None) -> Any:
        """Returns the value of this tensor in a session.

        Args:
            feed_dict: dict of fed values, as for `Session.run`.
            session: `Session`; None for the default session.

        Returns:
            NumPy array or scalar; bytes for a single string.

        Raises:
            ValueError: if there is no default session, or the session has another graph.
            tf.errors.OpError: if the step failed.
        """
        return eval_tensors(self, feed_dict, self.graph, session)

    def _as_node_def_input(self) -> str:
        return self._op.name if self._index == 0 else self.name

    def __iter__(self) -> Iterator[Tensor]:
        if self.shape.ndims is None:
            raise TypeError(
                "Tensor objects are only iterable when their first dimension is known; the rank is unknown."
            )
        if self.shape.ndims == 0:
            raise TypeError("Tensor objects are not iterable when they are scalars.")
        length = self.shape.as_list()[0]
        if length is None:
            raise TypeError(
                "Tensor objects are only iterable when their first dimension is known. To iterate over this tensor use "
                "tf.map_fn."
            )
        return (self[i] for i in range(length))

    def __len__(self) -> int:
        raise TypeError(
            f"object of type 'Tensor' has no len(). Use tf.shape(x)[0] or x.shape for Tensor '{self.name}'."
        )

    def __bool__(self) -> bool:
        raise TypeError(
            "Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:` instead of `if t:` to "
            "test if a "
            "tensor is defined, and use TensorFlow ops such as tf.cond to execute subgraphs conditioned on the "
            "value of a tensor."
        )

    # Python 2's name, which libraries still use.
    __nonzero__ = __bool__

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array.")

    # A class that defines `__eq__` has no hash otherwise.
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self

    def __str__(self) -> str:
        shape = self.shape
        shown = f", shape={shape}" if shape.ndims is not None else ""
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shown}, dtype={self.dtype.name}{device})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


array_conversion.register_tensor_class(Tensor)


# Classes of handles are called by programs with TensorFlow's arguments; these make one of a node.
_new_operation = _core.OperationHandle.__new__
_new_tensor = _core.TensorHandle.__new__


class GraphHandles:
    """The handles of a graph's nodes: one `Operation` for each node, one `Tensor` for each output.

    It is all that operations and tensors need of their graph.
    """

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
        op._graph = self
        op._cached_name = name
        op._cached_type = op_type
        op._original_op = None
        op._frames = frames
        op._outputs = [self._output_handle(op, index) for index in range(outputs)]
        return op

    def _output_handle(self, op: Operation, index: int) -> Tensor:
        """Returns a new handle of an output."""
        tensor: Tensor = _new_tensor(self._tensor_class, self._core, op._id, index)
        tensor._op = op
        tensor._dtype = tensor._shape = None
        return tensor


def has_attr(op: Operation, name: str) -> bool:
    """Returns True if an operation has an attribute of that name."""
    return op._graph._core.has_attr(op._id, name)


def set_attr(op: Operation, name: str, value: Any) -> None:
    """Sets an attribute of an operation, from an AttrValue message or a plain Python value."""
    op._set_attr(name, value)


def add_outputs(op: Operation, types: Sequence[DTypeLike], shapes: Sequence[Any]) -> None:
    """Adds outputs behind those of an operation; the attribute that lists their types must be set to match."""
    op._add_outputs(types, shapes)


def copy_operation(
    graph: Graph, op: Operation, inputs: Sequence[Tensor], attrs: dict[str, Any] | None = None
) -> Operation:
    """Adds an operation like one of another graph, without the names of its scopes and its control inputs.

    Args:
        graph: the graph to add it to.
        op: the operation of another graph.
        inputs: Tensors that it reads, of any graph that `graph` can use.
        attrs: attributes that replace those of `op`, or None.
    """
    name = graph.unique_name(op.name.rpartition("/")[2])
    with graph._lock:
        node, outputs = graph._core.copy_node(op, name, list(inputs), attrs)
        return graph._adopt(node, outputs)


def original_op(op: Operation) -> Operation | None:
    """Returns the forward operation whose gradient an operation is part of, or None."""
    return op._original_op


def flow_context(op: Operation) -> Any:
    """Returns the branch or loop that an operation is in, or None."""
    return op._graph._flow_contexts.get(op._id)


def node_of(handle: Operation | Tensor) -> int:
    """Returns the number of an operation's node, or of the node that computes a tensor."""
    return handle._node_id if isinstance(handle, Tensor) else handle._id


def add_control_inputs(op: Operation, *inputs: Operation) -> None:
    """Makes an operation of the graph wait for other operations, too."""
    op._add_control_inputs(inputs)


def static_dims(tensor: Tensor) -> tuple[int | None, ...] | None:
    """Returns a tensor's dimensions, with None for unknown ones; None for unknown rank."""
    return tensor._op._graph._core.output_shape(tensor._node_id, tensor._index)


def known_value(tensor: Tensor) -> Any:
    """Returns the value of a tensor as an array where the graph alone decides it, else None."""
    return tensor._op._graph._core.constant_value(tensor._node_id, tensor._index)


def known_shape_value(tensor: Tensor) -> tuple[int | None, ...] | None:
    """Returns the shape that an int vector describes, as `static_dims` does, as far as the graph alone decides it.

    Raises:
        _core.StatusError: if the vector holds a dimension below -1.
    """
    return tensor._op._graph._core.constant_as_shape(tensor._node_id, tensor._index)


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
