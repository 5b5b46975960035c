"""`GraphScopes`: the scopes of a graph as programs open them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ferroflow._src.framework.handles import GraphHandles, Operation, Tensor, node_of, operation_of
from ferroflow._src.framework.scopes import (
    AttributeMap,
    Colocation,
    ContainerScope,
    ControlDependencies,
    DeviceScope,
    FlowContext,
    NameScope,
    ScopeState,
)


class GraphScopes(GraphHandles):
    """The part of `Graph` that opens name, control, device, colocation, container and attribute scopes."""

    def __init__(self) -> None:
        super().__init__()
        self._scopes = ScopeState()

    def name_scope(self, name: Any) -> NameScope:
        """Returns a context manager that puts operations in a name scope; on entry, it returns the scope's name.

        Args:
            name: made unique under the current scope; with a trailing `/` re-entered as it is; None or "" is the root.

        Raises:
            ValueError: on entering, for a name with characters a scope may not have.
        """
        return NameScope(self._scopes.names, name)

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns a name under the current scope, made unique by `_1`, `_2` and so on if it is taken.

        Args:
            name: str.
            mark_as_used: bool. If True, the name is taken from now on.

        Returns:
            str, scopes included.
        """
        return self._scopes.names.unique_name(name, mark_as_used)

    def get_name_scope(self) -> str:
        """Returns the current name scope, without a trailing slash."""
        return self._scopes.names.stack

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
            return ControlDependencies(self._scopes, None)
        ops: dict[int, Operation] = {}
        for c in control_inputs:
            indexed = getattr(c, "values", None)
            if not isinstance(c, Operation | Tensor):
                if isinstance(indexed, Tensor):
                    c = indexed.op
                elif hasattr(c, "_handle") and isinstance(getattr(c, "op", None), Operation):
                    # A variable behind a handle, or the result of a write: no read is waited for.
                    c = c.op
            op = operation_of(c)
            if op.graph is not self:
                raise ValueError(f"{c} is not an element of this graph.")
            ops[node_of(op)] = op
        return ControlDependencies(self._scopes, list(ops.values()))

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
        return DeviceScope(self._scopes, device_name_or_function)

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
        return Colocation(
            self._scopes, None if op is None else operation_of(getattr(op, "handle", op)), ignore_existing
        )

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
        return AttributeMap(self._scopes.gradient_overrides, op_type_map)

    def _attr_scope(self, attr_map: dict[str, Any]) -> AttributeMap:
        if not isinstance(attr_map, dict):
            raise TypeError("attr_map must be a dictionary mapping strings to Callable")
        return AttributeMap(self._scopes.attributes, attr_map)

    def _kernel_label_map(self, op_to_kernel_label_map: dict[str, str]) -> AttributeMap:
        return AttributeMap(self._scopes.kernel_labels, op_to_kernel_label_map)

    def container(self, container_name: str) -> AbstractContextManager[str]:
        """Returns a context manager whose variables and queues live in the named resource container.

        Args:
            container_name: str; `""` is the default container.

        Returns:
            A context manager; on entry, the name.
        """
        return ContainerScope(self._scopes, container_name)

    def switch_to_thread_local(self) -> None:
        """Gives each thread its own control, device and colocation scopes, which start as copies of the current
        ones.
        """
        self._scopes.use_thread_scopes()

    @property
    def flow(self) -> FlowContext | None:
        """The branch or loop that new operations belong to, or None."""
        return self._scopes.current.flow

    def enter_flow(self, context: FlowContext | None) -> FlowContext | None:
        """Makes new operations belong to a conditional's branch or a loop.

        Args:
            context: the branch or loop, or None for no context.

        Returns:
            The context that new operations belonged to before, or None.
        """
        scopes = self._scopes.current
        left, scopes.flow = scopes.flow, context
        return left

    def reserve_name(self, name: str) -> None:
        """Marks a full name as used, so that no operation or scope made later gets it."""
        self._scopes.names.mark(name)

    def waiting_for(self) -> list[Operation]:
        """Returns the operations that new operations wait for."""
        return [op for scope in self._scopes.current.control for op in scope.control_inputs]

    def _get_control_flow_context(self) -> FlowContext | None:
        return self._scopes.current.flow

    def _set_control_flow_context(self, context: FlowContext | None) -> None:
        self._scopes.current.flow = context

    @contextmanager
    def _original_op(self, op: Operation | None) -> Iterator[None]:
        """Records `op` in the operations created in a `with` block, as the one whose gradient they compute."""
        scopes = self._scopes
        outer, scopes.original_op = scopes.original_op, op
        try:
            yield
        finally:
            scopes.original_op = outer

    def _apply_device_functions(self, op: Any) -> None:
        """Sets the device of an operation, or of an object in its place, to the one of the open scopes."""
        self._scopes.apply_device_functions(op)

    # TF 1.x's names for what the scopes hold, which programs read.

    @property
    def _name_stack(self) -> str:
        return self._scopes.names.stack

    @_name_stack.setter
    def _name_stack(self, stack: str) -> None:
        self._scopes.names.stack = stack or ""

    @property
    def _names_in_use(self) -> dict[str, int]:
        return self._scopes.names.in_use

    @property
    def _container(self) -> str:
        return self._scopes.container

    @property
    def _gradient_override_map(self) -> dict[str, str]:
        return self._scopes.gradient_overrides

    @property
    def _attr_scope_map(self) -> dict[str, Any]:
        return self._scopes.attributes

    @property
    def _op_to_kernel_label_map(self) -> dict[str, str]:
        return self._scopes.kernel_labels

    @property
    def _default_original_op(self) -> Operation | None:
        op: Operation | None = self._scopes.original_op
        return op


def current_flow_context(graph: GraphScopes) -> FlowContext | None:
    """Returns the branch or loop that operations are added to, or None."""
    return graph._get_control_flow_context()
