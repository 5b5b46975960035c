"""Gradients of calls, and of conditionals with functions as branches: calls of functions that compute the gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ferroflow._src.autodiff.call_derivative import (
    Key,
    OnePerKey,
    derivatives,
    flat_gradient,
    has_gradient,
    inlined,
    outermost,
    packed_gradient,
)
from ferroflow._src.autodiff.differentiable import is_of_whole_numbers, whole_numbers
from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.autodiff.terms import densified, value_shape, zeros_like
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.function import Function
from ferroflow._src.framework.function_calls import set_gradient_maker
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.handles import Operation, Tensor, add_outputs, set_attr
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.ops.array.making import identity


class _Backward(NamedTuple):
    """The function of a function's gradients, which computes the function again.

    Its arguments are those of the forward function and the given gradients.

    Attributes:
        name: str; None if no argument has a gradient.
        is_stateful: bool; True if its body has stateful operations.
        returned: for each argument of the forward function, the number of Tensors of its gradient.
    """

    name: str | None
    is_stateful: bool
    returned: tuple[int, ...]


class _ConstantError(Exception):
    """Ends the construction of a function without results."""


def _constructed(root: Any, key: Key) -> _Backward:
    """Adds the function of a function's gradients to the graph."""
    function = root.functions[key.function]
    arguments = function.all_arguments
    arriving = [y for y, given in zip(function.results, key.given, strict=True) if given]
    returned: tuple[int, ...] = (0,) * len(arguments)

    def body(*values: Tensor) -> list[Any]:
        nonlocal returned
        own = [identity(x) for x in values[: len(arguments)]]
        outputs = [y for y, given in zip(inlined(function, own)[0], key.given, strict=True) if given]
        with whole_numbers(key.of_whole_numbers):
            found = gradients(outputs, own, list(values[len(arguments) :])) if outputs else []
        flat = [flat_gradient(g) for g in found]
        returned = tuple(len(tensors) for tensors in flat) or returned
        if not any(returned):
            raise _ConstantError
        return [t for tensors in flat for t in tensors]

    tensors = [*arguments, *arriving]
    try:
        made = Function.traced(
            f"{key.function}_gradient", body, [t.dtype for t in tensors], [t.get_shape() for t in tensors], root
        )
    except _ConstantError:
        return _Backward(None, False, (0,) * len(arguments))
    is_stateful = any(op_schema(op.type)["is_stateful"] for op in made.graph.get_operations())
    return _Backward(made.name, is_stateful, returned)


_backward = OnePerKey(_constructed)


def _given(results: Sequence[Tensor], grads: Sequence[Any]) -> tuple[bool, ...]:
    return tuple(g is not None and has_gradient(y) for y, g in zip(results, grads, strict=True))


def _called(
    root: Any,
    name: str,
    is_stateful: bool,
    arguments: Sequence[Tensor],
    inputs: Sequence[Tensor],
    counts: Sequence[int],
) -> list[Any]:
    """Returns the gradients of `inputs` that a function computes, of as many tensors each as `counts` lists."""
    results = root.functions[name].results
    call = apply_op(
        "StatefulPartitionedCall" if is_stateful else "PartitionedCall",
        [list(arguments)],
        {"f": name, "Tout": [t.dtype.base_dtype for t in results]},
    )
    for output, result in zip(call.outputs, results, strict=True):
        output.set_shape(result.get_shape())
    found = iter(call.outputs)
    by_input = [packed_gradient([next(found) for _ in range(count)]) for count in counts]
    for x, gradient in zip(inputs, by_input, strict=True):
        if isinstance(gradient, Tensor):
            gradient.set_shape(value_shape(x))
    return by_input


def _through(root: Any, name: str, inputs: Sequence[Tensor], grads: Sequence[Any]) -> list[Any]:
    """Returns the gradients of a function's arguments; the function is computed again."""
    given = _given(root.functions[name].results, grads)
    backward: _Backward = _backward.get(root, Key(name, given, is_of_whole_numbers()))
    if backward.name is None:
        return [None] * len(inputs)
    arriving = [densified(g) for g, is_given in zip(grads, given, strict=True) if is_given]
    return _called(root, backward.name, backward.is_stateful, [*inputs, *arriving], inputs, backward.returned)


@RegisterGradient("PartitionedCall")
@RegisterGradient("StatefulPartitionedCall")
def _call(op: Operation, *grads: Any) -> list[Any]:
    root = outermost(op.graph)
    name = op.get_attr("f").name
    derivative = derivatives.get(root, Key(name, _given(root.functions[name].results, grads), is_of_whole_numbers()))
    if derivative.backward is None:
        return [None] * len(op.inputs)
    if derivative.more:
        results = root.functions[derivative.forward].results
        set_attr(op, "f", derivative.forward)
        set_attr(op, "Tout", [t.dtype.base_dtype for t in results])
        add_outputs(op, [t.dtype.base_dtype for t in derivative.more], [t.get_shape() for t in derivative.more])
    values = {
        "gradient": [None if g is None else densified(g) for g in grads],
        "argument": op.inputs,
        "result": op.outputs,
    }
    arguments = [values[kind][place] for kind, place in derivative.sources]
    return _called(
        root,
        derivative.backward.name,
        derivative.is_stateful,
        [*arguments, *derivative.backward.captured_inputs],
        list(op.inputs),
        derivative.returned,
    )


@RegisterGradient("RemoteCall")
def _remote_call(op: Operation, *grads: Any) -> list[Any]:
    return [None, *_through(outermost(op.graph), op.get_attr("f").name, op.inputs[1:], grads)]


@RegisterGradient("If")
@RegisterGradient("StatelessIf")
def _if(op: Operation, *grads: Any) -> list[Any]:
    root = outermost(op.graph)
    inputs = list(op.inputs[1:])
    floats = [i for i, x in enumerate(inputs) if has_gradient(x)]

    def branch(name: str) -> list[Any]:
        found = _through(root, op.get_attr(name).name, inputs, grads)
        return [zeros_like(inputs[i]) if found[i] is None else identity(densified(found[i])) for i in floats]

    pred = op.inputs[0]
    if pred.dtype.base_dtype.name != "bool":
        pred = tensor_op("NotEqual", [pred, zeros_like(pred)])
    made = cond(pred, lambda: branch("then_branch"), lambda: branch("else_branch"), strict=True)
    result: list[Any] = [None] * (len(inputs) + 1)
    for i, gradient in zip(floats, made, strict=True):
        result[i + 1] = gradient
    return result


def _gradient_function(graph: Any, name: str) -> str:
    """Adds the function of a function's gradients to a graph; returns its name.

    TF 1.x: whole numbers carry gradients here, which they do not in `tf.gradients`.
    """
    function = graph.functions[name]
    count = len(function.all_arguments)

    def body(*values: Tensor) -> list[Tensor]:
        inputs, grads = list(values[:count]), list(values[count:])
        with whole_numbers(True):
            found = _through(graph, name, inputs, grads)
        return [zeros_like(x) if g is None else densified(g) for x, g in zip(inputs, found, strict=True)]

    tensors = [*function.all_arguments, *function.results]
    types, shapes = [t.dtype for t in tensors], [t.get_shape() for t in tensors]
    with graph.as_default():
        return Function.traced(f"{name}_gradient", body, types, shapes, graph).name


set_gradient_maker(_gradient_function)
