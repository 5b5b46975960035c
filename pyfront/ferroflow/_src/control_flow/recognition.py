"""Conditionals and loops found in nodes that were imported without their contexts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ferroflow._src.base import compat
from ferroflow._src.control_flow import primitives
from ferroflow._src.control_flow.conditional import CondContext
from ferroflow._src.control_flow.context import ControlFlowContext, made_in
from ferroflow._src.control_flow.loop import WhileContext, is_constant_enter
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor, flow_context
from ferroflow._src.ops.array.making import identity

_ENTER = ("Enter", "RefEnter")
_EXIT = ("Exit", "RefExit")
_MERGE = ("Merge", "RefMerge")
_NEXT = ("NextIteration", "RefNextIteration")
_SWITCH = ("Switch", "RefSwitch")


def recognize(graph: Graph) -> None:
    """Sets the contexts of the nodes of imported conditionals and loops, so that gradients pass through them.

    Nodes that do not have the form of `cond` and `while_loop` stay unchanged.
    """
    for nodes, around in graph.take_unrecognized():
        # Operations whose contexts a MetaGraphDef restored are no longer in `around`.
        left = [op for op in map(graph.operation, sorted(nodes)) if flow_context(op) is around]
        inside = graph.enter_flow(None)
        try:
            _Recognition(graph, left, around).run()
        finally:
            graph.enter_flow(inside)


class _Recognition:
    """One walk along the nodes, each after those it reads."""

    def __init__(self, graph: Graph, operations: Sequence[Operation], around: Any) -> None:
        self._graph = graph
        self._operations = operations
        self._around = around
        self._loops: dict[str, WhileContext] = {}
        # By pred: the branches.
        self._branches: dict[Tensor, list[CondContext]] = {}
        # By Switch of a predicate by itself: the predicate that the conditional's other Switches have.
        self._pred_of_pivot: dict[Operation, Tensor] = {}

    def run(self) -> None:
        """Finds the contexts and places the nodes."""
        enters: dict[str, list[Operation]] = {}
        for op in self._operations:
            if op.type in _ENTER:
                enters.setdefault(compat.as_str(op.get_attr("frame_name")), []).append(op)
        for frame, members in enters.items():
            self._begin_loop(frame, members)
        self._find_pivots(self._operations)
        exits: dict[WhileContext, list[Tensor]] = {}
        for op in self._ordered(self._operations):
            self._place(op, exits)
        for pair in self._branches.values():
            for branch in pair:
                self._nest(branch)
        for loop in self._loops.values():
            self._nest(loop)
            mine = [op for op in enters[loop.name] if not is_constant_enter(op)]
            loop.adopt([op.outputs[0] for op in mine], exits.get(loop, []))

    def _begin_loop(self, frame: str, enters: list[Operation]) -> None:
        """Makes the context of a loop, if all its variables have one Merge, one Switch and one next value."""
        pivots: set[Tensor] = set()
        for op in enters:
            if not is_constant_enter(op):
                merged = [c for c in op.outputs[0].consumers() if c.type in _MERGE]
                if len(merged) != 1 or len(merged[0].inputs) != 2 or merged[0].inputs[1].op.type not in _NEXT:
                    return
                pivots.update(
                    c.inputs[1]
                    for c in merged[0].outputs[0].consumers()
                    if c.type in _SWITCH and c.inputs[1].op.type == "LoopCond"
                )
        if len(pivots) != 1:
            return
        loop = WhileContext(parallel_iterations=int(enters[0].get_attr("parallel_iterations")), graph=self._graph)
        pivot = pivots.pop()
        first = next(op for op in enters if not is_constant_enter(op))
        merge = next(c for c in first.outputs[0].consumers() if c.type in _MERGE).outputs[0]
        in_body = next(c for c in merge.consumers() if c.type in _SWITCH and c.inputs[1] is pivot).outputs[1]
        copies = [c.outputs[0] for c in in_body.consumers() if c.type == "Identity"]
        # A node can wait for a Switch, but not for one side of it.
        loop.set_frame(frame, pivot, merge, copies[0] if copies else self._copied(in_body, loop))
        self._loops[frame] = loop

    def _copied(self, tensor: Tensor, loop: WhileContext) -> Tensor:
        with loop.within(loop):
            return identity(tensor)

    def _find_pivots(self, operations: Sequence[Operation]) -> None:
        """Finds for every Switch of a predicate by itself the conditional it belongs to."""
        preds: dict[Tensor, list[Tensor]] = {}
        for op in operations:
            if op.type in _SWITCH and op.inputs[0] is not op.inputs[1] and op.inputs[1].op.type != "LoopCond":
                pred = op.inputs[1]
                root = pred.op.inputs[0] if pred.op.type == "Identity" else pred
                if pred not in preds.setdefault(root, []):
                    preds[root].append(pred)
        for op in operations:
            if op.type == "Switch" and op.inputs[0] is op.inputs[1]:
                pred = op.inputs[0]
                if any(pred in of_root for of_root in preds.values()):
                    self._pred_of_pivot[op] = pred
                    continue
                found = preds.get(pred, [])
                scope = op.name.rpartition("/")[0]
                # Several conditionals may have one predicate: that of the same scope is meant.
                near = [p for p in found if p.op.name.rpartition("/")[0] == scope]
                chosen = near or found
                if len(chosen) == 1:
                    self._pred_of_pivot[op] = chosen[0]

    def _ordered(self, operations: Sequence[Operation]) -> Iterator[Operation]:
        """Yields the operations, each after those it reads and waits for, back edges aside."""
        members, done = set(operations), set[Operation]()
        for root in operations:
            stack = [root]
            while stack:
                op = stack[-1]
                if op in done:
                    stack.pop()
                    continue
                before = [t.op for t in op.inputs if not (op.type in _MERGE and t.op.type in _NEXT)]
                waits = [o for o in (*before, *op.control_inputs) if o in members and o not in done]
                if waits:
                    stack += waits
                    continue
                stack.pop()
                done.add(op)
                yield op

    def _place_of(self, tensor: Tensor) -> Any:
        return flow_context(tensor.op)

    def _innermost(self, op: Operation) -> Any:
        """Returns the innermost context of an operation's inputs and control inputs."""
        found, depth = self._around, _depth(self._around)
        before = [self._place_of(t) for t in op.inputs if not (op.type in _MERGE and t.op.type in _NEXT)]
        for place in [*before, *(self._place_of_wait(o) for o in op.control_inputs)]:
            if _depth(place) > depth:
                found, depth = place, _depth(place)
        return found

    def _place_of_wait(self, op: Operation) -> Any:
        pivot = op.inputs[0] if op.type == "Identity" and op.inputs else None
        if pivot is not None and pivot.op in self._pred_of_pivot:
            return self._branches_of(self._pred_of_pivot[pivot.op])[pivot.value_index]
        return flow_context(op)

    def _place(self, op: Operation, exits: dict[WhileContext, list[Tensor]]) -> None:
        context = self._innermost(op)
        if op.type in _ENTER:
            loop = self._loops.get(compat.as_str(op.get_attr("frame_name")))
            if loop is not None:
                if _depth(context) > _depth(loop.outer_context):
                    loop.nest_in(context)
                if is_constant_enter(op):
                    loop.record_entry(op.inputs[0], op.outputs[0])
                context = loop
        elif op.type in _EXIT and isinstance(context, WhileContext):
            exits.setdefault(context, []).append(op.outputs[0])
            context = context.outer_context
        elif op.type in _MERGE and op.inputs[-1].op.type not in _NEXT:
            context = self._joined([self._place_of(t) for t in op.inputs])
        elif op.type in _SWITCH and op.inputs[1].op.type != "LoopCond" and op not in self._pred_of_pivot:
            read = [bool(t.consumers()) for t in op.outputs]
            if read.count(True) == 1:
                branch = self._branches_of(op.inputs[1])[read.index(True)]
                branch.record_entry(op.inputs[0], op.outputs[read.index(True)])
                context = branch
        if context is not None and context is not self._around:
            context.take(op)

    def _branches_of(self, pred: Tensor) -> list[CondContext]:
        found = self._branches.get(pred)
        if found is None:
            outer = self._place_of(pred)
            pivots = self._pivots_of(pred, outer)
            found = [CondContext(pred, pivot, i) for i, pivot in enumerate(pivots)]
            for branch in found:
                branch.nest_in(outer)
            self._branches[pred] = found
        return found

    def _pivots_of(self, pred: Tensor, outer: Any) -> list[Tensor]:
        """Returns tensors that have a value if the respective branch is taken."""
        for switch, of in self._pred_of_pivot.items():
            named = [next((c.outputs[0] for c in t.consumers() if c.type == "Identity"), None) for t in switch.outputs]
            if of is pred and None not in named:
                return named  # type: ignore[return-value]
        with made_in(self._graph, outer):
            return [identity(t) for t in primitives.switch(pred, pred)]

    def _joined(self, places: list[Any]) -> Any:
        """Returns the place of what comes out of branches."""
        first = places[0]
        if isinstance(first, CondContext) and any(p is first.sibling for p in places[1:]):
            return first.outer_context
        # No conditional's Merge: what all are within.
        while any(p is not first and not _is_within(p, first) for p in places):
            first = first.outer_context
        return first

    def _nest(self, context: ControlFlowContext) -> None:
        context.list_in_outer()


def _depth(context: Any) -> int:
    depth = 0
    while context is not None:
        depth, context = depth + 1, context.outer_context
    return depth


def _is_within(inner: Any, outer: Any) -> bool:
    while inner is not None and inner is not outer:
        inner = inner.outer_context
    return inner is outer
