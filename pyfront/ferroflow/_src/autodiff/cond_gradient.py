"""Gradients of conditionals: a conditional of the gradients of its branches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.autodiff.backward_pass import BackwardPass
from ferroflow._src.autodiff.loop_gradient import at_level_of, brought_in, carries, recalled_constant
from ferroflow._src.autodiff.regions import Reads, register_region
from ferroflow._src.autodiff.terms import cast, concat, densified, part, shape, value_dtype, value_shape, zeros_like
from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.control_flow import primitives
from ferroflow._src.control_flow.conditional import CondContext
from ferroflow._src.control_flow.context import made_in
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor, node_of, output_key


class GradientBranch(CondContext):
    """The gradients of one branch."""

    def __init__(self, pred: Tensor, pivot: Tensor, forward: CondContext) -> None:
        super().__init__(pred, pivot, forward.branch)
        self._forward = forward

    def added(self, op: Operation) -> None:
        # TF 1.x: gradients in a branch can be fetched, in a step that takes it.
        if self.while_context() is None:
            self._operations.append(op)
        else:
            super().added(op)

    def _recall(self, tensor: Tensor) -> Tensor:
        forward = self._forward
        assert isinstance(forward, CondContext)
        tensor = at_level_of(forward, tensor)
        if tensor.op.type == "Switch" and tensor.op.inputs[1] is forward.pred:
            return self.capture(tensor.op.inputs[0])
        with made_in(self._graph, self):
            same = recalled_constant(tensor)
        if same is not None:
            return same
        outer = self.outer_context
        if outer is forward.outer_context and not carries(tensor):
            # No caller requests its gradient: it need not leave the branch for that.
            value = self._bring_in(tensor)
        else:
            exported = forward.export(tensor)
            value = self._bring_in(exported if outer is None else outer.capture(exported))
        value.set_shape(tensor.shape)
        return value


class CondRegion:
    """A conditional in the backward pass."""

    def __init__(self, backward: BackwardPass, branch: CondContext) -> None:
        self._backward = backward
        self._branches = [branch, branch.sibling] if branch.branch == 0 else [branch.sibling, branch]
        self.outputs: list[int] = []
        self.starts: list[tuple[Tensor, Any]] = []

    def reads(self) -> Reads:
        node_inputs = self._backward.core.node_inputs
        return [node_inputs(node_of(t))[0] for branch in self._branches for t in branch.captures]

    def gradients(self, sweep: Any, arriving: dict[int, Any]) -> list[tuple[Tensor, Any]]:
        with name_scope(f"{self._branches[0].name.rpartition('/')[0] or 'cond'}_grad"):
            return self._gradients(sweep, arriving)

    def _gradients(self, sweep: Any, arriving: dict[int, Any]) -> list[tuple[Tensor, Any]]:
        graph = self._backward.graph
        # By (node, output) around the conditional: the tensor, and what stands for it in each branch.
        ways: dict[tuple[int, int], tuple[Tensor, dict[int, Tensor]]] = {}
        for branch in self._branches:
            for t in branch.captures:
                source = t.op.inputs[0]
                if carries(source) and sweep.passes(source):
                    ways.setdefault(output_key(source), (source, {}))[1][branch.branch] = t
        pred = tensor_op("Identity", [self._branches[0].pred], name="pred_id")
        pivots = primitives.switch(pred, pred)
        found: list[dict[tuple[int, int], Any]] = []
        contexts = []
        for branch, pivot in zip(self._branches, pivots, strict=True):
            context = GradientBranch(pred, tensor_op("Identity", [pivot], name="pivot"), branch)
            contexts.append(context)
            with made_in(graph, context):
                inner = sweep.within(branch)
                inside = sweep.xs_within(branch)
                # TF 1.x: a y of the branch that is not taken adds nothing.
                starts = [(y, seed) for y, seed in self.starts if branch.contains(y.op)]
                inner.run(
                    [
                        *(self._backward.operation(node).inputs[branch.branch] for node in arriving),
                        *(y for y, _ in starts),
                    ],
                    [brought_in(context, g) for g in [*arriving.values(), *(seed for _, seed in starts)]],
                    [own[branch.branch] for _, own in ways.values() if branch.branch in own] + inside,
                    sweep.stops,
                )
                sweep.take_from(inner, inside)
                found.append(
                    {
                        key: inner.gradient_of(own[branch.branch])
                        for key, (_, own) in ways.items()
                        if branch.branch in own
                    }
                )
        result = []
        for key, (source, _) in ways.items():
            gradients = [each.get(key) for each in found]
            present = [g for g in gradients if g is not None]
            if not present:
                continue
            are_slices = all(isinstance(g, IndexedSlices) and g.dense_shape is not None for g in present)
            join = _joined_slices if are_slices else _joined
            result.append((source, join(graph, contexts, source, gradients)))
        return result


def _joined(graph: Graph, contexts: Sequence[CondContext], source: Tensor, gradients: Sequence[Any]) -> Tensor:
    """Returns the gradient of the branch taken; zeros if it has none."""
    values = []
    for context, gradient in zip(contexts, gradients, strict=True):
        with made_in(graph, context):
            values.append(context.capture(_zeros(source) if gradient is None else densified(gradient)))
    merged: Tensor = primitives.merge(values)[0]
    merged.set_shape(value_shape(source))
    return merged


def _joined_slices(
    graph: Graph, contexts: Sequence[CondContext], source: Tensor, gradients: Sequence[Any]
) -> IndexedSlices:
    """Returns the slices of the branch taken; no slices if it has none."""
    with made_in(graph, contexts[0].outer_context):
        dimensions = shape(source, out_type=dtypes.int64)
    # TF 1.x: indices are int64 where those of one branch are.
    is_long = any(g is not None and g.indices.dtype.base_dtype == dtypes.int64 for g in gradients)
    index_dtype = dtypes.int64 if is_long else dtypes.int32
    parts = []
    for context, gradient in zip(contexts, gradients, strict=True):
        with made_in(graph, context):
            if gradient is None:
                rows = concat([constant([0], dtype=dtypes.int64), part(dimensions, begin=1)])
                values = tensor_op("Fill", [rows, constant(0, dtype=value_dtype(source))])
                indices = constant([], dtype=index_dtype)
            else:
                values, indices = gradient.values, cast(gradient.indices, index_dtype)
            parts.append((context.capture(values), context.capture(indices)))
    values, indices = (primitives.merge(list(each))[0] for each in zip(*parts, strict=True))
    whole = value_shape(source)
    if whole.dims:
        values.set_shape(TensorShape([None]).concatenate(whole[1:]))
    return IndexedSlices(values, indices, dimensions)


def _zeros(like: Tensor) -> Tensor:
    if like.dtype.base_dtype == dtypes.variant:
        return tensor_op("ZerosLike", [like], name="zeros_like")
    return zeros_like(like)


register_region(CondContext, CondRegion)
