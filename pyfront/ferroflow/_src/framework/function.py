"""Functions: a graph traced from a Python function, with the tensors that it captures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, ShapeLike
from ferroflow._src.framework import default_stacks
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.function_def import to_function_def
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor, copy_operation, flow_context
from ferroflow._src.framework.op_schema import op_schema

_VARIABLES = ("VariableV2", "Variable", "TemporaryVariable")
# TF 1.x: ops that its later versions call stateful, for the errors they raise.
_STATELESS_IN_TF1 = ("CheckNumerics",)
_PLACEHOLDERS = ("Placeholder", "PlaceholderV2")


class FunctionGraph(Graph):
    """The body of a function under construction. Tensors of outer graphs become arguments.

    Args:
        outer: the graph around.
        capture_by_value: copies the operations that make a captured tensor, instead of adding an argument.
    """

    def __init__(self, outer: Graph, capture_by_value: bool = False) -> None:
        super().__init__()
        self._building_function = True
        self.outer_graph = outer
        self._seed = outer.seed
        self.refuses_state = capture_by_value
        # TF 1.x: functions of datasets have conditionals and loops that are one operation each; those of Defun do not.
        self.counts_functional_flow = False
        # False where a branch or a loop's body is built whose argument for a capture is counted already.
        self.counts_captures = True
        # By tensor of a graph around: what stands for it here.
        self._captured: dict[Tensor, Tensor] = {}
        self.captured_inputs: list[Tensor] = []
        self.captured_arguments: list[Tensor] = []
        # Variables that the body reads or writes.
        self.captured_variables: list[Operation] = []
        for name, items in outer._collections.items():
            self._collections[name] = list(items)

    def _add(
        self,
        op_type: str,
        name: str,
        inputs: list[Any],
        attrs: dict[str, Any] | None,
        flat: bool = False,
        control_inputs: list[Operation] | None = None,
    ) -> Operation:
        inputs = self.capture_all(inputs)
        return super()._add(op_type, name, inputs, attrs, flat, control_inputs)

    def bind_captures(self, arguments: Sequence[Tensor], tensors: Sequence[Tensor]) -> None:
        """Makes arguments of the body stand for tensors of a graph around.

        Args:
            arguments: list of Tensors of the body.
            tensors: as many Tensors of graphs around.
        """
        self.captured_arguments = list(arguments)
        self.captured_inputs = list(tensors)
        self._captured = dict(zip(tensors, arguments, strict=True))

    def capture_all(self, inputs: Sequence[Any]) -> list[Any]:
        """Captures tensors and lists of tensors."""
        return [self.capture(i) if isinstance(i, Tensor) else [self.capture(t) for t in i] for i in inputs]

    def capture(self, tensor: Tensor) -> Tensor:
        """Returns the function's tensor for a tensor of an outer graph: an argument, or a copy.

        Raises:
            ValueError: if the tensor belongs to no enclosing graph, or cannot be copied.
        """
        if tensor.graph is self:
            return tensor
        known = self._captured.get(tensor)
        if known is not None:
            return known
        if not any(tensor.graph is g for g in graphs_around(self)):
            raise ValueError(f"{tensor} must be from the same graph as the function that is being built.")
        inside = self._captured[tensor] = self._stand_in(tensor)
        return inside

    def _stand_in(self, tensor: Tensor) -> Tensor:
        """Returns a new tensor of the function for one of a graph around."""
        if self.refuses_state:
            return self._copied(tensor)
        return self._argument(tensor) if _variable_of(tensor) is None else self._reading(tensor)

    def _argument(self, tensor: Tensor, name: str = "captured") -> Tensor:
        """Returns a new argument, for which callers give a tensor of a graph around."""
        if tensor.dtype._is_ref_dtype:
            with tensor.graph.as_default():
                tensor = tensor_op("Identity", [tensor])
        argument = self.argument(tensor.dtype, tensor.shape, name)
        if not self.counts_captures:
            self.count_operations(-1)
        self.captured_inputs.append(tensor)
        self.captured_arguments.append(argument)
        return argument

    def argument(self, dtype: DTypeLike, shape: ShapeLike, name: str) -> Tensor:
        """Returns a new argument of the function."""
        with self.control_dependencies(None):
            node = super()._add("Placeholder", self.unique_name(name), [], {"dtype": dtype, "shape": shape})
        return node.outputs[0]

    def _reading(self, tensor: Tensor) -> Tensor:
        """Returns a variable, or what reads it, once more: the body sees the variable's value at each call."""
        with self.control_dependencies(None):
            if tensor.op.type in _VARIABLES:
                # The resource that identifies the variable in a session.
                shared = tensor.op.get_attr("shared_name") or tensor.op.name
                attrs: dict[str, Any] | None = {"shared_name": shared}
                self.captured_variables.append(tensor.op)
                sources: list[Tensor] = []
            else:
                attrs = None
                sources = [self.capture(tensor.op.inputs[0])]
            return copy_operation(self, tensor.op, sources, attrs).outputs[tensor.value_index]

    def stand_ins(self, tensor: Tensor) -> list[Tensor]:
        """Returns the tensors of the body for a tensor of a graph around it, and for what only copies or reads that."""
        known = self._captured.get(tensor)
        found = [
            inside
            for taken, inside in zip(self.captured_inputs, self.captured_arguments, strict=True)
            if inside is not known and _copied_from(taken, tensor)
        ]
        return found if known is None else [known, *found]

    def lifted(self, tensor: Tensor) -> Tensor:
        """Returns a tensor of the function made in the graph around, by copies of the operations that make it.

        Raises:
            ValueError: if it depends on an argument of the function.
        """
        made = dict(zip(self.captured_arguments, self.captured_inputs, strict=True))
        stack = [tensor]
        while stack:
            op = stack[-1].op
            if stack[-1] in made:
                stack.pop()
                continue
            if op.type in _PLACEHOLDERS:
                raise ValueError(f"Cannot lift {tensor.name} out of the function: it depends on argument '{op.name}'.")
            missing = [t for t in op.inputs if t not in made]
            if missing:
                stack += missing
                continue
            copy = copy_operation(self.outer_graph, op, [made[t] for t in op.inputs])
            made.update(zip(op.outputs, copy.outputs, strict=True))
        return made[tensor]

    def _copied(self, tensor: Tensor) -> Tensor:
        """Returns the tensor made here by copies of the operations that make it."""
        stack = [tensor]
        while stack:
            top = stack[-1]
            op = top.op
            if top in self._captured or top.graph is self:
                stack.pop()
                continue
            if op.type in _PLACEHOLDERS:
                raise ValueError(f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value.")
            if op_schema(op.type)["is_stateful"] and op.type not in _STATELESS_IN_TF1 and not _is_dataset(op):
                raise ValueError(_stateful(op))
            for function in _functions_of(op):
                for variable in function.graph.captured_variables:
                    raise ValueError(_stateful(variable))
            missing = [t for t in op.inputs if t not in self._captured]
            if missing:
                stack += missing
                continue
            with self.control_dependencies(None):
                copy = copy_operation(self, op, [self._captured[t] for t in op.inputs])
            self._captured.update(zip(op.outputs, copy.outputs, strict=True))
        return self._captured[tensor]


def _copied_from(tensor: Tensor, source: Tensor) -> bool:
    """Returns True if two tensors are the same, or only copies and reads lie between them."""
    while tensor is not source and tensor.op.type in ("Identity", "ReadVariableOp"):
        tensor = tensor.op.inputs[0]
    return tensor is source


def _is_dataset(op: Operation) -> bool:
    """True if it describes elements: a copy of it is as good."""
    return [t.dtype for t in op.outputs] == [dtypes.variant]


def _has_effects(op: Operation) -> bool:
    """True if an operation must run though no result needs it. Calls that TensorFlow names stateless need not."""
    schema = op_schema(op.type)
    return bool(
        schema["is_stateful"] or (schema["has_effects"] and not any(a["type"] == "func" for a in schema["attrs"]))
    )


def _functions_of(op: Operation) -> list[Function]:
    """Returns the functions of the program that an operation calls."""
    known = (graphs_around(op.graph) or [op.graph])[-1].functions
    names = [op.get_attr(a["name"]).name for a in op_schema(op.type)["attrs"] if a["type"] == "func"]
    return [known[name] for name in names if name in known]


def graphs_around(graph: Graph) -> list[Graph]:
    """Returns the graphs that a function's body lies in, from the inside out."""
    around = []
    outer: Any = getattr(graph, "outer_graph", None)
    while outer is not None:
        around.append(outer)
        outer = getattr(outer, "outer_graph", None)
    return around


def _variable_of(tensor: Tensor) -> Operation | None:
    """Returns the variable that a tensor is, or that it reads."""
    op = tensor.op
    while op.type == "Identity":
        source = op.inputs[0]
        if not source.dtype._is_ref_dtype and source.op.type != "Identity":
            return None
        op = source.op
    return op if op.type in _VARIABLES else None


class Function:
    """A function of tensors, in the library of the outer graph.

    Args:
        name: first part of its name.
        graph: its body.
        arguments: tensors of the body that callers give.
        results: tensors of the body.
    """

    def __init__(self, name: str, graph: FunctionGraph, arguments: list[Tensor], results: list[Tensor]) -> None:
        outer = graph.outer_graph
        if isinstance(outer, FunctionGraph):
            outer.captured_variables += graph.captured_variables
        self._register(name, graph, [*arguments, *graph.captured_arguments], results, _effects(graph))

    def _register(
        self, name: str, graph: FunctionGraph, arguments: list[Tensor], results: list[Tensor], effects: list[Operation]
    ) -> None:
        """Adds the function to the library."""
        self.graph = graph
        self.results = results
        self.all_arguments = arguments
        # Operations that run though no result needs them.
        self.effects = effects
        root = graphs_around(graph)[-1]
        self.name = root.add_function(name, self)
        root._core.add_function(self.name, graph._core, arguments, results, effects)

    @property
    def operations(self) -> list[Operation]:
        """The operations of the body, without those that represent arguments."""
        arguments = {t.op for t in self.all_arguments}
        return [op for op in self.graph.get_operations() if op not in arguments]

    @staticmethod
    def traced(
        name: str,
        function: Callable[..., Sequence[Any]],
        dtypes: Sequence[Any],
        shapes: Sequence[Any],
        graph: Graph,
        capture_by_value: bool = False,
        counts_functional_flow: bool = False,
    ) -> Function:
        """Returns the function that a Python function describes.

        Args:
            name: first part of its name.
            function: called once, with one tensor for each argument; returns the list of results.
            dtypes: of the arguments.
            shapes: of the arguments.
            graph: the graph that calls it.
            capture_by_value: refuses to take anything but constants from around.
            counts_functional_flow: If True, a conditional or loop counts as one operation for the seeds that follow.

        Raises:
            ValueError: if a value from outside cannot be captured; errors of `function` pass through.
        """
        body = FunctionGraph(graph, capture_by_value)
        body.counts_functional_flow = counts_functional_flow
        with body.as_default():
            arguments = [
                body.argument(dtype, shape, f"arg{i}")
                for i, (dtype, shape) in enumerate(zip(dtypes, shapes, strict=True))
            ]
            results = [body.capture(convert_to_tensor(r)) for r in function(*arguments)]
        return Function(name, body, arguments, results)

    def to_function_def(self) -> Any:
        """Returns the FunctionDef message."""
        return to_function_def(self)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors around that the caller hands over behind the arguments.

        Raises:
            ValueError: if the caller is to depend on no variable, and the function does.
        """
        around: Any = default_stacks.default_graph_stack.get_function()
        if around is not None and around.refuses_state:
            for op in self.graph.captured_variables:
                raise ValueError(_stateful(op))
        return list(self.graph.captured_inputs)


class FunctionPart(Function):
    """A part of a function's body as a function of its own.

    Args:
        name: first part of its name.
        graph: the whole body. Of the arguments for tensors around it, the part has those that it needs.
        arguments: tensors at which the part begins: callers give their values.
        results: tensors at which it ends.
        effects: operations of the part that run though no result needs them.
    """

    def __init__(
        self,
        name: str,
        graph: FunctionGraph,
        arguments: list[Tensor],
        results: list[Tensor],
        effects: Sequence[Operation] = (),
    ) -> None:
        around = dict(zip(graph.captured_arguments, graph.captured_inputs, strict=True))
        needed = _between(graph, arguments, [*(t.op for t in results if t not in arguments), *effects])
        captured = [t for op in needed for t in op.outputs if t in around]
        self._captured = [around[t] for t in captured]
        self._operations = [op for op in needed if op.type not in _PLACEHOLDERS]
        self._register(name, graph, [*arguments, *captured], results, list(effects))

    @property
    def operations(self) -> list[Operation]:
        """The operations of the part, in the order of the body."""
        return self._operations

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors around that the caller hands over behind the arguments."""
        return list(self._captured)


def _between(graph: FunctionGraph, arguments: Sequence[Tensor], ends: Sequence[Operation]) -> list[Operation]:
    """Returns the operations that `ends` need, up to the arguments."""
    given = set(arguments)
    found: set[Operation] = set()
    stack = list(ends)
    while stack:
        op = stack.pop()
        if op not in found:
            found.add(op)
            stack += [t.op for t in op.inputs if t not in given]
            stack += op.control_inputs
    return [op for op in graph.get_operations() if op in found]


def _effects(graph: FunctionGraph) -> list[Operation]:
    """Returns operations with effects that no result needs. Those in branches and loops run where these run."""
    return [
        op
        for op in graph.get_operations()
        if flow_context(op) is None and op.type not in (*_VARIABLES, *_PLACEHOLDERS) and _has_effects(op)
    ]


def _stateful(op: Operation) -> str:
    return f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value."
