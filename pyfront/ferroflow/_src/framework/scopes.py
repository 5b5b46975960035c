"""The scopes of a graph under construction: names, devices, control dependencies, colocation, attributes."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Iterable
from typing import Any, Protocol

from ferroflow._src.base import compat, tf_logging
from ferroflow._src.base.device_spec import DeviceSpec

_VALID_OP_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\-/]*\Z")
_VALID_SCOPE_NAME = re.compile(r"[A-Za-z0-9_.\-/]*\Z")


@functools.lru_cache(4096)
def _is_valid_inside(name: str) -> bool:
    """Returns True if a node inside of a scope may have the name; programs use few names many times."""
    return _VALID_SCOPE_NAME.match(name) is not None


class NameScopes(threading.local):
    """The current name scope and the names in use.

    TF 1.x: each thread has its own current scope; the names in use are the graph's.

    Args:
        in_use: the names in use in lower case, with the number of uses of each; names that differ only in case count
            as the same.
    """

    def __init__(self, in_use: dict[str, int]) -> None:
        super().__init__()
        self.in_use = in_use
        # The current scope, without a trailing slash.
        self.stack = ""
        # The last valid scope; what it starts with is valid, too.
        self._checked = ""

    @staticmethod
    def check_op_name(name: str) -> None:
        """Raises ValueError for a name that is not a valid node name."""
        if not _VALID_OP_NAME.match(name):
            raise ValueError(f"'{name}' is not a valid node name")

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns `name` under the current scope, with `_1`, `_2` ... if it is taken."""
        stack = self.stack
        if stack:
            name = f"{stack}/{name}"
        key = name.lower()
        count = self.in_use.get(key, 0)
        if mark_as_used:
            self.in_use[key] = count + 1
        if count > 0:
            base = key
            original = name
            while key in self.in_use:
                name = f"{original}_{count}"
                key = f"{base}_{count}"
                count += 1
            if mark_as_used:
                self.in_use[base] = count
                self.in_use[key] = 1
        return name

    def op_name(self, name: str) -> str:
        """Returns the full, unique name of a new operation; a name that ends with `/` is taken as it is.

        Raises:
            ValueError: if it is not a valid node name.
        """
        stack = self.stack
        if name[-1:] == "/":
            name = name[:-1]
            if name != self._checked or not name:
                self.check_op_name(name)
            return name
        if not stack:
            self.check_op_name(name)
        elif not (self._checked.startswith(stack) and _is_valid_inside(name)):
            self.check_op_name(f"{stack}/{name}")
            self._checked = stack
        return self.unique_name(name)

    def mark(self, name: str) -> None:
        """Counts an exact name as used."""
        self.in_use.setdefault(name.lower(), 1)

    def mark_all(self, names: Iterable[str]) -> None:
        """Counts exact names in lower case as used."""
        in_use = self.in_use
        for name in names:
            if name not in in_use:
                in_use[name] = 1

    def enter(self, name: Any) -> str:
        """Returns the stack inside a scope of that name; one that ends with `/` is taken as it is, None or "" is the
        root.
        """
        if not name:
            return ""
        scope: str = name if isinstance(name, str) else compat.as_str(name)
        stack = self.stack
        if not (_VALID_SCOPE_NAME if stack else _VALID_OP_NAME).match(scope):
            raise ValueError(f"'{scope}' is not a valid scope name")
        if scope[-1] == "/":
            return scope[:-1]
        entered = self.unique_name(scope)
        if self._checked.startswith(stack):
            self._checked = entered
        return entered


class NameScope:
    """Context manager of `Graph.name_scope`; returns the scope's name with a slash on entry."""

    def __init__(self, names: NameScopes, name: Any) -> None:
        self._names = names
        self._name = name

    def __enter__(self) -> str:
        names = self._names
        self._old = names.stack
        names.stack = stack = names.enter(self._name)
        # TF 1.x: a scope called "/" is the root under another name.
        return stack + "/" if stack or self._name == "/" else ""

    def __exit__(self, *exc: object) -> None:
        self._names.stack = self._old


class ScopedOperation(Protocol):
    """The parts of an operation that scopes read and set."""

    @property
    def _id(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str: ...

    @property
    def device(self) -> str: ...

    @property
    def node_def(self) -> Any: ...

    def colocation_groups(self) -> list[bytes]: ...

    def _set_attr(self, name: str, value: Any) -> None: ...

    def _set_device(self, device: Any) -> None: ...


class FlowContext(Protocol):
    """The branch of a conditional, or the loop, that new operations belong to."""

    def admit(
        self, name: str, inputs: list[Any], control_inputs: list[Any] | None
    ) -> tuple[list[Any], list[Any] | None]:
        """Returns the inputs and control inputs that an operation named `name` gets in this scope."""

    def added(self, op: Any) -> None:
        """Records an operation created here."""

    def while_context(self) -> FlowContext | None:
        """Returns the innermost loop around, this one included."""


class Scopes:
    """The control, device, colocation and control flow scopes that a new operation gets."""

    def __init__(self) -> None:
        self.control: list[ControlDependencies] = []
        self.flow: FlowContext | None = None
        self.devices: DeviceStack = NO_DEVICES
        self.colocation: list[Any] = []


class ThreadScopes(threading.local):
    """`Scopes` with a copy for each thread, which starts as the given one."""

    def __init__(self, shared: Scopes | ThreadScopes) -> None:
        super().__init__()
        self.control: list[ControlDependencies] = shared.control
        self.flow: FlowContext | None = shared.flow
        self.devices: DeviceStack = shared.devices
        self.colocation: list[Any] = shared.colocation


class ScopeState:
    """The scopes of a graph, and what they change in new operations."""

    def __init__(self) -> None:
        self.names = NameScopes({})
        self.current: Scopes | ThreadScopes = Scopes()
        self.container = ""
        # The forward operation whose gradient is being built.
        self.original_op: Any = None
        # By op type.
        self.gradient_overrides: dict[str, str] = {}
        self.kernel_labels: dict[str, str] = {}
        # By attribute: its value, or a function of the NodeDef that returns it.
        self.attributes: dict[str, Any] = {}

    def use_thread_scopes(self) -> None:
        """Gives each thread its own control, device, colocation and control flow scopes."""
        if not isinstance(self.current, ThreadScopes):
            self.current = ThreadScopes(self.current)

    @property
    def changes_operations(self) -> bool:
        """True if a scope changes operations when they are created; `original_op` is only recorded in them."""
        scopes = self.current
        if scopes.control or scopes.flow is not None or scopes.devices.static is None or scopes.colocation:
            return True
        return bool(self.gradient_overrides or self.attributes or self.kernel_labels or self.container)

    def control_inputs_for(self, input_nodes: list[int]) -> list[Any]:
        """Returns the control inputs that a new operation gets, given the ids of the nodes it reads."""
        result: dict[int, Any] = {}
        for controller in self.current.control:
            if any(controller.op_in_group(n) for n in input_nodes):
                continue
            for op in controller.control_inputs:
                if op._id not in input_nodes:
                    result[op._id] = op
        return list(result.values())

    def apply(self, op: ScopedOperation) -> None:
        """Sets the attributes and the placement that the scopes give a new operation."""
        if self.gradient_overrides or self.attributes or self.kernel_labels:
            self._set_mapped(op)
        if self.current.colocation:
            self._colocate(op)

    def apply_device_functions(self, op: Any) -> None:
        """Sets the device of an operation, or of an object in its place, to the one of the open scopes."""
        text = self.current.devices.device_for(op)
        if not text:
            return
        # TensorFlow 1.14 and later pass the text; those before a spec.
        if hasattr(op, "_set_device_from_string"):
            op._set_device_from_string(text)
        else:
            op._set_device(DeviceSpec.from_string(text))

    def _colocate(self, op: ScopedOperation) -> None:
        groups: set[bytes] = set()
        for other in self.current.colocation:
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
        op._set_attr("_class", sorted(groups))

    def _set_mapped(self, op: ScopedOperation) -> None:
        mapped = self.gradient_overrides.get(op.type)
        if mapped is not None:
            op._set_attr("_gradient_op_type", mapped)
        label = self.kernel_labels.get(op.type)
        if label is not None:
            op._set_attr("_kernel", label)
        for key, value in self.attributes.items():
            if callable(value):
                value = value(op.node_def)
            if value is not None:
                op._set_attr(key, value)


class ControlDependencies:
    """Context manager of `Graph.control_dependencies`."""

    def __init__(self, state: ScopeState, control_inputs: list[Any] | None) -> None:
        self._state = state
        self._clears = control_inputs is None
        self.control_inputs = control_inputs or []
        self._seen: set[int] = set()

    def __enter__(self) -> None:
        scopes = self._state.current
        if self._clears:
            self._old = scopes.control
            # TF 1.x: what waits for nothing is made outside of conditionals and loops, too.
            self._old_flow = scopes.flow
            scopes.control = []
            scopes.flow = None
        scopes.control = [*scopes.control, self]

    def __exit__(self, *exc: object) -> None:
        scopes = self._state.current
        stack = scopes.control
        if not stack or stack[-1] is not self:
            raise ValueError(
                "control_dependencies contexts must be left in the reverse of the order in which they were entered"
            )
        scopes.control = self._old if self._clears else stack[:-1]
        if self._clears:
            scopes.flow = self._old_flow

    def add_op(self, op: ScopedOperation) -> None:
        """Records an op created in this context: operations that read it already wait through it."""
        self._seen.add(op._id)

    def op_in_group(self, node: int) -> bool:
        """Returns True if the node of that id was made in this context."""
        return node in self._seen


class DeviceScope:
    """Context manager of `Graph.device`."""

    def __init__(self, state: ScopeState, device: Any) -> None:
        self._state = state
        self._device = device

    def __enter__(self) -> None:
        scopes = self._state.current
        self._old = scopes.devices
        scopes.devices = self._old.push(self._device)

    def __exit__(self, *exc: object) -> None:
        self._state.current.devices = self._old


class DeviceStack:
    """Nested device requests: specs, functions of the op, or None, which hides those outside of it."""

    def __init__(self, entries: tuple[Any, ...] = ()) -> None:
        self.entries = entries
        # The device of any op made now; None if a function must see the op first.
        self.static: str | None = None
        if not any(callable(e) and not isinstance(e, DeviceSpec) for e in entries):
            self.static = self._merge(None)

    def push(self, device: Any) -> DeviceStack:
        """Returns the stack with one more request on top."""
        if device is not None and not callable(device) and not isinstance(device, DeviceSpec):
            device = DeviceSpec.from_string(device)
        return DeviceStack((*self.entries, device))

    def device_for(self, op: ScopedOperation) -> str:
        """Returns the device of a given op."""
        return self._merge(op)

    def _merge(self, op: ScopedOperation | None) -> str:
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


# The requests of no scope.
NO_DEVICES = DeviceStack()


class Colocation:
    """Context manager of `Graph.colocate_with`."""

    def __init__(self, state: ScopeState, op: Any, ignore_existing: bool) -> None:
        self._state = state
        self._op = op
        self._ignore = ignore_existing

    def __enter__(self) -> None:
        scopes = self._state.current
        self._old = (scopes.colocation, scopes.devices)
        scopes.devices = NO_DEVICES
        if self._op is None or self._ignore:
            scopes.colocation = []
        if self._op is not None:
            scopes.colocation = [*scopes.colocation, self._op]

    def __exit__(self, *exc: object) -> None:
        scopes = self._state.current
        scopes.colocation, scopes.devices = self._old


class ContainerScope:
    """Context manager of `Graph.container`."""

    def __init__(self, state: ScopeState, name: str) -> None:
        self._state = state
        self._name = name

    def __enter__(self) -> str:
        self._old = self._state.container
        self._state.container = self._name
        return self._name

    def __exit__(self, *exc: object) -> None:
        self._state.container = self._old


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
