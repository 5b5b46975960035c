"""`Graph`: operations by name, scopes and collections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

from ferroflow import _core
from ferroflow._src.base import errors, proto
from ferroflow._src.base.late_modules import LateModules
from ferroflow._src.base.typing import NestedDTypes
from ferroflow._src.framework import default_stacks, node_def
from ferroflow._src.framework.graph_collections import GraphCollections
from ferroflow._src.framework.graph_elements import GraphElements
from ferroflow._src.framework.graph_scopes import GraphScopes
from ferroflow._src.framework.handles import Operation, Tensor, flow_context, node_of, operation_of, output_key
from ferroflow._src.framework.op_schema import group_attrs, op_schema
from ferroflow._src.framework.scopes import FlowContext, NameScopes

# TF 1.15's GraphDef version: what readers of the files we write expect of a TF1 producer.
_PRODUCER = 134
_MIN_CONSUMER = 0
# Largest size that protobuf serializes.
_MOST_BYTES_OF_A_MESSAGE = (1 << 31) - 1


class _Versions:
    """The graph's VersionDef, readable without protobuf."""

    def __init__(self) -> None:
        self.producer = _PRODUCER
        self.min_consumer = _MIN_CONSUMER


class Graph(GraphScopes, GraphElements, GraphCollections):
    """A dataflow graph: operations, the tensors between them, and named collections of objects.

    Example:
        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     c = tf.constant(30.0, name="c")
        >>> print([op.name for op in graph.get_operations()])
        ['c']
        >>> with tf.Session(graph=graph) as session:
        ...     print(session.run("c:0"))
        30.0
    """

    def __init__(self) -> None:
        super().__init__()
        self._seed: int | None = None
        # By predicate: the branches of a conditional, by the predicate's value.
        self.branches: dict[Tensor, dict[int, Any]] = {}
        # The loop that each Exit leaves.
        self._loop_of_exit: dict[int, FlowContext] = {}
        # Nodes with conditionals or loops among them that were imported, and the branch or loop around the import.
        self._without_contexts: list[tuple[Sequence[int], FlowContext | None]] = []
        # Names of the gradients whose TensorArrays are already in the graph.
        self._imported_sources: set[str] = set()
        self._building_function = False
        self._operations_of_tensorflow = 0
        # Shapes and dimensions of the sums whose gradients the graph has; operations of equal ones count once.
        self.reduced_shapes: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        # Pairs of shapes whose sums the graph's gradients have; operations of equal pairs count once.
        self.broadcast_shapes: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
        # The functions that operations call, by name.
        self._functions: dict[str, Any] = {}
        self._graph_def_versions = _Versions()
        # Values that other modules keep with the graph, by their `PerGraph`.
        self.kept_values: dict[Any, Any] = {}

    def __repr__(self) -> str:
        count = len(self._core)
        return f"<{type(self).__name__} with {count} operation{'' if count == 1 else 's'}, at {id(self):#x}>"

    def _add(
        self,
        op_type: str,
        name: str,
        inputs: list[Any],
        attrs: dict[str, Any] | None,
        flat: bool = False,
        control_inputs: list[Operation] | None = None,
    ) -> Operation:
        """Adds a node of the exact name `name` in the current control, device and colocation scopes."""
        if self._finalized:
            self._check_not_finalized()
        state = self._scopes
        scopes = state.current
        if scopes.control or scopes.flow is not None or self._flow_contexts:
            inputs, control_inputs = self._admit(op_type, name, inputs, control_inputs)
        device = scopes.devices.static
        adder = self._core.add_node_flat if flat else self._core.add_node
        with self._lock:
            try:
                node, outputs = adder(op_type, name, inputs, attrs, control_inputs, device or "")
            except _core.StatusError as failure:
                code, message, _ = failure.args
                raise errors.make_exception(None, None, message, code) from None
            op = self._adopt(node, outputs, name, op_type)
        op._original_op = state.original_op
        if state.changes_operations:
            self._apply_scopes(op, device is None)
        return op

    def _admit(
        self, op_type: str, name: str, inputs: list[Any], control_inputs: list[Operation] | None
    ) -> tuple[list[Any], list[Operation] | None]:
        """Returns the inputs and control inputs that a new operation gets in the current scopes."""
        scopes = self._scopes.current
        if scopes.control:
            nodes = []
            for item in inputs:
                if isinstance(item, Tensor):
                    nodes.append(node_of(item))
                else:
                    nodes += map(node_of, item)
            control_inputs = [*(control_inputs or ()), *self._scopes.control_inputs_for(nodes)]
        if scopes.flow is not None:
            return scopes.flow.admit(name, inputs, control_inputs)
        if self._flow_contexts:
            self._refuse_inside_of_loops(op_type, name, inputs)
        return inputs, control_inputs

    def _refuse_inside_of_loops(self, op_type: str, name: str, inputs: list[Any]) -> None:
        """Raises ValueError if an operation outside of loops reads a tensor inside a loop."""
        if op_type in ("Exit", "RefExit"):
            return
        for tensor in (t for i in inputs for t in (i if isinstance(i, list) else [i])):
            context = flow_context(tensor.op)
            if context is not None and context.while_context() is not None:
                inner = tensor.op.name
                raise ValueError(
                    f"Cannot use '{inner}' as input to '{name}' because '{inner}' is in a while loop. See info log for "
                    "more details."
                )

    def _add_constant(
        self, name: str, value: Any, dtype: int, control_inputs: list[Operation] | None = None
    ) -> Operation:
        """Adds a Const node of the exact name `name`."""
        self._check_not_finalized()
        scopes = self._scopes.current
        if scopes.control:
            control_inputs = [*(control_inputs or ()), *self._scopes.control_inputs_for([])]
        if scopes.flow is not None:
            _, control_inputs = scopes.flow.admit(name, [], control_inputs)
        device = scopes.devices.static
        with self._lock:
            node, outputs = self._core.add_constant(name, value, dtype, control_inputs, device or "")
            op = self._adopt(node, outputs, name, "Const")
        op._original_op = self._scopes.original_op
        if self._scopes.changes_operations:
            self._apply_scopes(op, device is None)
        return op

    def _apply_scopes(self, op: Operation, needs_device: bool) -> None:
        state = self._scopes
        scopes = state.current
        for controller in scopes.control:
            controller.add_op(op)
        if scopes.flow is not None:
            self._flow_contexts[op._id] = scopes.flow
            scopes.flow.added(op)
        if needs_device:
            op._set_device(scopes.devices.device_for(op))
        state.apply(op)
        if state.container and "container" in self._core.attrs(op._id):
            op._set_attr("container", state.container)
        if state.original_op is not None:
            op._original_op = state.original_op

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        dtypes: NestedDTypes | None = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Adds an operation.

        Args:
            op_type: the op's type.
            inputs: the tensors it reads, of the dtypes and shapes that the op's schema takes, in one flat list.
            dtypes: accepted for compatibility; the op's schema decides the types of the outputs.
            input_types: accepted for compatibility.
            name: name under the current scope; made unique. A name ending in `/` is taken as it is.
            attrs: attributes, as AttrValue messages or plain values.
            op_def: accepted for compatibility.
            compute_shapes: accepted for compatibility; shapes are always computed.
            compute_device: accepted for compatibility.

        Returns:
            Operation.

        Raises:
            TypeError: if an input is not a tensor, or the dtypes do not fit the schema.
            ValueError: if shapes or attributes are incompatible, or an input belongs to another graph.
            RuntimeError: if the graph is finalized.
            tf.errors.NotFoundError: if the op is not registered.
        """
        self._check_not_finalized()
        for i, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"Input #{i} is not a tensor: {tensor}")
        name = self._scopes.names.op_name(op_type if name is None else name)
        plain = {k: node_def.attr_from_message(v) for k, v in (attrs or {}).items()}
        plain.update(group_attrs(op_schema(op_type), plain, inputs))
        return self._add(op_type, name, list(inputs), plain, flat=True)

    def _add_node_def(
        self,
        message: Any,
        inputs: list[Tensor] | None,
        control_inputs: Sequence[Any] | None,
        input_types: Sequence[Any] | None,
    ) -> Operation:
        """Adds an operation as its NodeDef describes it, but for the inputs; of the scopes only a conditional or loop
        applies to it.
        """
        self._check_not_finalized()
        name, op_type = message.name, message.op
        NameScopes.check_op_name(name)
        if not isinstance(inputs, list | None):
            raise TypeError(f"inputs needs to be a list of Tensors: {inputs}")
        tensors = inputs or []
        for tensor in tensors:
            if not isinstance(tensor, Tensor):
                raise TypeError(f"input needs to be a Tensor: {tensor}")
        if input_types and not all(
            wanted.is_compatible_with(t.dtype) for t, wanted in zip(tensors, input_types, strict=False)
        ):
            raise TypeError(
                f"In op '{name}', input types ({[t.dtype for t in tensors]}) are not compatible with expected types "
                f"({input_types})"
            )
        before: list[Operation] | None = [_controller(c) for c in control_inputs or ()]
        attrs = {key: node_def.attr_from_message(value) for key, value in message.attr.items()}
        attrs.update(group_attrs(op_schema(op_type), attrs, tensors))
        arguments: list[Any] = [self.capture(t) for t in tensors]
        flow = self._scopes.current.flow
        if flow is not None:
            arguments, before = flow.admit(name, arguments, before)
        with self._lock:
            try:
                node, outputs = self._core.add_node_flat(op_type, name, arguments, attrs, before, message.device)
            except _core.StatusError as failure:
                code, text, _ = failure.args
                raise errors.make_exception(None, None, text, code) from None
            op = self._adopt(node, outputs, name, op_type)
            self._scopes.names.mark(name)
        if flow is not None:
            self._flow_contexts[op._id] = flow
            flow.added(op)
        return op

    def as_default(self) -> AbstractContextManager[Graph]:
        """Returns a context manager that makes this the default graph of the thread."""
        return default_stacks.default_graph_stack.get_controller(self)

    @property
    def version(self) -> int:
        """A number that rises with every operation added."""
        return len(self._handles)

    # TF 1.x's name, which programs read.
    _version = version

    @property
    def operation_count(self) -> int:
        """The number of operations that TensorFlow would have added; seeds of random operations depend on it."""
        return len(self._handles) + self._operations_of_tensorflow

    # TF 1.x's name, which programs read.
    _last_id = operation_count

    def count_operations(self, number: int) -> None:
        """Counts operations that TensorFlow adds where one operation here does their work, so that later seeds agree.

        Args:
            number: int, how many more TensorFlow adds; below 0 for fewer.
        """
        self._operations_of_tensorflow += number

    def _get_op_def(self, op_type: str) -> Any:
        return node_def.to_op_def(op_type)

    @property
    def graph_def_versions(self) -> Any:
        """The VersionDef message of this graph."""
        return proto.VersionDef(
            producer=self._graph_def_versions.producer, min_consumer=self._graph_def_versions.min_consumer
        )

    @property
    def seed(self) -> int | None:
        """The graph-level random seed."""
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed

    @property
    def building_function(self) -> bool:
        """True if this graph is the body of a function."""
        return self._building_function

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """Returns the GraphDef message of this graph.

        Args:
            from_version: int, leaves out the operations made before that `version`.
            add_shapes: bool. If True, every node gets the attribute `_output_shapes`.

        Returns:
            GraphDef, with the functions that operations call.

        Raises:
            ValueError: if the message would be larger than 2 GB.
        """
        first = from_version or 0
        serialized, left = self._core.node_defs(first, add_shapes)
        graph = proto.GraphDef.FromString(serialized)
        graph.versions.CopyFrom(self.graph_def_versions)
        for position, name in left:
            node_def.fill_attr(graph.node[position], self._core, first + position, name)
        if self._functions:
            graph.library.function.extend(f.to_function_def() for f in self._functions.values())
        if graph.ByteSize() > _MOST_BYTES_OF_A_MESSAGE:
            raise ValueError("GraphDef cannot be larger than 2GB.")
        return graph

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Makes steps refuse to be fed a tensor.

        Args:
            tensor: Tensor of this graph, of any dtype and shape.
        """
        self._core.prevent_feeding(*output_key(tensor))

    def between(
        self, xs: Iterable[Tensor], ys: Iterable[Tensor], stops: list[int], whole_numbers: bool = False
    ) -> list[int]:
        """Returns the nodes on paths from xs to ys that gradients pass through, in the order of their numbers.

        Args:
            xs: Tensors of any dtype and shape, at which the paths begin.
            ys: Tensors of any dtype and shape, at which they end.
            stops: numbers (int) of nodes through which no path continues.
            whole_numbers: If True, gradients pass through whole numbers too.

        Returns:
            List of int.
        """
        return self._core.between([output_key(x) for x in xs], [node_of(y) for y in ys], stops, whole_numbers)

    def take_unrecognized(self) -> list[tuple[Sequence[int], FlowContext | None]]:
        """Returns the imported nodes whose conditionals and loops are not known yet, with the branch or loop around
        each import. They count as known from now on.
        """
        taken, self._without_contexts = self._without_contexts, []
        return taken

    def record_exit(self, left: Tensor, loop: FlowContext) -> None:
        """Records that a loop's Exit brings a value out of it.

        Args:
            left: Tensor of any dtype and shape, the output of the Exit.
            loop: the loop's context.
        """
        self._loop_of_exit[node_of(left)] = loop

    def is_feedable(self, tensor: Tensor) -> bool:
        """Returns True if a tensor may be fed.

        Args:
            tensor: Tensor of this graph, of any dtype and shape.

        Returns:
            bool.
        """
        return self._core.is_feedable(*output_key(tensor))

    def prevent_fetching(self, op: Operation) -> None:
        """Makes steps refuse to fetch an operation and its outputs.

        Args:
            op: Operation of this graph.
        """
        self._core.prevent_fetching(node_of(op))

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Returns True if an operation, or a tensor, may be fetched.

        Args:
            tensor_or_op: Operation of this graph, or Tensor of any dtype and shape.

        Returns:
            bool.
        """
        return self._core.is_fetchable(node_of(tensor_or_op))

    def _repr_html_(self) -> str | None:
        """Returns the graph as notebooks show and keep it: images of its outer name scopes."""
        late_modules.load()
        return _notebook_view[0](self.get_operations()) if _notebook_view else None

    def capture(self, tensor: Tensor) -> Tensor:
        """Returns the tensor that represents `tensor` in this graph: itself. The body of a function captures tensors of
        outer graphs.

        Args:
            tensor: Tensor of any dtype and shape.

        Returns:
            Tensor of the dtype and shape of `tensor`.
        """
        return tensor

    @property
    def functions(self) -> Mapping[str, Any]:
        """The functions that operations of this graph call, by name."""
        return self._functions

    def add_function(self, name: str, function: Any) -> str:
        """Adds a function under a name, to which a number is added if it is in use.

        Args:
            name: str.
            function: the function that operations call by its name.

        Returns:
            str, the name that the function has now.
        """
        with self._lock:
            unique, number = name, len(self._functions)
            while unique in self._functions:
                unique, number = f"{name}_{number}", number + 1
            self._functions[unique] = function
        return unique

    def _is_function(self, name: str) -> bool:
        return name in self._functions


def _controller(value: Any) -> Operation:
    """Returns the operation that a control input means.

    Raises:
        TypeError: if `value` is not an Operation, a Tensor or IndexedSlices.
    """
    try:
        return operation_of(getattr(value, "values", value) if not isinstance(value, Operation) else value)
    except TypeError:
        raise TypeError(f"Control input must be an Operation, a Tensor, or IndexedSlices: {value}") from None


# The function that draws a graph for notebooks, and the module of a higher layer that registers it.
late_modules: Final = LateModules()
_notebook_view: list[Callable[[Sequence[Operation]], str]] = []


def register_notebook_view(draw: Callable[[Sequence[Operation]], str]) -> None:
    """Registers the function that draws the operations of a graph as HTML."""
    _notebook_view[:] = [draw]


default_stacks.register_graph_class(Graph)
