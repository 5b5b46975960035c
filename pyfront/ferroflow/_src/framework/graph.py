"""`Graph`: operations by name, scopes and collections."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ferroflow import _core
from ferroflow._src.base import compat, errors, fork_locks, proto, tf_logging
from ferroflow._src.base.device_spec import DeviceSpec
from ferroflow._src.base.typing import NestedDTypes, StringLike
from ferroflow._src.framework import default_stacks, node_def
from ferroflow._src.framework.function_def import to_function_def
from ferroflow._src.framework.op_schema import group_attrs, op_schema
from ferroflow._src.framework.operation import Frames, Operation, frames_from
from ferroflow._src.framework.scopes import (
    AttributeMap,
    Colocation,
    ContainerScope,
    ControlDependencies,
    DeviceScope,
    FlowContext,
    NameScope,
    NameScopes,
    Scopes,
    ThreadScopes,
    control_inputs_for,
    operation_of,
)
from ferroflow._src.framework.tensor import Tensor

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


class Graph:
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
        self._core = _core.Graph()
        # By node: its operation or, before its first use, where the node was made.
        self._handles: list[Operation | Frames] = []
        self._unmade = 0
        self._names = NameScopes()
        self._lock = threading.RLock()
        fork_locks.watch(self)
        self._finalized = False
        self._scopes: Scopes | ThreadScopes = Scopes()
        self._gradient_override_map: dict[str, str] = {}
        self._attr_scope_map: dict[str, Any] = {}
        self._op_to_kernel_label_map: dict[str, str] = {}
        self._collections: dict[Any, list[Any]] = {}
        self._collections_of_scope: dict[Any, Any] = {}
        self._container = ""
        self._seed: int | None = None
        self._original_op: Operation | None = None
        # The branch or loop of each operation that is in one, by node.
        self._flow_contexts: dict[int, FlowContext] = {}
        # By node of the predicate: the branches of a conditional, by the predicate's value.
        self._branches: dict[int, dict[int, Any]] = {}
        # The loop that each Exit leaves.
        self._loop_of_exit: dict[int, FlowContext] = {}
        # Nodes with conditionals or loops among them that were imported, and the branch or loop around the import.
        self._without_contexts: list[tuple[Sequence[int], FlowContext | None]] = []
        # Names of the gradients whose TensorArrays are already in the graph.
        self._imported_sources: set[str] = set()
        self._building_function = False
        # The functions that operations call, by name.
        self._functions: dict[str, Any] = {}
        self._graph_def_versions = _Versions()
        # Values that other modules keep with the graph, by their `PerGraph`.
        self._kept: dict[Any, Any] = {}

    def __repr__(self) -> str:
        count = len(self._core)
        return f"<{type(self).__name__} with {count} operation{'' if count == 1 else 's'}, at {id(self):#x}>"

    def _operation(self, node: int) -> Operation:
        """Returns the handle of a node."""
        handle = self._handles[node]
        if handle.__class__ is not tuple:
            return handle  # type: ignore[return-value]  # what is not a tuple is a handle
        with self._lock:
            handle = self._handles[node]
            if isinstance(handle, tuple):
                handle = self._handles[node] = self._handle(node, self._core.output_count(node), handle)
                self._unmade -= 1
            return handle

    @property
    def _operations(self) -> list[Operation]:
        """The handles of all nodes."""
        if self._unmade:
            for node in range(len(self._handles)):
                self._operation(node)
        return self._handles  # type: ignore[return-value]  # all are made now

    def _tensor(self, node: int, index: int) -> Tensor:
        return self._operation(node)._outputs[index]

    def _adopt(self, node: int, outputs: int) -> Operation:
        """Returns the handle of a node just added."""
        op = self._handle(node, outputs, frames_from(sys._getframe(2)))
        self._handles.append(op)
        return op

    def _adopt_later(self) -> None:
        """Records nodes that the engine added; their handles are made at first use."""
        new = len(self._core) - len(self._handles)
        self._handles += [frames_from(sys._getframe(1))] * new
        self._unmade += new
        self._names.mark_all(self._core.lowercase_names(len(self._handles) - new))

    def _handle(self, node: int, outputs: int, frames: Frames) -> Operation:
        op = Operation(self._core, node)
        op._graph = self
        op._cached_name = op._cached_type = op._original_op = None
        core = self._core
        tensors = []
        for index in range(outputs):
            tensor = Tensor(core, node, index)
            tensor._op = op
            tensor._dtype = tensor._shape = None
            tensors.append(tensor)
        op._outputs = tensors
        op._frames = frames
        return op

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
        self._check_not_finalized()
        scopes = self._scopes
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
            op = self._adopt(node, outputs)
        self._apply_scopes(op, device is None)
        return op

    def _admit(
        self, op_type: str, name: str, inputs: list[Any], control_inputs: list[Operation] | None
    ) -> tuple[list[Any], list[Operation] | None]:
        """Returns the inputs and control inputs that a new operation gets in the current scopes."""
        scopes = self._scopes
        if scopes.control:
            nodes = []
            for item in inputs:
                if isinstance(item, Tensor):
                    nodes.append(item._node_id)
                else:
                    nodes.extend(t._node_id for t in item)
            control_inputs = [*(control_inputs or ()), *control_inputs_for(self, nodes)]
        if scopes.flow is not None:
            return scopes.flow.admit(name, inputs, control_inputs)
        if self._flow_contexts:
            self._refuse_inside_of_loops(op_type, name, inputs)
        return inputs, control_inputs

    def _watches_operations(self) -> bool:
        """Returns True if a scope changes or records operations when they are created."""
        scopes = self._scopes
        if scopes.control or scopes.flow is not None or scopes.devices.static is None or scopes.colocation:
            return True
        maps = self._gradient_override_map or self._attr_scope_map or self._op_to_kernel_label_map
        return bool(maps or self._container) or self._original_op is not None

    def _refuse_inside_of_loops(self, op_type: str, name: str, inputs: list[Any]) -> None:
        """Raises ValueError if an operation outside of loops reads a tensor inside a loop."""
        if op_type in ("Exit", "RefExit"):
            return
        for tensor in (t for i in inputs for t in (i if isinstance(i, list) else [i])):
            context = self._flow_contexts.get(tensor._node_id)
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
        if self._scopes.control:
            control_inputs = [*(control_inputs or ()), *control_inputs_for(self, [])]
        if self._scopes.flow is not None:
            _, control_inputs = self._scopes.flow.admit(name, [], control_inputs)
        device = self._scopes.devices.static
        with self._lock:
            node, outputs = self._core.add_constant(name, value, dtype, control_inputs, device or "")
            op = self._adopt(node, outputs)
        self._apply_scopes(op, device is None)
        return op

    def _apply_scopes(self, op: Operation, needs_device: bool) -> None:
        scopes = self._scopes
        for controller in scopes.control:
            controller.add_op(op)
        if scopes.flow is not None:
            self._flow_contexts[op._id] = scopes.flow
            scopes.flow.added(op)
        if needs_device:
            op._set_device(scopes.devices.device_for(op))
        if self._gradient_override_map or self._attr_scope_map or self._op_to_kernel_label_map:
            self._apply_maps(op)
        if scopes.colocation:
            self._colocate(op)
        if self._container and "container" in self._core.attrs(op._id):
            self._core.set_attr(op._id, "container", self._container)
        if self._original_op is not None:
            op._original_op = self._original_op

    def _apply_device_functions(self, op: Any) -> None:
        """Gives an operation, or an object in its place, the device that the open scopes give it."""
        text = self._scopes.devices.device_for(op)
        # TensorFlow 1.14 and later hand over the text; those before a spec, and nothing if no scope is open.
        if hasattr(op, "_set_device_from_string"):
            op._set_device_from_string(text)
        elif text:
            op._set_device(DeviceSpec.from_string(text))

    def _colocate(self, op: Operation) -> None:
        groups: set[bytes] = set()
        for other in self._scopes.colocation:
            groups.update(other.colocation_groups())
            if other.device:
                if op.device and op.device != other.device:
                    tf_logging.warning(
                        "Tried to colocate %s with an op %s that had a different device: %s vs %s. Postponing "
                        "error-checking until all devices are assigned.",
                        op.name,
                        other.name,
                        op.device,
                        other.device,
                    )
                else:
                    op._set_device(other.device)
        self._core.set_attr(op._id, "_class", sorted(groups))

    def _apply_maps(self, op: Operation) -> None:
        mapped = self._gradient_override_map.get(op.type)
        if mapped is not None:
            self._core.set_attr(op._id, "_gradient_op_type", mapped)
        label = self._op_to_kernel_label_map.get(op.type)
        if label is not None:
            self._core.set_attr(op._id, "_kernel", label)
        for key, value in self._attr_scope_map.items():
            if callable(value):
                value = value(op.node_def)
            if value is not None:
                op._set_attr(key, value)

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
        name = op_type if name is None else name
        name = name[:-1] if name.endswith("/") else self.unique_name(name)
        NameScopes.check_op_name(name)
        plain = {k: node_def.attr_from_message(v) for k, v in (attrs or {}).items()}
        plain.update(group_attrs(op_schema(op_type), plain, inputs))
        return self._add(op_type, name, list(inputs), plain, flat=True)

    def get_operations(self) -> list[Operation]:
        """Returns all operations, in the order they were made."""
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """Returns the operation of that name.

        Args:
            name: str, scopes included.

        Returns:
            Operation.

        Raises:
            TypeError: if `name` is not a string.
            ValueError: if `name` is a tensor's.
            KeyError: if there is none of that name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        op: Operation = self.as_graph_element(name, allow_tensor=False, allow_operation=True)
        return op

    def get_tensor_by_name(self, name: str) -> Tensor:
        """Returns the tensor of that name.

        Args:
            name: str, such as `op_name:0`, scopes included.

        Returns:
            Tensor, of whatever dtype and shape it has.

        Raises:
            TypeError: if `name` is not a string.
            ValueError: if `name` is an operation's.
            KeyError: if there is none of that name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        tensor: Tensor = self.as_graph_element(name, allow_tensor=True, allow_operation=False)
        return tensor

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """Returns the operation or tensor that an object means here.

        Args:
            obj: Operation, Tensor, str or bytes with the name of one, or an object that stands for one, as a variable
                does.
            allow_tensor: bool. If True, it may mean a tensor.
            allow_operation: bool. If True, it may mean an operation.

        Returns:
            Operation, or Tensor of whatever dtype and shape it has.

        Raises:
            TypeError: if `obj` cannot mean one of the allowed kinds.
            ValueError: if a name is malformed, the element belongs to another graph, or neither kind is allowed.
            KeyError: if no element has that name.
        """
        if allow_tensor and allow_operation:
            types = "Tensor or Operation"
        elif allow_tensor:
            types = "Tensor"
        elif allow_operation:
            types = "Operation"
        else:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        as_element = getattr(obj, "_as_graph_element", None)
        if as_element is not None and not isinstance(obj, Operation | Tensor):
            obj = as_element()
        if isinstance(obj, str | bytes):
            return self._element_by_name(compat.as_str(obj), allow_tensor, allow_operation)
        if isinstance(obj, Tensor) and allow_tensor:
            if obj.graph is not self:
                raise ValueError(f"Tensor {obj} is not an element of this graph.")
            return obj
        if isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(f"Operation {obj!r} is not an element of this graph.")
            return obj
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {types}.")

    _as_graph_element_locked = as_graph_element

    def _element_by_name(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        if ":" in name and allow_tensor:
            op_name, _, number = name.partition(":")
            if not number.isdigit():
                raise ValueError(
                    f"The name '{name}' looks a like a Tensor name, but is not a valid one. Tensor names must be of "
                    f"the form "
                    '"<op_name>:<output_index>".'
                )
            node = self._core.find(op_name)
            if node is None:
                raise KeyError(
                    f"The name '{name}' refers to a Tensor which does not exist. The operation, '{op_name}', does "
                    f"not exist in the graph."
                )
            outputs = self._operation(node)._outputs
            if int(number) >= len(outputs):
                raise KeyError(
                    f"The name '{name}' refers to a Tensor which does not exist. The operation, '{op_name}', exists "
                    f"but only has {len(outputs)} outputs."
                )
            return outputs[int(number)]
        if ":" in name:
            raise ValueError(
                f"Name '{name}' appears to refer to a Tensor, not a Operation."
                if name.partition(":")[2].isdigit()
                else f"Name '{name}' is not a valid operation name."
            )
        node = self._core.find(name)
        if allow_operation:
            if node is None:
                raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")
            return self._operation(node)
        if node is not None:
            raise ValueError(
                f"The name '{name}' refers to an Operation, not a Tensor. Tensor names must be of the form "
                '"<op_name>:<output_index>".'
            )
        raise ValueError(
            f"The name '{name}' looks like an (invalid) Operation name, not a Tensor. Tensor names must be of the form "
            '"<op_name>:<output_index>".'
        )

    def as_default(self) -> AbstractContextManager[Graph]:
        """Returns a context manager that makes this the default graph of the thread."""
        return default_stacks.default_graph_stack.get_controller(self)

    @property
    def version(self) -> int:
        """A number that rises with every operation added."""
        return len(self._handles)

    @property
    def _last_id(self) -> int:
        return len(self._handles)

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
            graph.library.function.extend(to_function_def(f) for f in self._functions.values())
        if graph.ByteSize() > _MOST_BYTES_OF_A_MESSAGE:
            raise ValueError("GraphDef cannot be larger than 2GB.")
        return graph

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Makes steps refuse to be fed a tensor.

        Args:
            tensor: Tensor of this graph, of any dtype and shape.
        """
        self._core.prevent_feeding(tensor._node_id, tensor._index)

    def is_feedable(self, tensor: Tensor) -> bool:
        """Returns True if a tensor may be fed.

        Args:
            tensor: Tensor of this graph, of any dtype and shape.

        Returns:
            bool.
        """
        return self._core.is_feedable(tensor._node_id, tensor._index)

    def prevent_fetching(self, op: Operation) -> None:
        """Makes steps refuse to fetch an operation and its outputs.

        Args:
            op: Operation of this graph.
        """
        self._core.prevent_fetching(op._id)

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Returns True if an operation, or a tensor, may be fetched.

        Args:
            tensor_or_op: Operation of this graph, or Tensor of any dtype and shape.

        Returns:
            bool.
        """
        node = tensor_or_op._node_id if isinstance(tensor_or_op, Tensor) else tensor_or_op._id
        return self._core.is_fetchable(node)

    def _repr_html_(self) -> str | None:
        """Returns the graph as notebooks show and keep it: pictures of its outer name scopes."""
        return _notebook_view[0](self.get_operations()) if _notebook_view else None

    def name_scope(self, name: Any) -> NameScope:
        """Returns a context manager under whose name operations are made; gives the scope's name.

        Args:
            name: made unique under the current scope; with a trailing `/` re-entered as it is; None or "" is the root.

        Raises:
            ValueError: on entering, for a name with characters a scope may not have.
        """
        return NameScope(self, name)

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns a name under the current scope, made unique by `_1`, `_2` and so on if it is taken.

        Args:
            name: str.
            mark_as_used: bool. If True, the name is taken from now on.

        Returns:
            str, scopes included.
        """
        return self._names.unique_name(name, mark_as_used)

    @property
    def _name_stack(self) -> str:
        return self._names.stack

    @_name_stack.setter
    def _name_stack(self, stack: str) -> None:
        self._names.stack = stack or ""

    def get_name_scope(self) -> str:
        """Returns the current name scope, without a trailing slash."""
        return self._names.stack

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> ControlDependencies:
        """Returns a context manager whose operations wait for `control_inputs`; None hides the contexts outside.

        Args:
            control_inputs: iterable of operations, tensors of any dtype and shape, or objects that stand for one; or
                None.

        Returns:
            A context manager.

        Raises:
            TypeError: if an element is neither an operation nor a tensor.
            ValueError: if an operation belongs to another graph.
        """
        if control_inputs is None:
            return ControlDependencies(self, None)
        ops: dict[int, Operation] = {}
        for c in control_inputs:
            indexed = getattr(c, "values", None)
            if not isinstance(c, Operation | Tensor) and isinstance(indexed, Tensor):
                c = indexed.op
            op = operation_of(c)
            if op.graph is not self:
                raise ValueError(f"{c} is not an element of this graph.")
            ops[op._id] = op
        return ControlDependencies(self, list(ops.values()))

    def device(self, device_name_or_function: Any) -> DeviceScope:
        """Returns a context manager that places operations.

        Args:
            device_name_or_function: device string or DeviceSpec, a function of the operation that gives one, or None,
                which hides the contexts outside.

        Returns:
            A context manager.

        Raises:
            ValueError: on entering, for a string that is not a device name.
        """
        return DeviceScope(self, device_name_or_function)

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Colocation:
        """Returns a context manager that places operations with `op`.

        Args:
            op: operation, or tensor of any dtype and shape; None (with `ignore_existing`) places them freely.
            ignore_existing: bool. If True, the colocation contexts outside are hidden.

        Returns:
            A context manager.

        Raises:
            TypeError: if `op` is not one of these.
            ValueError: if `op` is None without `ignore_existing`.
        """
        if op is None and not ignore_existing:
            raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
        # TF 1.x: a variable behind a handle is where its handle is, not where it is read.
        return Colocation(self, None if op is None else operation_of(getattr(op, "handle", op)), ignore_existing)

    def gradient_override_map(self, op_type_map: dict[str, str]) -> AttributeMap:
        """Returns a context manager in which operations of the given types get the gradients registered under other
        names.

        Args:
            op_type_map: dict from op types (str) to the names given to `RegisterGradient` (str).

        Returns:
            A context manager.

        Raises:
            TypeError: if `op_type_map` does not map strings to strings.
        """
        if not isinstance(op_type_map, dict):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        for key, value in op_type_map.items():
            if not (isinstance(key, str) and isinstance(value, str)):
                raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        return AttributeMap(self._gradient_override_map, op_type_map)

    def _attr_scope(self, attr_map: dict[str, Any]) -> AttributeMap:
        if not isinstance(attr_map, dict):
            raise TypeError("attr_map must be a dictionary mapping strings to Callable")
        return AttributeMap(self._attr_scope_map, attr_map)

    def _kernel_label_map(self, op_to_kernel_label_map: dict[str, str]) -> AttributeMap:
        return AttributeMap(self._op_to_kernel_label_map, op_to_kernel_label_map)

    def container(self, container_name: str) -> AbstractContextManager[str]:
        """Returns a context manager whose variables and queues live in the named resource container.

        Args:
            container_name: str; `""` is the default container.

        Returns:
            A context manager; on entry, the name.
        """
        return ContainerScope(self, container_name)

    def switch_to_thread_local(self) -> None:
        """Gives each thread its own control, device and colocation scopes, which start as copies of the current
        ones.
        """
        if not isinstance(self._scopes, ThreadScopes):
            self._scopes = ThreadScopes(self._scopes)

    def add_to_collection(self, name: StringLike, value: object) -> None:
        """Appends a value to a collection.

        Args:
            name: str or other hashable object, the collection; made if there is none.
            value: any object.

        Raises:
            RuntimeError: if the graph is finalized.
        """
        self._check_not_finalized()
        with self._lock:
            self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: object) -> None:
        """Appends a value to several collections, once to each.

        Args:
            names: str, or iterable of collections.
            value: any object.

        Raises:
            RuntimeError: if the graph is finalized.
        """
        names = (names,) if isinstance(names, str) else dict.fromkeys(names)
        for name in names:
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: StringLike) -> list[Any]:
        """Returns the list of the collection itself, made if there is none.

        Args:
            name: str or other hashable object, the collection.

        Returns:
            List: what is added to it is in the collection.
        """
        with self._lock:
            return self._collections.setdefault(name, [])

    def get_collection(self, name: StringLike, scope: str | None = None) -> list[Any]:
        """Returns a copy of a collection.

        Args:
            name: str or other hashable object, the collection.
            scope: str, a regular expression: keeps only items whose `name` matches it from its start.

        Returns:
            List, in the order of adding; empty if there is no such collection.
        """
        with self._lock:
            items = self._collections.get(name, [])
            if scope is None:
                return list(items)
            matches = re.compile(scope).match
            return [item for item in items if hasattr(item, "name") and matches(item.name)]

    def get_all_collection_keys(self) -> list[str]:
        """Returns the names of all collections that are strings."""
        with self._lock:
            return [name for name in self._collections if isinstance(name, str)]

    @property
    def collections(self) -> list[str]:
        """The names of all collections."""
        return list(self._collections)

    def clear_collection(self, name: StringLike) -> None:
        """Removes all values of a collection.

        Args:
            name: str or other hashable object, the collection.

        Raises:
            RuntimeError: if the graph is finalized.
        """
        self._check_not_finalized()
        with self._lock:
            self._collections.pop(name, None)

    def capture(self, tensor: Tensor) -> Tensor:
        """Returns the tensor that represents `tensor` in this graph: itself. The body of a function captures tensors of
        outer graphs.

        Args:
            tensor: Tensor of any dtype and shape.

        Returns:
            Tensor of the dtype and shape of `tensor`.
        """
        return tensor

    def _get_control_flow_context(self) -> FlowContext | None:
        return self._scopes.flow

    def _set_control_flow_context(self, context: FlowContext | None) -> None:
        self._scopes.flow = context

    def _is_function(self, name: str) -> bool:
        return name in self._functions


# The function that draws a graph for notebooks, which a higher layer registers.
_notebook_view: list[Callable[[Sequence[Operation]], str]] = []


def register_notebook_view(draw: Callable[[Sequence[Operation]], str]) -> None:
    """Registers the function that draws the operations of a graph as HTML."""
    _notebook_view[:] = [draw]


default_stacks.register_graph_class(Graph)
