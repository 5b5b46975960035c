"""Derivatives of functions in a graph's library: the function with more results, and one that computes its gradients.

The gradients of a call need values from inside the function. The call therefore calls another function, which returns
these values too. Nothing is computed twice: effects occur once, and random numbers are those of the forward pass.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ferroflow._src.autodiff.differentiable import carries_gradient, whole_numbers
from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.control_flow.loop import WhileContext
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.function import FunctionGraph, FunctionPart, graphs_around
from ferroflow._src.framework.function_def import body_of, to_function_def
from ferroflow._src.framework.handles import Operation, Tensor, flow_context
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.framework.per_graph import PerGraph
from ferroflow._src.ops.array.making import identity

# Stateful ops that may be computed again: they have no effect.
_REPEATABLE = ("ReadVariableOp", "VarHandleOp", "VariableV2", "Placeholder")
_SWITCHES = ("Switch", "RefSwitch")


class Key(NamedTuple):
    """Which gradients a function computes.

    Attributes:
        function: str, the name of the forward function.
        given: tuple of bools: for each result of it, True if its gradient is an argument.
        of_whole_numbers: bool; True if whole numbers carry gradients.
    """

    function: str
    given: tuple[bool, ...]
    of_whole_numbers: bool


class Source(NamedTuple):
    """The origin of an argument of the backward function.

    Attributes:
        kind: "gradient" of a result, "argument" or "result" of the forward function.
        place: int, its position.
    """

    kind: str
    place: int


class Derivative(NamedTuple):
    """The functions of a derivative.

    Attributes:
        forward: str, the function that returns the results and the values that the gradients need.
        more: the Tensors in its body behind the results.
        backward: the function that computes the gradients; None if no argument has a gradient.
        is_stateful: bool; True if the backward function has stateful operations.
        sources: the Source of each argument of the backward function.
        returned: for each argument, the number of Tensors of its gradient: 0 for none, 1 for a Tensor, more for
            IndexedSlices.
    """

    forward: str
    more: list[Tensor]
    backward: FunctionPart | None
    is_stateful: bool
    sources: list[Source]
    returned: tuple[int, ...]


def has_gradient(tensor: Tensor) -> bool:
    """Returns True for a tensor of a dtype that carries gradients."""
    return carries_gradient(tensor.dtype.base_dtype)


def inlined(function: Any, inputs: Sequence[Tensor]) -> tuple[list[Tensor], list[Operation]]:
    """Adds the body of a function to the default graph.

    Args:
        function: the function.
        inputs: list of Tensors, its arguments.

    Returns:
        (list of Tensors, its results; list of Operations, its effects).
    """
    nodes, arguments, results = body_of(function.to_function_def())
    _colocate_inside(nodes)
    given = {f"{name}:0": tensor for name, tensor in zip(arguments, inputs, strict=True)}
    wanted = [*results, *(op.name for op in function.effects)]
    found = import_graph_def(nodes, input_map=given, return_elements=wanted, name=function.name.lstrip("_")) or []
    return found[: len(results)], found[len(results) :]


def _colocate_inside(body: Any) -> None:
    """Removes colocations with nodes outside a function's body, such as a variable whose handle is an argument."""
    inside = {f"loc:@{node.name}".encode() for node in body.node}
    for node in body.node:
        if "_class" in node.attr:
            classes = node.attr["_class"].list
            classes.s[:] = [each for each in classes.s if each in inside or not each.startswith(b"loc:@")]


class _UnknownError(Exception):
    """Ends the construction of a function which calls one that must be made before."""

    def __init__(self, key: Any) -> None:
        super().__init__(str(key))
        self.key = key


class OnePerKey:
    """Functions that are made once for each key of a graph, after those that they call, to any depth.

    Args:
        make: function of the outermost graph and a key. If it needs the result for another key, it calls `get`.
    """

    def __init__(self, make: Callable[[Any, Any], Any]) -> None:
        self._make = make
        self._made: PerGraph[dict[Any, Any]] = PerGraph()
        self._local = threading.local()

    def get(self, root: Any, key: Any) -> Any:
        """Returns the result for a key, which is made if the graph lacks it.

        Args:
            root: the outermost graph, a `tf.Graph`.
            key: tuple, the first element the name of a function.

        Raises:
            NotImplementedError: if the function calls itself.
        """
        made = self._made.get(root)
        if made is None:
            made = self._made[root] = {}
        if key in made:
            return made[key]
        if getattr(self._local, "is_under_way", False):
            raise _UnknownError(key)
        waiting = {key: None}
        self._local.is_under_way = True
        try:
            while waiting:
                last = next(reversed(waiting))
                try:
                    made[last] = self._make(root, last)
                    del waiting[last]
                except _UnknownError as unknown:
                    if unknown.key in waiting:
                        raise NotImplementedError(
                            f"Function {unknown.key[0]} calls itself, so it has no gradient. Use tf.while_loop instead."
                        ) from None
                    waiting[unknown.key] = None
        finally:
            self._local.is_under_way = False
        return made[key]


def outermost(graph: Any) -> Any:
    """Returns the graph that a graph, which may be a function's body, is in."""
    return [graph, *graphs_around(graph)][-1]


def flat_gradient(gradient: Any) -> list[Tensor]:
    """Returns the Tensors of a gradient: none of None, two or three of IndexedSlices."""
    if gradient is None:
        return []
    if isinstance(gradient, IndexedSlices):
        shape = [] if gradient.dense_shape is None else [gradient.dense_shape]
        return [gradient.values, gradient.indices, *shape]
    return [gradient]


def packed_gradient(tensors: Sequence[Tensor]) -> Any:
    """Returns the gradient of which `flat_gradient` returned the Tensors."""
    if not tensors:
        return None
    return tensors[0] if len(tensors) == 1 else IndexedSlices(*tensors)


def _make(root: Any, key: Key) -> Derivative:
    """Adds the functions of a derivative to the library: both are parts of one body."""
    function = root.functions[key.function]
    body = FunctionGraph(function.graph.outer_graph)
    with body.as_default():
        arguments = [body.argument(t.dtype, t.get_shape(), f"arg{i}") for i, t in enumerate(function.all_arguments)]
        results, effects = inlined(function, arguments)
        forward = set(body.get_operations())
        given = [i for i, is_given in enumerate(key.given) if is_given]
        arriving = [body.argument(results[i].dtype, results[i].get_shape(), f"grad{i}") for i in given]
        with whole_numbers(key.of_whole_numbers):
            found = gradients([results[i] for i in given], arguments, arriving) if given else []
        flat = [flat_gradient(g) for g in found] or [[] for _ in arguments]
        ends = [identity(t) for tensors in flat for t in tensors]
    returned = tuple(len(tensors) for tensors in flat)
    if not any(returned):
        return Derivative(key.function, [], None, False, [], returned)
    places = {
        **{t: Source("gradient", i) for i, t in zip(given, arriving, strict=True)},
        **{t: Source("result", i) for i, t in reversed(list(enumerate(results)))},
        **{t: Source("argument", i) for i, t in enumerate(arguments)},
    }
    cut, needed = _cut(ends, forward, {*body.captured_arguments, *arriving})
    more = [t for t in cut if t not in places]
    sources = [places.get(t) or Source("result", len(results) + more.index(t)) for t in cut]
    cut += arriving
    sources += [places[t] for t in arriving]
    forward_name = key.function
    if more:
        forward_name = FunctionPart(f"__forward_{key.function}", body, arguments, [*results, *more], effects).name
    backward_name = f"__backward_{key.function}"
    if any(c in forward and c not in needed for op in needed for c in op.control_inputs):
        backward = _apart(backward_name, body, cut, ends, needed)
    else:
        backward = FunctionPart(backward_name, body, cut, ends)
    is_stateful = any(op_schema(op.type)["is_stateful"] for op in backward.operations)
    return Derivative(forward_name, more, backward, is_stateful, sources, returned)


def _cut(ends: Sequence[Tensor], forward: set[Operation], given: set[Tensor]) -> tuple[list[Tensor], set[Operation]]:
    """Divides a body into its forward part and what computes the ends.

    Constants that wait for nothing, and what belongs to a conditional, are in both parts: its values may be missing.

    Returns:
        (the tensors of the forward part that the ends are computed from; the operations of the other part).

    Raises:
        NotImplementedError: if an operation in a branch has effects or is random.
    """
    loops = {c for op in forward if isinstance(c := flow_context(op), WhileContext)}
    found: dict[Tensor, None] = {}
    seen: set[Operation] = set()
    stack = [t.op for t in ends]
    while stack:
        op = stack.pop()
        if op in seen:
            continue
        seen.add(op)
        stack += [c for c in op.control_inputs if c not in forward or _is_pivot(c)]
        for tensor in op.inputs:
            source = tensor.op
            if tensor in given:
                continue
            leaves_loop = source.type == "Exit" and flow_context(source.inputs[0].op) in loops
            if source not in forward and not leaves_loop:
                stack.append(source)
            elif _is_in_both(source):
                _check_repeatable(source)
                stack.append(source)
            else:
                found[tensor] = None
    return list(found), seen


def _is_in_both(op: Operation) -> bool:
    """Returns True for an operation that the forward part of a body computes and the backward part computes again."""
    is_free_constant = op.type == "Const" and not op.control_inputs
    return is_free_constant or flow_context(op) is not None or op.type in _SWITCHES or _is_pivot(op)


def _is_pivot(op: Operation) -> bool:
    """Returns True for an operation that runs in one branch of a conditional, and orders others after its predicate."""
    return op.type == "Identity" and op.inputs[0].op.type in _SWITCHES


@dataclasses.dataclass
class _Nodes:
    """Operations of a body that are no function of the library.

    Attributes:
        name: str, prefix of the names of copies.
        operations: list of Operations, in the order of the body.
        all_arguments: list of Tensors at which they begin.
        results: list of Tensors at which they end.
        graph: the body.
        effects: list of Operations that run though no result needs them.
    """

    name: str
    graph: FunctionGraph
    operations: list[Operation]
    all_arguments: list[Tensor]
    results: list[Tensor]
    effects: Sequence[Operation] = ()

    def to_function_def(self) -> Any:
        return to_function_def(self)


def _apart(
    name: str, body: FunctionGraph, cut: Sequence[Tensor], ends: list[Tensor], needed: set[Operation]
) -> FunctionPart:
    """Returns a function of copies of operations, which do not wait for the effects in the body that they are from.

    Args:
        name: str, first part of the function's name.
        body: the body.
        cut: list of Tensors, the arguments.
        ends: list of Tensors, the results.
        needed: the operations that compute them.
    """
    around = dict(zip(body.captured_arguments, body.captured_inputs, strict=True))
    captured = [t for op in body.get_operations() if op in needed for t in op.outputs if t in around]
    begin = {t.op for t in (*cut, *captured)}
    operations = [op for op in body.get_operations() if op in needed and op not in begin]
    copies = FunctionGraph(body.outer_graph)
    with copies.as_default():
        arguments = [copies.argument(t.dtype, t.get_shape(), t.op.name) for t in cut]
        inputs = [*arguments, *(copies.capture(around[t]) for t in captured)]
        results, _ = inlined(_Nodes(name, body, operations, [*cut, *captured], ends), inputs)
    return FunctionPart(name, copies, arguments, results)


def _check_repeatable(op: Operation) -> None:
    if op_schema(op.type)["is_stateful"] and op.type not in _REPEATABLE:
        raise NotImplementedError(
            f"The gradient of a function needs the value of '{op.name}' (op type: {op.type}) in a branch of a "
            "conditional. Compute it before the conditional, or outside of the function."
        )


derivatives = OnePerKey(_make)
