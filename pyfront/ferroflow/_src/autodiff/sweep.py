"""`Sweep`: the walk of a backward pass through the operations of one control flow context."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

from ferroflow._src.autodiff import regions
from ferroflow._src.autodiff.aggregation import aggregate
from ferroflow._src.autodiff.backward_pass import BackwardPass
from ferroflow._src.autodiff.differentiable import carries_gradient, is_of_whole_numbers
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.gradient_registry import registered_gradient
from ferroflow._src.framework.handles import Operation, Tensor, node_of, static_dims


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
        # The gradients received so far.
        self._received: dict[Tensor, list[Any]] = {}
        # Their sums at the operations visited, and the gradients of xs within conditionals and loops.
        self._summed: dict[Tensor, Any] = {}
        self._between: frozenset[int] = frozenset()
        self._xs: list[Tensor] = []
        # Ids of nodes not to walk through, here and in conditionals and loops.
        self.stops: set[int] = set()

    def within(self, level: Any) -> Sweep:
        """Returns a walk of the same pass through the operations of another context."""
        return Sweep(self.backward, level)

    def gradient_of(self, x: Tensor) -> Any:
        """Returns the gradient of `x` after the walk, or None."""
        return self._summed.get(x)

    def passes(self, x: Tensor) -> bool:
        """Returns True if the gradient of `x` is needed: `x` is one of the walk's xs or lies on a path to one."""
        return node_of(x) in self._between

    def xs_within(self, context: Any) -> list[Tensor]:
        """Returns the xs of the walk that a conditional's branch or a loop contains."""
        return [x for x in self._xs if self.passes(x) and context.contains(x.op)]

    def take_from(self, inner: Sweep, xs: Sequence[Tensor]) -> None:
        """Keeps the gradients of xs that the walk through a conditional or loop computed."""
        for x in xs:
            gradient = inner.gradient_of(x)
            if gradient is not None:
                self._summed[x] = gradient

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
        ordered = self.backward.graph.between(xs, ys, ends, is_of_whole_numbers())
        between = self._between = frozenset(ordered)
        steps = regions.steps(self.backward, ordered, self._level)
        targets = [steps.of(node_of(y)) for y in ys]
        # By step: how many inputs of steps between it is.
        pending = dict.fromkeys(steps.reads, 0)
        for reads in steps.reads.values():
            for node, _ in reads:
                if node in between:
                    pending[steps.of(node)] += 1
        for y, seed, target in zip(ys, seeds, targets, strict=True):
            region = steps.region_of(target)
            if region is not None and node_of(y) not in region.outputs:
                # The walk passes the region from its outputs on, and starts at this y too.
                region.starts.append((y, seed))
            else:
                self._receive(y, seed)
        # TF 1.x: an x that depends on no other x ends the walk; one that does is walked through.
        nodes = {node_of(x) for x in xs}
        stops = stops | {x for x in nodes if not any(node in between for node, _ in steps.reads.get(steps.of(x), ()))}
        queue = collections.deque(dict.fromkeys(t for t in targets if pending.get(t) == 0))
        while queue:
            step = queue.popleft()
            reads = steps.reads[step]
            region = steps.region_of(step)
            if region is not None:
                self._pass_region(region)
            elif self.backward.colocates:
                op = self.backward.operation(step)
                with self.backward.colocated(op):
                    self._visit(op, step, reads, stops)
            else:
                self._visit(self.backward.operation(step), step, reads, stops)
            for node, _ in reads:
                if node in between:
                    before = steps.of(node)
                    pending[before] -= 1
                    if pending[before] == 0:
                        queue.append(before)
        return [self.gradient_of(x) for x in xs]

    def _pass_region(self, region: regions.Region) -> None:
        """Adds the gradients of what a conditional or loop reads."""
        arriving = {}
        for node in region.outputs:
            op = self.backward.operation(node)
            if any(output in self._received for output in op.outputs):
                summed = self._sums(op)
                if summed[0] is not None:
                    arriving[node] = summed[0]
        found = region.gradients(self, arriving) if arriving or region.starts else []
        for read, gradient in found:
            _fit_region(read, gradient)
            self._receive(read, gradient)

    def _receive(self, tensor: Tensor, gradient: Any) -> None:
        found = self._received.get(tensor)
        if found is None:
            self._received[tensor] = [gradient]
        else:
            found.append(gradient)

    def _sums(self, op: Operation) -> list[Any]:
        """Returns the gradients of an operation's outputs: the sum of those received, or None of none."""
        received, method = self._received, self.backward.method
        found = [aggregate(received.pop(output, []), op, method) for output in op.outputs]
        self._summed.update(zip(op.outputs, found, strict=True))
        return found

    def _visit(self, op: Operation, step: int, reads: Sequence[tuple[int, int]], stops: set[int]) -> None:
        """Adds the gradients of an operation's inputs."""
        summed = self._sums(op)
        if step in stops or not any(g is not None for g in summed):
            return
        if self._level is not None and regions.is_way_in(op):
            gradients = [summed[0] if summed[0] is not None else summed[-1]]
        else:
            try:
                rule = registered_gradient(op) if reads else None
            except LookupError:
                raise LookupError(f"No gradient defined for operation '{op.name}' (op type: {op.type})") from None
            if rule is None:
                return
            arriving = [
                tensor_op("ZerosLike", [output], name="zeros_like")
                if g is None and carries_gradient(output.dtype.base_dtype)
                else g
                for g, output in zip(summed, op.outputs, strict=True)
            ]
            gradients = self.backward.apply(rule, op, arriving, len(reads))
        tensor = self.backward.tensor
        for i, gradient in enumerate(gradients):
            if gradient is not None:
                read = tensor(*reads[i])
                _fit(op, read, gradient, i)
                self._receive(read, gradient)


def _fit(op: Operation, read: Tensor, gradient: Any, position: int) -> None:
    """Checks the shape of a gradient against what it is the gradient of, and completes it."""
    if not isinstance(gradient, Tensor):
        return
    found = static_dims(gradient)
    if found is not None and None not in found and found == static_dims(read):
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
