"""The scopes of a graph under construction: names, devices, control dependencies, colocation."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from ferroflow._src.base import compat
from ferroflow._src.base.device_spec import DeviceSpec
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor

if TYPE_CHECKING:
    from ferroflow._src.framework.graph import Graph

_VALID_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\-/]*$")
_VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\-/]*$")


class NameScopes:
    """The current name scope and the names in use."""

    def __init__(self) -> None:
        # TF 1.x: each thread has its own current scope; the names in use are the graph's.
        self._of_thread = threading.local()
        # TF 1.x: names that differ only in case count as the same for this purpose.
        self._in_use: dict[str, int] = {}

    @property
    def stack(self) -> str:
        """The current scope of this thread, without a trailing slash."""
        try:
            stack: str = self._of_thread.stack
        except AttributeError:
            return ""
        return stack

    @stack.setter
    def stack(self, stack: str) -> None:
        self._of_thread.stack = stack

    @staticmethod
    def check_op_name(name: str) -> None:
        """Raises ValueError for a name that is not a valid node name."""
        if not _VALID_OP_NAME.match(name):
            raise ValueError(f"'{name}' is not a valid node name")

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns `name` under the current scope, with `_1`, `_2` ... if it is taken."""
        if self.stack:
            name = f"{self.stack}/{name}"
        key = name.lower()
        count = self._in_use.get(key, 0)
        if mark_as_used:
            self._in_use[key] = count + 1
        if count > 0:
            base = key
            original = name
            while key in self._in_use:
                name = f"{original}_{count}"
                key = f"{base}_{count}"
                count += 1
            if mark_as_used:
                self._in_use[base] = count
                self._in_use[key] = 1
        return name

    def mark(self, name: str) -> None:
        """Counts an exact name as used."""
        self._in_use.setdefault(name.lower(), 1)

    def mark_all(self, names: Iterable[str]) -> None:
        """Counts exact names in lower case as used."""
        in_use = self._in_use
        for name in names:
            if name not in in_use:
                in_use[name] = 1

    def enter(self, name: Any) -> str:
        """Returns the stack inside a scope of that name; one that ends with `/` is taken as it is, None or "" is the
        root.
        """
        if not name:
            return ""
        name = compat.as_str(name)
        if self.stack:
            if not _VALID_SCOPE_NAME.match(name):
                raise ValueError(f"'{name}' is not a valid scope name")
        elif not _VALID_OP_NAME.match(name):
            raise ValueError(f"'{name}' is not a valid scope name")
        return name[:-1] if name[-1] == "/" else self.unique_name(name)


class NameScope:
    """Context manager of `Graph.name_scope`; returns the scope's name with a slash on entry."""

    def __init__(self, graph: Graph, name: Any) -> None:
        self._graph = graph
        self._name = name

    def __enter__(self) -> str:
        names = self._graph._names
        self._old = names.stack
        names.stack = names.enter(self._name)
        # TF 1.x: a scope called "/" is the root under another name.
        return names.stack + "/" if names.stack or self._name == "/" else ""

    def __exit__(self, *exc: object) -> None:
        self._graph._names.stack = self._old


class FlowContext(Protocol):
    """The branch of a conditional, or the loop, that new operations belong to."""

    def admit(
        self, name: str, inputs: list[Any], control_inputs: list[Operation] | None
    ) -> tuple[list[Any], list[Operation] | None]:
        """Returns the inputs and control inputs that an operation named `name` gets in this scope."""

    def added(self, op: Operation) -> None:
        """Records an operation created here."""

    def while_context(self) -> FlowContext | None:
        """Returns the innermost loop around, this one included."""


class Scopes:
    """The control, device, colocation and control flow scopes that a new operation gets."""

    def __init__(self) -> None:
        self.control: list[ControlDependencies] = []
        self.flow: FlowContext | None = None
        self.devices: DeviceStack = DeviceStack()
        self.colocation: list[Operation] = []


class ThreadScopes(threading.local):
    """`Scopes` with a copy for each thread, which starts as the given one."""

    def __init__(self, shared: Scopes | ThreadScopes) -> None:
        super().__init__()
        self.control: list[ControlDependencies] = shared.control
        self.flow: FlowContext | None = shared.flow
        self.devices: DeviceStack = shared.devices
        self.colocation: list[Operation] = shared.colocation


class ControlDependencies:
    """Context manager of `Graph.control_dependencies`."""

    def __init__(self, graph: Graph, control_inputs: list[Operation] | None) -> None:
        self._graph = graph
        self._clears = control_inputs is None
        self.control_inputs = control_inputs or []
        self._seen: set[int] = set()

    def __enter__(self) -> None:
        if self._clears:
            self._old = self._graph._scopes.control
            # TF 1.x: what waits for nothing is made outside of conditionals and loops, too.
            self._old_flow = self._graph._scopes.flow
            self._graph._scopes.control = []
            self._graph._scopes.flow = None
        self._graph._scopes.control = [*self._graph._scopes.control, self]

    def __exit__(self, *exc: object) -> None:
        stack = self._graph._scopes.control
        if not stack or stack[-1] is not self:
            raise ValueError(
                "control_dependencies contexts must be left in the reverse of the order in which they were entered"
            )
        self._graph._scopes.control = self._old if self._clears else stack[:-1]
        if self._clears:
            self._graph._scopes.flow = self._old_flow

    def add_op(self, op: Operation) -> None:
        """Records an op created in this context: operations that read it already wait through it."""
        self._seen.add(op._id)

    def op_in_group(self, node: int) -> bool:
        """Returns True if the node of that id was made in this context."""
        return node in self._seen


def control_inputs_for(graph: Graph, input_nodes: list[int]) -> list[Operation]:
    """Returns the control inputs a new op gets from the contexts it is made in, given the ids of the nodes it reads."""
    result: dict[int, Operation] = {}
    for controller in graph._scopes.control:
        if any(controller.op_in_group(n) for n in input_nodes):
            continue
        for op in controller.control_inputs:
            if op._id not in input_nodes:
                result[op._id] = op
    return list(result.values())


class DeviceScope:
    """Context manager of `Graph.device`."""

    def __init__(self, graph: Graph, device: Any) -> None:
        self._graph = graph
        self._device = device

    def __enter__(self) -> None:
        self._old = self._graph._scopes.devices
        self._graph._scopes.devices = self._old.push(self._device)

    def __exit__(self, *exc: object) -> None:
        self._graph._scopes.devices = self._old


class DeviceStack:
    """Nested device requests: specs, functions of the op, or None, which hides those outside of it."""

    def __init__(self, entries: tuple[Any, ...] = ()) -> None:
        self.entries = entries
        self._static: str | None = None
        self._is_static = not any(callable(e) and not isinstance(e, DeviceSpec) for e in entries)

    def push(self, device: Any) -> DeviceStack:
        """Returns the stack with one more request on top."""
        if device is not None and not callable(device) and not isinstance(device, DeviceSpec):
            device = DeviceSpec.from_string(device)
        return DeviceStack((*self.entries, device))

    @property
    def static(self) -> str | None:
        """The device of any op made now; None if a function must see the op first."""
        if not self._is_static:
            return None
        if self._static is None:
            self._static = self._merge(None)
        return self._static

    def device_for(self, op: Operation) -> str:
        """Returns the device of a given op."""
        return self._merge(op)

    def _merge(self, op: Operation | None) -> str:
        text = ""
        for entry in reversed(self.entries):
            if entry is None:
                break
            if isinstance(entry, DeviceSpec):
                spec = DeviceSpec.from_string(entry.to_string())
                spec.merge_from(DeviceSpec.from_string(text))
                text = spec.to_string()
            else:
                assert op is not None
                op._set_device(text)
                answer = entry(op)
                # TF 1.x: the text of a function is kept as it is.
                text = answer.to_string() if isinstance(answer, DeviceSpec) else compat.as_str(answer)
        return text


class Colocation:
    """Context manager of `Graph.colocate_with`."""

    def __init__(self, graph: Graph, op: Operation | None, ignore_existing: bool) -> None:
        self._graph = graph
        self._op = op
        self._ignore = ignore_existing

    def __enter__(self) -> None:
        scopes = self._graph._scopes
        self._old = (scopes.colocation, scopes.devices)
        scopes.devices = DeviceStack()
        if self._op is None or self._ignore:
            scopes.colocation = []
        if self._op is not None:
            scopes.colocation = [*scopes.colocation, self._op]

    def __exit__(self, *exc: object) -> None:
        scopes = self._graph._scopes
        scopes.colocation, scopes.devices = self._old


class ContainerScope:
    """Context manager of `Graph.container`."""

    def __init__(self, graph: Graph, name: str) -> None:
        self._graph = graph
        self._name = name

    def __enter__(self) -> str:
        self._old = self._graph._container
        self._graph._container = self._name
        return self._name

    def __exit__(self, *exc: object) -> None:
        self._graph._container = self._old


class AttributeMap:
    """Context manager that extends one of the graph's maps from op type to a value for the ops made inside."""

    def __init__(self, mapping: dict[str, Any], entries: dict[str, Any]) -> None:
        self._mapping = mapping
        self._entries = entries

    def __enter__(self) -> None:
        self._saved = dict(self._mapping)
        self._mapping.update(self._entries)

    def __exit__(self, *exc: object) -> None:
        self._mapping.clear()
        self._mapping.update(self._saved)


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
