"""Gradients of calls, and of conditionals with functions as branches: those of the functions' bodies."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.autodiff.terms import zeros_like
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.function import Function, graphs_around
from ferroflow._src.framework.function_calls import set_gradient_maker
from ferroflow._src.framework.function_def import body_of
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.ops.array.making import identity


def _root(graph: Any) -> Any:
    return [graph, *graphs_around(graph)][-1]


def _inlined(function: Any, inputs: list[Tensor]) -> list[Tensor]:
    """Returns the results of a function whose body is added to the default graph."""
    nodes, arguments, results = body_of(function.to_function_def())
    given = {f"{name}:0": tensor for name, tensor in zip(arguments, inputs, strict=True)}
    return import_graph_def(nodes, input_map=given, return_elements=results, name=function.name) or []


def _through(function: Any, inputs: list[Tensor], grads: list[Any]) -> list[Any]:
    """Returns the gradients of a function's arguments; the function is computed again."""
    own = [identity(x) for x in inputs]
    outputs = _inlined(function, own)
    pairs = [(y, g) for y, g in zip(outputs, grads, strict=True) if g is not None and y.dtype.is_floating]
    if not pairs:
        return [None] * len(inputs)
    return gradients([y for y, _ in pairs], own, [g for _, g in pairs])


@RegisterGradient("PartitionedCall")
@RegisterGradient("StatefulPartitionedCall")
def _call(op: Operation, *grads: Any) -> list[Any]:
    function = _root(op.graph).functions[op.get_attr("f").name]
    return _through(function, list(op.inputs), list(grads))


@RegisterGradient("RemoteCall")
def _remote_call(op: Operation, *grads: Any) -> list[Any]:
    function = _root(op.graph).functions[op.get_attr("f").name]
    return [None, *_through(function, list(op.inputs[1:]), list(grads))]


@RegisterGradient("If")
@RegisterGradient("StatelessIf")
def _if(op: Operation, *grads: Any) -> list[Any]:
    functions = _root(op.graph).functions
    inputs = list(op.inputs[1:])
    floats = [i for i, x in enumerate(inputs) if x.dtype.is_floating]

    def branch(name: str) -> list[Any]:
        found = _through(functions[op.get_attr(name).name], inputs, list(grads))
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
        found = _through(function, inputs, grads)
        return [zeros_like(x) if g is None else g for x, g in zip(inputs, found, strict=True)]

    tensors = [*function.all_arguments, *function.results]
    types, shapes = [t.dtype for t in tensors], [t.get_shape() for t in tensors]
    with graph.as_default():
        return Function.traced(f"{name}_gradient", body, types, shapes, graph).name


set_gradient_maker(_gradient_function)
