"""The conditionals and loops that a walk of gradients passes as wholes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ferroflow._src.autodiff.backward_pass import BackwardPass
from ferroflow._src.control_flow.conditional import CondContext
from ferroflow._src.control_flow.loop import WhileContext
from ferroflow._src.framework.handles import Operation, Tensor, flow_context, node_of

Reads = list[tuple[int, int]]


class Region(Protocol):
    """A conditional or a loop in the backward pass."""

    # The nodes that bring values out of it.
    outputs: list[int]
    # The ys in it, with the gradients that reach them.
    starts: list[tuple[Tensor, Any]]

    def reads(self) -> Reads:
        """Returns the (node, output) pairs that come in."""

    def gradients(self, sweep: Any, arriving: dict[int, Any]) -> list[tuple[Tensor, Any]]:
        """Returns the gradients of what comes in, given those of what goes out by node."""


class Steps:
    """Steps of a walk: operations by node, and regions by negative numbers."""

    def __init__(self, reads: dict[int, Reads], region_of_node: dict[int, int], regions: dict[int, Region]) -> None:
        self.reads = reads
        self._region_of_node = region_of_node
        self._regions = regions

    def of(self, node: int) -> int:
        """Returns the step that visits a node."""
        return self._region_of_node.get(node, node)

    def region_of(self, step: int) -> Region | None:
        """Returns the region that a step is, or None."""
        return self._regions.get(step)


# Makers of regions: (kind of context, maker); filled by the modules that define the contexts.
_MAKERS: list[tuple[type, Callable[[BackwardPass, Any], Region]]] = []


def register_region(kind: type, maker: Callable[[BackwardPass, Any], Region]) -> None:
    """Registers the function that makes the region of a context."""
    _MAKERS.append((kind, maker))


def steps(backward: BackwardPass, between: Sequence[int], level: Any) -> Steps:
    """Returns the steps of a walk over the nodes `between`, in the context `level`."""
    node_inputs = backward.core.node_inputs
    if not backward.contexts:
        return Steps({node: node_inputs(node) for node in between}, {}, {})
    numbers: dict[Any, int] = {}
    contexts: dict[int, Any] = {}
    region_of_node: dict[int, int] = {}
    reads: dict[int, Reads] = {}
    for node in between:
        context = _region(backward, node, level)
        if context is None:
            reads[node] = node_inputs(node)
            continue
        key = context.pred if isinstance(context, CondContext) else context
        number = numbers.setdefault(key, -1 - len(numbers))
        contexts.setdefault(number, context)
        region_of_node[node] = number
    regions: dict[int, Region] = {}
    outputs: dict[int, list[int]] = {number: [] for number in contexts}
    for node, number in region_of_node.items():
        if backward.contexts.get(node) is level:
            outputs[number].append(node)
    for number, context in contexts.items():
        maker = next(make for kind, make in _MAKERS if isinstance(context, kind))
        region = regions[number] = maker(backward, context)
        region.outputs = outputs[number]
        reads[number] = region.reads()
    return Steps(reads, region_of_node, regions)


def _region(backward: BackwardPass, node: int, level: Any) -> Any:
    """Returns the outermost conditional or loop inside of `level` that a node belongs to (its way out included), or
    None.
    """
    context: Any = backward.contexts.get(node)
    if context is level:
        loop: Any = backward.loop_of_exit.get(node)
        if loop is not None:
            return loop
        op = backward.operation(node)
        if op.type in ("Merge", "RefMerge"):
            source, _ = backward.core.node_inputs(node)[0]
            inner = backward.contexts.get(source)
            if inner is not level and isinstance(inner, CondContext) and inner.outer_context is level:
                return inner
        return None
    inner = None
    while context is not None and context is not level:
        inner, context = context, context.outer_context
    return inner if context is level else None


def loop_variables_around(context: Any) -> list[int]:
    """Returns the nodes at which the iterations of the loops around a context begin."""
    nodes = []
    while context is not None:
        if isinstance(context, WhileContext):
            nodes += [node_of(v.merged) for v in context.variables]
        context = context.outer_context
    return nodes


def is_way_in(op: Operation) -> bool:
    """Returns True if an operation brings a value from around its own context in: its gradient passes unchanged."""
    context = flow_context(op)
    if isinstance(context, CondContext):
        return op.type in ("Switch", "RefSwitch") and op.inputs[1] is context.pred
    return isinstance(context, WhileContext) and op.type in ("Enter", "RefEnter")
