"""Contexts: the branch or loop that new operations belong to, and how values come into it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor, flow_context, node_of
from ferroflow._src.framework.scope_names import prepend_name_scope, strip_name_scope


class ControlFlowContext:
    """A branch of a conditional, or a loop; operations made while it is entered belong to it.

    The methods that raise NotImplementedError are those in which branches and loops differ.

    A value from outside that such an operation reads is captured: an operation that brings it in is put between.
    """

    def __init__(self, name: str = "", graph: Graph | None = None) -> None:
        self._graph = graph or get_default_graph()
        self._name = name
        self._outer_context: ControlFlowContext | None = self._graph.flow  # type: ignore[assignment]  # the graph's layer has a protocol of it
        # By value from outside: what stands for it here.
        self._captured: dict[Tensor, Tensor] = {}
        self._entered: list[Any] = []
        # The operations made here; one that a context nested here took over is among them, too.
        self._operations: list[Operation] = []
        self._nested_contexts: list[ControlFlowContext] = []
        self.list_in_outer()
        # Of a context that holds gradients: the one whose gradients they are.
        self._forward: ControlFlowContext | None = None

    @property
    def name(self) -> str:
        """The unique name."""
        return self._name

    @property
    def outer_context(self) -> ControlFlowContext | None:
        """The context around this one."""
        return self._outer_context

    def rename(self, name: str) -> None:
        """Sets the name to that of an imported context, and reserves it in the graph."""
        self._name = name
        self._graph.reserve_name(name)

    def nest_in(self, context: ControlFlowContext | None) -> None:
        """Sets the context around this one; `list_in_outer` adds this one to it."""
        self._outer_context = context

    def list_in_outer(self) -> None:
        """Adds this context to those nested in the one around it."""
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)

    def __str__(self) -> str:
        return self.name

    def Enter(self) -> None:  # noqa: N802 - TF 1.x's name
        """Makes this the context of new operations."""
        self._entered.append(self._graph.enter_flow(self))

    def Exit(self) -> None:  # noqa: N802 - TF 1.x's name
        """Leaves the context that `Enter` entered."""
        self._graph.enter_flow(self._entered.pop())

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Makes operations created in a `with` block belong to this context."""
        self.Enter()
        try:
            yield
        finally:
            self.Exit()

    @contextmanager
    def within(self, context: ControlFlowContext | None, scope: str | None = None) -> Iterator[None]:
        """Makes operations created in a `with` block belong to `context` as they are, without capturing inputs or
        adding dependencies.
        """
        graph = self._graph
        named = contextlib.nullcontext() if scope is None else graph.name_scope(scope and f"{scope}/")
        with graph.control_dependencies(None), named:
            if context is not None:
                graph.enter_flow(_As(context))
            yield

    def while_context(self) -> ControlFlowContext | None:
        """Returns the innermost loop around, this one included."""
        return None if self._outer_context is None else self._outer_context.while_context()

    GetWhileContext = while_context

    def IsCondContext(self) -> bool:  # noqa: N802 - TF 1.x's name
        """Returns True if this is a branch."""
        return False

    def IsWhileContext(self) -> bool:  # noqa: N802 - TF 1.x's name
        """Returns True if this is a loop."""
        return False

    @property
    def pivot(self) -> Tensor | None:
        """The control input of operations without inputs, which makes them run only when they should."""
        raise NotImplementedError

    def contains(self, op: Operation) -> bool:
        """Returns True if an operation is in this context or one nested in it."""
        context = flow_context(op)
        while context is not None:
            if context is self:
                return True
            context = context.outer_context
        return False

    def capture(self, tensor: Tensor) -> Tensor:
        """Returns the tensor that represents `tensor` in this context: `tensor` itself if it was made here."""
        if type(self).AddValue is not ControlFlowContext.AddValue:
            return self.AddValue(tensor)
        if self.contains(tensor.op):
            return tensor
        self._check_reachable(tensor)
        found = self._captured.get(tensor)
        if found is None:
            outer = self._outer_context
            if self._forward is not None and self._forward.contains(tensor.op):
                found = self._recall(tensor)
            else:
                found = self._bring_in(tensor if outer is None else outer.capture(tensor))
            self._captured[tensor] = found
        return found

    def AddValue(self, val: Tensor) -> Tensor:  # noqa: N802 - TF 1.x's name
        """Returns the tensor that represents `val` in this context; a program's context may override it.

        Args:
            val: Tensor.
        """
        return self.capture(val)

    def AddOp(self, op: Operation) -> None:  # noqa: N802 - TF 1.x's name
        """Takes an operation that was created in this context: a program's context overrides it.

        Args:
            op: Operation.

        Raises:
            NotImplementedError: if the context is a branch or loop, which takes operations as they are created.
        """
        raise NotImplementedError("AddOp is a method of contexts that programs define.")

    @property
    def _is_programs(self) -> bool:
        """True for a context that a program defines, whose `AddOp` takes operations as they are."""
        return type(self).AddOp is not ControlFlowContext.AddOp

    def _check_reachable(self, tensor: Tensor) -> None:
        """Raises ValueError for a tensor of a loop that is not around this context."""
        theirs = flow_context(tensor.op)
        their_loop = None if theirs is None else theirs.while_context()
        if their_loop is None:
            return
        context: ControlFlowContext | None = self
        while context is not None:
            if context is their_loop or (context._forward is not None and context._forward.contains(tensor.op)):
                return
            context = context.outer_context
        inner, reader = tensor.op.name, self._graph.get_name_scope()
        ours = self.while_context()
        why = f"'{inner}' is in a while loop" if ours is None else "they are in different while loops"
        raise ValueError(f"Cannot use '{inner}' as input to '{reader}' because {why}. See info log for more details.")

    @property
    def capture_count(self) -> int:
        """The number of tensors from outside that the context has used."""
        return len(self._captured)

    @property
    def captures(self) -> list[Tensor]:
        """The tensors that bring values from outside in."""
        ways_in = ("Switch", "RefSwitch", "Enter", "RefEnter")
        # One may stand for a value and for what stands for that in another context.
        return [
            t for t in dict.fromkeys(self._captured.values()) if t.op.type in ways_in and flow_context(t.op) is self
        ]

    def _bring_in(self, tensor: Tensor) -> Tensor:
        """Brings in a tensor of the context around this one."""
        raise NotImplementedError

    def _recall(self, tensor: Tensor) -> Tensor:
        """Returns the value here of a tensor of the context whose gradients this one holds."""
        raise NotImplementedError

    def admit(
        self, name: str, inputs: list[Any], control_inputs: list[Operation] | None
    ) -> tuple[list[Any], list[Operation] | None]:
        """Returns the inputs and control inputs that an operation named `name` gets in this context."""
        if self._is_programs:
            return inputs, control_inputs
        with self._graph.name_scope(f"{name}/"):
            inputs = [[self.capture(t) for t in i] if isinstance(i, list) else self.capture(i) for i in inputs]
            control_inputs = self.internal(control_inputs or [])
        if self._needs_pivot(inputs, control_inputs) and self.pivot is not None:
            control_inputs = [*control_inputs, self.pivot.op]
        return inputs, control_inputs or None

    def _needs_pivot(self, inputs: list[Any], control_inputs: list[Operation]) -> bool:
        """Returns True if no operand keeps an operation from running when it should not; each context implements it."""
        raise NotImplementedError

    def internal(self, control_inputs: list[Operation]) -> list[Operation]:
        """Returns control inputs of the same loop; the others wait at the loop's entry."""
        loop = self.while_context()
        if loop is None:
            return control_inputs
        result = []
        for op in control_inputs:
            context = flow_context(op)
            if context is not None and context.while_context() is loop:
                result.append(op)
            else:
                loop.wait_for(op)
        return result

    def wait_for(self, op: Operation) -> None:
        """Makes the whole loop wait for an operation outside of it."""
        raise NotImplementedError

    def added(self, op: Operation) -> None:
        """Records an operation created here."""
        self._operations.append(op)
        if self._is_programs:
            self.AddOp(op)
            return
        op.graph.prevent_fetching(op)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the message of this context, or None if it is not in `export_scope`."""
        raise NotImplementedError

    def to_control_flow_context_def(self, context_def: Any, export_scope: str | None = None) -> None:
        """Writes this context into a ControlFlowContextDef."""
        raise NotImplementedError

    def _add_nested(self, context_def: Any, export_scope: str | None) -> None:
        for nested in self._nested_contexts:
            nested.to_control_flow_context_def(context_def.nested_contexts.add(), export_scope)

    def _inner_names(self) -> set[str]:
        """Returns the names of all tensors made here and in contexts nested here."""
        names = {t.name for op in self._operations if flow_context(op) is self for t in op.outputs}
        return names.union(*(nested._inner_names() for nested in self._nested_contexts))

    def _own_externals(self) -> list[Tensor]:
        """Returns tensors around this context that it reads without bringing them in."""
        return []

    def _to_values_def(self, export_scope: str | None = None) -> Any:
        """Returns the ValuesDef: the tensors known here, and what stands here for those from outside."""
        external = {t.name: t.name for t in self._own_externals()}
        for outside, inside in self._captured.items():
            external[outside.name] = inside.name
        values = self._inner_names() | external.keys() | set(external.values())
        values_def = proto.ValuesDef()
        values_def.values.extend(strip_name_scope(name, export_scope) for name in sorted(values))
        for outer, inner_name in external.items():
            values_def.external_values[strip_name_scope(outer, export_scope)] = strip_name_scope(
                inner_name, export_scope
            )
        return values_def

    def take_values(self, values_def: Any, import_scope: str | None, outside: Iterable[Operation] = ()) -> None:
        """Makes the operations that a ValuesDef names those of this context, but not those of `outside`."""
        graph = self._graph
        external = set()
        for outer_name, inner_name in values_def.external_values.items():
            outer, inner = self.element(outer_name, import_scope), self.element(inner_name, import_scope)
            external.add(outer_name)
            if outer is not inner:
                self._captured[outer] = inner
        # TF 1.x: the first values of loop variables are among the names, wherever they were made.
        not_here = set(outside)
        around = self._outer_context
        while around is not None:
            not_here.update(t.op for t in around._captured)
            around = around._outer_context
        names = {name.partition(":")[0] for name in values_def.values if name not in external}
        named = {graph.as_graph_element(prepend_name_scope(n, import_scope)) for n in names}
        for op in sorted(named - not_here, key=node_of):
            self.take(op)

    def take(self, op: Operation) -> None:
        """Makes an operation that is in the graph already one of this context."""
        if flow_context(op) is not self:
            op._set_control_flow_context(self)
            self._operations.append(op)

    def record_entry(self, outside: Tensor, inside: Tensor) -> None:
        """Records the operation that brings a tensor in; the second of two that bring one in represents itself only."""
        self._captured[inside if outside in self._captured else outside] = inside

    def element(self, name: str, import_scope: str | None) -> Tensor:
        tensor: Tensor = self._graph.as_graph_element(prepend_name_scope(name, import_scope))
        return tensor


# By field of ControlFlowContextDef: what makes a context of the message in it.
_FROM_MESSAGE: dict[str, Callable[[Any, str | None], ControlFlowContext]] = {}


def register_context_message(field: str, from_proto: Callable[[Any, str | None], ControlFlowContext]) -> None:
    """Registers the function that makes a context from a message in a field of ControlFlowContextDef."""
    _FROM_MESSAGE[field] = from_proto


def context_from_message(context_def: Any, import_scope: str | None) -> ControlFlowContext:
    """Returns the context that a ControlFlowContextDef describes, nested in the current one.

    Raises:
        NotImplementedError: if the message holds no context of a known kind.
    """
    field = context_def.WhichOneof("ctxt")
    if field is None:
        raise NotImplementedError(f"Unknown ControlFlowContextDef field: {field}")
    return _FROM_MESSAGE[field](getattr(context_def, field), import_scope)


@contextmanager
def made_in(graph: Graph, context: ControlFlowContext | None) -> Iterator[None]:
    """Makes operations created in a `with` block belong to `context`, or to none, without control dependencies."""
    with graph.control_dependencies(None):
        if context is None:
            yield
        else:
            with context.entered():
                yield


class _As:
    """A context that only labels the operations created in it."""

    def __init__(self, context: ControlFlowContext) -> None:
        self._context = context

    def while_context(self) -> ControlFlowContext | None:
        return self._context.while_context()

    def admit(
        self, name: str, inputs: list[Any], control_inputs: list[Operation] | None
    ) -> tuple[list[Any], list[Operation] | None]:
        return inputs, control_inputs

    def added(self, op: Operation) -> None:
        op._set_control_flow_context(self._context)
        self._context.added(op)
