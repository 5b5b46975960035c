"""Gradients of loops: a loop that runs the iterations backwards, over values that the forward loop kept in lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.autodiff.backward_pass import BackwardPass
from ferroflow._src.autodiff.differentiable import carries_gradient, is_of_whole_numbers
from ferroflow._src.autodiff.regions import Reads, loop_variables_around, register_region
from ferroflow._src.autodiff.terms import concat, densified, part, shape, value_dtype, value_shape, zeros_like
from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.control_flow.conditional import CondContext
from ferroflow._src.control_flow.context import ControlFlowContext, made_in
from ferroflow._src.control_flow.loop import LoopVariable, WhileContext, is_constant_enter
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.gradient_registry import NotDifferentiable, RegisterGradient
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor, flow_context, node_of
from ferroflow._src.ops.tensor_array import TensorArray

NotDifferentiable("TensorListLength")


def _any_shape() -> Tensor:
    return constant(-1, dtype=dtypes.int32, name="element_shape")


def empty_list(dtype: dtypes.DType) -> Tensor:
    """Returns a list of tensors of one type, variant scalar."""
    unlimited = constant(-1, dtype=dtypes.int32, name="max_num_elements")
    return tensor_op("EmptyTensorList", [_any_shape(), unlimited], {"element_dtype": dtype})


def pushed(values: Tensor, element: Tensor) -> Tensor:
    """Returns the list with one more element."""
    return tensor_op("TensorListPushBack", [values, element])


def popped(values: Tensor, dtype: dtypes.DType) -> tuple[Tensor, Tensor]:
    """Returns (the list without its last element, that element)."""
    op = apply_op("TensorListPopBack", [values, _any_shape()], {"element_dtype": dtype})
    return op.outputs[0], op.outputs[1]


@RegisterGradient("TensorListPushBack")
def _push_back_gradient(op: Operation, gradient: Tensor) -> list[Any]:
    if not carries(op.inputs[1]):
        return [None, None]
    rest, element = popped(gradient, op.inputs[1].dtype.base_dtype)
    element.set_shape(op.inputs[1].shape)
    return [rest, element]


@RegisterGradient("TensorListPopBack")
def _pop_back_gradient(op: Operation, rest: Any, element: Any) -> list[Any]:
    if not carries(op.outputs[1]):
        return [None, None]
    if rest is None:
        rest = tensor_op("ZerosLike", [op.outputs[0]])
    if element is None:
        element = zeros_like(op.outputs[1])
    return [pushed(rest, densified(element)), None]


def recalled_constant(tensor: Tensor) -> Tensor | None:
    """Returns a constant like `tensor`, if that is one."""
    if tensor.op.type != "Const":
        return None
    return constant(constant_value(tensor), dtype=tensor.dtype.base_dtype)


def at_level_of(context: Any, tensor: Tensor) -> Tensor:
    """Returns a tensor of a branch in `context` as one of `context` itself."""
    inner = flow_context(tensor.op)
    while inner is not context:
        if not isinstance(inner, CondContext):
            raise NotImplementedError(
                f"The gradient of a loop needs '{tensor.name}', a value of a loop inside of it. Make that value a loop "
                "variable of the inner loop."
            )
        tensor, inner = inner.export(tensor), inner.outer_context
    return tensor


def brought_in(context: ControlFlowContext, gradient: Any) -> Any:
    """Returns a gradient as a branch or loop has it: its static shape is that of what is computed there."""
    if isinstance(gradient, IndexedSlices):
        parts = (gradient.values, gradient.indices, gradient.dense_shape)
        return IndexedSlices(*(None if t is None else context.capture(t) for t in parts))
    return context.capture(gradient)


class GradientLoop(WhileContext):
    """The loop that runs the iterations of a `forward` loop backwards."""

    def __init__(self, forward: WhileContext) -> None:
        super().__init__(forward.parallel_iterations, forward.back_prop, forward.swap_memory)
        self._forward = forward

    def _recall(self, tensor: Tensor) -> Tensor:
        forward = self._forward
        assert isinstance(forward, WhileContext)
        tensor = at_level_of(forward, tensor)
        if is_constant_enter(tensor.op):
            return self.capture(tensor.op.inputs[0])
        graph = self._graph
        with made_in(graph, self):
            same = recalled_constant(tensor)
        if same is not None:
            return same
        kept = _history(graph, forward, tensor)
        element: list[Tensor] = []

        def pop(values: Tensor) -> Tensor:
            rest, value = popped(values, tensor.dtype.base_dtype)
            value.set_shape(tensor.shape)
            element.append(value)
            return rest

        self.add_variable(kept, pop)
        return element[0]


def _history(graph: Graph, loop: WhileContext, tensor: Tensor) -> Tensor:
    """Returns the list of the values of a tensor in all iterations of its loop, as the loop leaves it."""
    kept = loop.histories.get(tensor)
    if kept is None:
        with made_in(graph, loop.outer_context):
            empty = empty_list(tensor.dtype.base_dtype)
        variable = loop.add_variable(empty, lambda values: pushed(values, tensor))
        kept = loop.histories[tensor] = variable.left
    return kept


class LoopRegion:
    """A loop in the backward pass."""

    def __init__(self, backward: BackwardPass, loop: WhileContext) -> None:
        self._backward = backward
        self._loop = loop
        self.outputs: list[int] = []
        self.starts: list[tuple[Tensor, Any]] = []

    def _ways_in(self) -> list[Tensor]:
        return [v.entered for v in self._loop.variables] + self._loop.captures

    def reads(self) -> Reads:
        return [r for t in self._ways_in() for r in self._backward.reads(t)]

    def gradients(self, sweep: Any, arriving: dict[int, Any]) -> list[tuple[Tensor, Any]]:
        loop = self._loop
        if not loop.back_prop:
            return []
        with name_scope(f"{loop.name.rpartition('/')[0] or loop.name}_grad"):
            return self._gradients(sweep, arriving)

    def _gradients(self, sweep: Any, arriving: dict[int, Any]) -> list[tuple[Tensor, Any]]:
        loop, graph = self._loop, self._backward.graph
        starts = [y for y, _ in self.starts]
        variables = _that_matter(graph, loop, {*arriving, *self.outputs}, starts)
        merges = loop_variables_around(loop)
        ends = [v.next_value for v in variables] + starts
        captures = [
            t for t in loop.captures if carries(t) and sweep.passes(t.op.inputs[0]) and _reaches(graph, t, ends, merges)
        ]
        seeds = [_dense(arriving.get(node_of(v.left)), v.left) for v in variables]
        inside = sweep.xs_within(loop)
        count = loop.count()
        backward = GradientLoop(loop)
        found: list[tuple[Tensor, Any]] = []

        def body(values: Sequence[Tensor]) -> list[Tensor]:
            left = values[0]
            inner = sweep.within(loop)
            inner.run(
                [v.next_value for v in variables] + [y for y, _ in self.starts],
                [*values[1:], *(brought_in(backward, seed) for _, seed in self.starts)],
                [v.in_body for v in variables] + captures + inside,
                sweep.stops,
            )
            sweep.take_from(inner, inside)
            for t in captures:
                gradient = inner.gradient_of(t)
                if isinstance(gradient, IndexedSlices) and gradient.dense_shape is not None:
                    found.append((t.op.inputs[0], _gathered(graph, backward, t, gradient, count, left)))
                elif gradient is not None:
                    found.append((t.op.inputs[0], _summed(graph, backward, t, gradient)))
            following = [tensor_op("Sub", [left, constant(1, dtype=dtypes.int32)])]
            for v, was in zip(variables, values[1:], strict=True):
                following.append(_shaped(_dense(inner.gradient_of(v.in_body), was), was))
            return following

        shapes = [TensorShape([]), *(v.in_body.shape for v in variables)]
        ended = backward.build(
            lambda values: tensor_op("Greater", [values[0], constant(0, dtype=dtypes.int32)]),
            body,
            [count, *seeds],
            shapes,
        )
        first_values = [(v.entered.op.inputs[0], g) for v, g in zip(variables, ended[1:], strict=True)]
        return first_values + found


def _summed(graph: Graph, backward: GradientLoop, captured: Tensor, gradient: Any) -> Tensor:
    """Returns the sum over all iterations of the gradients of a tensor brought into the loop."""
    with made_in(graph, backward.outer_context):
        zero = _dense(None, captured.op.inputs[0])
    variable = backward.add_variable(zero, lambda total: _shaped(tensor_op("Add", [total, densified(gradient)]), total))
    return variable.left


def _gathered(
    graph: Graph, backward: GradientLoop, captured: Tensor, slices: IndexedSlices, count: Tensor, left: Tensor
) -> IndexedSlices:
    """Returns the slices of all `count` iterations, of which `left` are left in this one, one after the other."""
    source = captured.op.inputs[0]
    with made_in(graph, backward.outer_context):
        dimensions = shape(source, out_type=dtypes.int64)
        none = concat([constant([0], dtype=dtypes.int64), part(dimensions, begin=1)])
        no_values = tensor_op("Fill", [none, constant(0, dtype=value_dtype(source))])
        no_indices = constant([], dtype=slices.indices.dtype.base_dtype)
        size = tensor_op("Add", [count, constant(1, dtype=dtypes.int32)])
    with made_in(graph, backward):
        # TF 1.x: the last iteration's come first.
        at = tensor_op("Sub", [size, left])
    joined = []
    for part_of_each, nothing in ((slices.values, no_values), (slices.indices, no_indices)):
        with made_in(graph, backward.outer_context):
            # The first one, of no slices, stays if there is no iteration.
            array = TensorArray(nothing.dtype, size, infer_shape=False).write(0, nothing)
        kept = backward.add_variable(
            array.flow,
            lambda flow, array=array, each=part_of_each: array.with_flow(flow).write(at, each).flow,  # type: ignore[misc]  # defaults of a lambda have no types
        )
        with made_in(graph, backward.outer_context):
            joined.append(array.with_flow(kept.left).concat())
    values, indices = joined
    whole = value_shape(source)
    values.set_shape(TensorShape([None]).concatenate(whole[1:]) if whole.dims else TensorShape(None))
    indices.set_shape([None])
    return IndexedSlices(values, indices, dimensions)


def carries(tensor: Tensor) -> bool:
    """Returns True if a tensor, or what a list holds, is of a type that has gradients."""
    dtype = value_dtype(tensor)
    if dtype == dtypes.variant:
        dtype = _element_type(tensor)
    return carries_gradient(dtype) or dtype == dtypes.variant


def _reaches(graph: Graph, x: Tensor, ends: list[Tensor], merges: list[int]) -> bool:
    """Returns True if gradients pass from one of `ends` to `x`, and not through `merges`, which are nodes."""
    return bool(graph.between([x], ends, merges, is_of_whole_numbers()))


def _element_type(values: Tensor) -> dtypes.DType:
    """Returns the type of a list's elements; variant if the graph does not determine it."""
    seen: set[Operation] = set()
    while values.op not in seen:
        op = values.op
        seen.add(op)
        if op.type in ("EmptyTensorList", "TensorListPushBack", "TensorListPopBack"):
            return dtypes.as_dtype(op.get_attr("element_dtype"))
        if not op.inputs:
            break
        values = op.inputs[0]
    return dtypes.variant


def _dense(gradient: Any, like: Tensor) -> Tensor:
    if gradient is not None:
        dense: Tensor = densified(gradient)
        return dense
    if like.dtype.base_dtype == dtypes.variant:
        return tensor_op("ZerosLike", [like], name="zeros_like")
    return zeros_like(like)


def _shaped(tensor: Tensor, like: Tensor) -> Tensor:
    if tensor.shape.is_compatible_with(like.shape):
        tensor.set_shape(like.shape)
    return tensor


def _that_matter(graph: Graph, loop: WhileContext, outputs: set[int], starts: list[Tensor]) -> list[LoopVariable]:
    """Returns the variables whose gradients reach what left the loop on the way to a y, or a y in it.

    TF 1.x: one that only seems to reach a y, as through a stopped gradient, has zeros there.
    """
    merges = loop_variables_around(loop)
    chosen = {v.left for v in loop.variables if node_of(v.left) in outputs and carries(v.left)}
    while True:
        ends = [v.next_value for v in loop.variables if v.left in chosen] + starts
        more = {
            v.left
            for v in loop.variables
            if v.left not in chosen and carries(v.in_body) and _reaches(graph, v.in_body, ends, merges)
        }
        if not more:
            return [v for v in loop.variables if v.left in chosen]
        chosen |= more


register_region(WhileContext, LoopRegion)
