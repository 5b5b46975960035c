"""`Sweep`: the walk of a backward pass through the operations of one control flow context."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

from ferroflow._src.autodiff import regions
from ferroflow._src.autodiff.aggregation import aggregate
from ferroflow._src.autodiff.backward_pass import BackwardPass
from ferroflow._src.autodiff.terms import dims
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.gradient_registry import get_gradient_function
from ferroflow._src.framework.handles import Operation, Tensor, output_key


class Sweep:
    """One backward pass from the ys to the xs, through the operations of one control flow context.

    Conditionals and loops in that context are passed as wholes.

    Args:
        backward: the pass.
        level: the conditional's branch or the loop that contains the operations; None outside of all.
    """

    def __init__(self, backward: BackwardPass, level: Any) -> None:
        self.backward = backward
        self._level = level
        # By node, by output: the gradients received so far.
        self._received: dict[int, list[list[Any]]] = {}
        # By node, by output: their sum, or None of none.
        self._summed: dict[int, list[Any]] = {}
        self._between: frozenset[int] = frozenset()
        # By (node, output): the gradients of xs within a conditional or loop that the walk passed.
        self._inside: dict[tuple[int, int], Any] = {}
        self._xs: list[Tensor] = []
        # Ids of nodes not to walk through, here and in conditionals and loops.
        self.stops: set[int] = set()

    def within(self, level: Any) -> Sweep:
        """Returns a walk of the same pass through the operations of another context."""
        return Sweep(self.backward, level)

    def gradient_of(self, x: Tensor) -> Any:
        """Returns the gradient of `x` after the walk, or None."""
        inside = self._inside.get(output_key(x))
        if inside is not None:
            return inside
        summed = self._summed.get(x._node_id)
        return None if summed is None else summed[x._index]

    def passes(self, x: Tensor) -> bool:
        """Returns True if the gradient of `x` is needed: `x` is one of the walk's xs or lies on a path to one."""
        return x._node_id in self._between

    def xs_within(self, context: Any) -> list[Tensor]:
        """Returns the xs of the walk that a conditional's branch or a loop contains."""
        return [x for x in self._xs if x._node_id in self._between and context.contains(x.op)]

    def take_from(self, inner: Sweep, xs: Sequence[Tensor]) -> None:
        """Keeps the gradients of xs that the walk through a conditional or loop computed."""
        for x in xs:
            self._inside[output_key(x)] = inner.gradient_of(x)

    def run(self, ys: list[Tensor], seeds: list[Any], xs: list[Tensor], stops: set[int]) -> list[Any]:
        """Returns the gradients of the xs; visits the operations between ys and xs, each after all that read it.

        Args:
            ys: Tensors at which the walk starts.
            seeds: the gradients that reach them.
            xs: Tensors at which the walk ends.
            stops: ids of nodes not to walk through.

        Raises:
            LookupError: if an operation has no gradient rule.
            ValueError: if another y than the first is within a conditional or loop without the first, or a gradient
                has a wrong shape.
        """
        self._xs, self.stops = xs, stops
        # Values that one iteration passes to the next are not part of its derivatives.
        ends = regions.loop_variables_around(self._level)
        between = self.backward.core.between([output_key(x) for x in xs], [y._node_id for y in ys], ends)
        self._between = frozenset(between)
        steps = regions.steps(self.backward, between, self._level)
        targets = [steps.of(y._node_id) for y in ys]
        # By step: how many inputs of steps between it is.
        pending = dict.fromkeys(steps.reads, 0)
        for reads in steps.reads.values():
            for node, _ in reads:
                if node in self._between:
                    pending[steps.of(node)] += 1
        for y, seed in zip(ys, seeds, strict=True):
            region = steps.region_of(steps.of(y._node_id))
            if region is not None and y._node_id not in region.outputs:
                # The walk passes the region from its outputs on, and starts at this y too.
                region.starts.append((y, seed))
            else:
                self._receive(y, seed)
        # TF 1.x: an x that depends on no other x ends the walk; one that does is walked through.
        stops = stops | {
            x._node_id
            for x in xs
            if not any(node in self._between for node, _ in steps.reads.get(steps.of(x._node_id), ()))
        }
        queue = collections.deque(dict.fromkeys(t for t in targets if pending.get(t) == 0))
        while queue:
            step = queue.popleft()
            reads = steps.reads[step]
            for read, gradient in self._gradients_of(step, steps, stops):
                self._receive(read, gradient)
            for node, _ in reads:
                if node in self._between:
                    before = steps.of(node)
                    pending[before] -= 1
                    if pending[before] == 0:
                        queue.append(before)
        return [self.gradient_of(x) for x in xs]

    def _gradients_of(self, step: int, steps: Any, stops: set[int]) -> list[tuple[Tensor, Any]]:
        """Returns the gradients of what one step reads."""
        operation = self.backward.operation
        region = steps.region_of(step)
        if region is not None:
            arriving = {}
            for node in region.outputs:
                op = operation(node)
                received = self._received.pop(node, None)
                if received is not None:
                    summed = self._summed[node] = [aggregate(parts, op, self.backward.method) for parts in received]
                    if summed[0] is not None:
                        arriving[node] = summed[0]
            found = region.gradients(self, arriving) if arriving or region.starts else []
            for read, gradient in found:
                _fit_region(read, gradient)
            return found
        op = operation(step)
        reads = steps.reads[step]
        result = []
        for i, ((node, index), gradient) in enumerate(zip(reads, self._visit(op, stops, reads), strict=True)):
            if gradient is not None:
                read = operation(node)._outputs[index]
                _fit(op, read, gradient, i)
                result.append((read, gradient))
        return result

    def _receive(self, tensor: Tensor, gradient: Any) -> None:
        by_output = self._received.get(tensor._node_id)
        if by_output is None:
            by_output = self._received[tensor._node_id] = [[] for _ in tensor._op._outputs]
        by_output[tensor._index].append(gradient)

    def _visit(self, op: Operation, stops: set[int], reads: Sequence[Any]) -> list[Any]:
        """Returns the gradients of an operation's inputs."""
        with self.backward.colocated(op):
            received = self._received.pop(op._id, None)
            if received is None:
                received = [[] for _ in op._outputs]
            summed = self._summed[op._id] = [aggregate(parts, op, self.backward.method) for parts in received]
            nothing = [None] * len(reads)
            if op._id in stops or all(g is None for g in summed):
                return nothing
            if self._level is not None and regions.is_way_in(op):
                return [summed[0] if summed[0] is not None else summed[-1], *nothing[1:]]
            try:
                rule = get_gradient_function(op)
            except LookupError:
                raise LookupError(f"No gradient defined for operation '{op.name}' (op type: {op.type})") from None
            if rule is None:
                return nothing
            arriving = [
                tensor_op("ZerosLike", [output], name="zeros_like") if g is None and _carries_gradient(output) else g
                for g, output in zip(summed, op._outputs, strict=True)
            ]
            return self.backward.apply(rule, op, arriving, len(reads))


def _fit(op: Operation, read: Tensor, gradient: Any, position: int) -> None:
    """Checks the shape of a gradient against what it is the gradient of, and completes it."""
    if not isinstance(gradient, Tensor):
        return
    found = dims(gradient)
    if found is not None and None not in found and found == dims(read):
        return
    # A handle's gradient is that of the variable behind it.
    if read.dtype == dtypes.resource:
        return
    try:
        gradient.set_shape(read.shape)
    except ValueError:
        raise ValueError(
            "Incompatible shapes between op input and calculated input gradient.  Forward operation: "
            f"{op.name}.  Input index: {position}. Original input shape: {read.shape}.  Calculated input gradient "
            f"shape: {gradient.shape}"
        ) from None


def _fit_region(read: Tensor, gradient: Any) -> None:
    """Completes the static shape of a gradient that left a conditional or a loop."""
    if not isinstance(gradient, Tensor) or read.dtype in (dtypes.resource, dtypes.variant):
        return
    if gradient.shape.is_compatible_with(read.shape):
        gradient.set_shape(read.shape)


def _carries_gradient(tensor: Tensor) -> bool:
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_complex
