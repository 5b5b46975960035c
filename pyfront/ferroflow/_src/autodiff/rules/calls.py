"""Gradients of calls, and of conditionals with functions as branches: calls of functions that compute the gradients."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.autodiff.terms import zeros_like
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.function import Function, graphs_around
from ferroflow._src.framework.function_calls import set_gradient_maker
from ferroflow._src.framework.function_def import body_of
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.framework.per_graph import PerGraph
from ferroflow._src.ops.array.making import identity


class _Key(NamedTuple):
    """Which gradients a function computes.

    Attributes:
        function: str, the name of the forward function.
        given: for each result of it, whether its gradient is an argument.
    """

    function: str
    given: tuple[bool, ...]


class _Backward(NamedTuple):
    """The function of a function's gradients; its arguments are those of the forward function and the given gradients.

    Attributes:
        name: str; None if no argument has a gradient.
        is_stateful: bool; True if its body has stateful operations.
        returned: for each argument of the forward function, whether its gradient is a result.
    """

    name: str | None
    is_stateful: bool
    returned: tuple[bool, ...]


class _UnknownError(Exception):
    """Ends the construction of a function which calls one that must be made before."""

    def __init__(self, key: _Key) -> None:
        super().__init__(key.function)
        self.key = key


class _ConstantError(Exception):
    """Ends the construction of a function without results."""


class _Construction(threading.local):
    def __init__(self) -> None:
        super().__init__()
        self.is_under_way = False


_construction = _Construction()
_made: PerGraph[dict[_Key, _Backward]] = PerGraph()


def _root(graph: Any) -> Any:
    return [graph, *graphs_around(graph)][-1]


def _has_gradient(tensor: Tensor) -> bool:
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_complex


def _inlined(function: Any, inputs: list[Tensor]) -> list[Tensor]:
    """Returns the results of a function whose body is added to the default graph."""
    nodes, arguments, results = body_of(function.to_function_def())
    given = {f"{name}:0": tensor for name, tensor in zip(arguments, inputs, strict=True)}
    return import_graph_def(nodes, input_map=given, return_elements=results, name=function.name) or []


def _constructed(root: Any, key: _Key) -> _Backward:
    """Adds the function of a function's gradients to the graph.

    Raises:
        _UnknownError: if the gradient of a function that the body calls is not made yet.
    """
    function = root.functions[key.function]
    arguments = function.all_arguments
    arriving = [y for y, given in zip(function.results, key.given, strict=True) if given]
    returned: tuple[bool, ...] = (False,) * len(arguments)

    def body(*values: Tensor) -> list[Any]:
        nonlocal returned
        own = [identity(x) for x in values[: len(arguments)]]
        outputs = [y for y, given in zip(_inlined(function, own), key.given, strict=True) if given]
        found = gradients(outputs, own, list(values[len(arguments) :])) if outputs else []
        returned = tuple(g is not None for g in found)
        if not any(returned):
            raise _ConstantError
        return [g for g in found if g is not None]

    tensors = [*arguments, *arriving]
    try:
        made = Function.traced(
            f"{key.function}_gradient", body, [t.dtype for t in tensors], [t.get_shape() for t in tensors], root
        )
    except _ConstantError:
        return _Backward(None, False, (False,) * len(arguments))
    is_stateful = any(op_schema(op.type)["is_stateful"] for op in made.graph.get_operations())
    return _Backward(made.name, is_stateful, returned)


def _backward(root: Any, key: _Key) -> _Backward:
    """Returns the function of a function's gradients, which is made if the graph lacks it.

    The functions that it calls are made before it, one after the other: each may call another, to any depth.

    Raises:
        NotImplementedError: if the function calls itself.
    """
    made = _made.get(root)
    if made is None:
        made = _made[root] = {}
    if key in made:
        return made[key]
    if _construction.is_under_way:
        raise _UnknownError(key)
    waiting = {key: None}
    _construction.is_under_way = True
    try:
        while waiting:
            last = next(reversed(waiting))
            try:
                made[last] = _constructed(root, last)
                del waiting[last]
            except _UnknownError as unknown:
                if unknown.key in waiting:
                    raise NotImplementedError(
                        f"Function {unknown.key.function} calls itself, and has no gradient therefore."
                    ) from None
                waiting[unknown.key] = None
    finally:
        _construction.is_under_way = False
    return made[key]


def _through(root: Any, name: str, inputs: Sequence[Tensor], grads: Sequence[Any]) -> list[Any]:
    """Returns the gradients of a function's arguments; the function is computed again."""
    results = root.functions[name].results
    given = tuple(g is not None and _has_gradient(y) for y, g in zip(results, grads, strict=True))
    backward = _backward(root, _Key(name, given))
    if backward.name is None:
        return [None] * len(inputs)
    arriving = [g for g, is_given in zip(grads, given, strict=True) if is_given]
    sources = [x for x, is_returned in zip(inputs, backward.returned, strict=True) if is_returned]
    call = apply_op(
        "StatefulPartitionedCall" if backward.is_stateful else "PartitionedCall",
        [[*inputs, *arriving]],
        {"f": backward.name, "Tout": [x.dtype.base_dtype for x in sources]},
    )
    found = iter(call.outputs)
    by_input: list[Any] = [next(found) if is_returned else None for is_returned in backward.returned]
    for x, gradient in zip(inputs, by_input, strict=True):
        if gradient is not None:
            gradient.set_shape(x.get_shape())
    return by_input


@RegisterGradient("PartitionedCall")
@RegisterGradient("StatefulPartitionedCall")
def _call(op: Operation, *grads: Any) -> list[Any]:
    return _through(_root(op.graph), op.get_attr("f").name, op.inputs, grads)


@RegisterGradient("RemoteCall")
def _remote_call(op: Operation, *grads: Any) -> list[Any]:
    return [None, *_through(_root(op.graph), op.get_attr("f").name, op.inputs[1:], grads)]


@RegisterGradient("If")
@RegisterGradient("StatelessIf")
def _if(op: Operation, *grads: Any) -> list[Any]:
    root = _root(op.graph)
    inputs = list(op.inputs[1:])
    floats = [i for i, x in enumerate(inputs) if _has_gradient(x)]

    def branch(name: str) -> list[Any]:
        found = _through(root, op.get_attr(name).name, inputs, grads)
        return [zeros_like(inputs[i]) if found[i] is None else identity(found[i]) for i in floats]

    pred = op.inputs[0]
    if pred.dtype.base_dtype.name != "bool":
        pred = tensor_op("NotEqual", [pred, zeros_like(pred)])
    made = cond(pred, lambda: branch("then_branch"), lambda: branch("else_branch"), strict=True)
    result: list[Any] = [None] * (len(inputs) + 1)
    for i, gradient in zip(floats, made, strict=True):
        result[i + 1] = gradient
    return result


def _gradient_function(graph: Any, name: str) -> str:
    """Adds the function of a function's gradients to a graph; returns its name."""
    function = graph.functions[name]
    count = len(function.all_arguments)

    def body(*values: Tensor) -> list[Tensor]:
        inputs, grads = list(values[:count]), list(values[count:])
        found = _through(graph, name, inputs, grads)
        return [zeros_like(x) if g is None else g for x, g in zip(inputs, found, strict=True)]

    tensors = [*function.all_arguments, *function.results]
    types, shapes = [t.dtype for t in tensors], [t.get_shape() for t in tensors]
    with graph.as_default():
        return Function.traced(f"{name}_gradient", body, types, shapes, graph).name


set_gradient_maker(_gradient_function)
