"""`gradients`: builds the operations that compute derivatives of a graph."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from ferroflow._src.autodiff import regions
from ferroflow._src.autodiff.aggregation import aggregate, check_method
from ferroflow._src.autodiff.gating import gate_together
from ferroflow._src.autodiff.terms import dims, shape, zeros_like
from ferroflow._src.autodiff.unconnected import UnconnectedGradients, checked_unconnected
from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike, TensorLikes
from ferroflow._src.control_flow.recognition import recognize
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices, convert_n_to_tensor_or_indexed_slices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    graph_of,
    name_scope,
)
from ferroflow._src.framework.gradient_registry import get_gradient_function
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor


def gradients(
    ys: TensorLike,
    xs: TensorLike,
    grad_ys: TensorLikes | TensorLike | None = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: TensorLike | None = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:
    """Returns the derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
        ys: Tensor or list of Tensors of float or complex dtypes, of any shape.
        xs: Tensor or Variable of a float or complex dtype, of any shape, or list of them.
        grad_ys: list of the gradients that reach `ys`, each of its y's dtype and shape; None, alone or in it, means
            ones.
        name: name scope of the operations made.
        colocate_gradients_with_ops: places each gradient with its forward operation.
        gate_gradients: makes the gradients of one operation usable only together.
        aggregation_method: a constant of `AggregationMethod`.
        stop_gradients: Tensor, or list of Tensors, of any dtype and shape, to be held constant.
        unconnected_gradients: an `UnconnectedGradients` or its value: the gradient of an x that no y depends on.

    Returns:
        For each x a tensor of its dtype and shape, IndexedSlices, or, if no y depends on it, None or zeros.

    Raises:
        LookupError: if an operation between has no gradient rule.
        TypeError: if a y, x or gradient has a wrong dtype.
        ValueError: if numbers of gradients or shapes are incompatible, or `unconnected_gradients` is not a member of
            `UnconnectedGradients`. Also if another y than the first is within a conditional or loop without the first.

    Example:
        >>> x = tf.constant([2.0, 3.0])
        >>> y = tf.reduce_sum(x ** 3)
        >>> (dy_dx,) = tf.gradients(y, [x])
        >>> print(sess.run(dy_dx))
        [12. 27.]
    """
    ys, xs = _as_list(ys), _as_list(xs)
    stops = _as_list(stop_gradients) if stop_gradients is not None else []
    seeds = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    if len(seeds) != len(ys):
        raise ValueError(f"Passed {len(seeds)} grad_ys for {len(ys)} ys")
    method = check_method(aggregation_method)
    unconnected = checked_unconnected(unconnected_gradients)
    graph = graph_of([*ys, *xs, *stops, *seeds])
    if graph._without_contexts:
        recognize(graph)
    with name_scope(name, "gradients", [*ys, *xs, *stops, *seeds]):
        # TF 1.x: the name is taken whether or not the id is used.
        graph.unique_name("uid")
        ys = convert_n_to_tensor_or_indexed_slices(ys, name="y")
        xs = convert_n_to_tensor_or_indexed_slices(xs, name="x", as_ref=True)
        seeds = _seeds(seeds, ys, colocate_gradients_with_ops)
        _sources.append(_new_source(graph))
        sweep = Sweep(graph, Options(colocate_gradients_with_ops, gate_gradients, method), _level(ys))
        try:
            sweep.run(
                [y.values if isinstance(y, IndexedSlices) else y for y in ys],
                seeds,
                [x.values if isinstance(x, IndexedSlices) else x for x in xs],
                {t.op._id for t in stops},
            )
        finally:
            _sources.pop()
        found = [sweep.gradient_of(x.values if isinstance(x, IndexedSlices) else x) for x in xs]
        if unconnected == UnconnectedGradients.ZERO:
            found = [zeros_like(x) if g is None else g for g, x in zip(found, xs, strict=True)]
    return found


# The name scopes of the calls under way, which keep their gradients apart.
_sources: list[str] = []


def _new_source(graph: Graph) -> str:
    """Returns the name that marks the gradients of a call: its scope, made different from the names of imported
    gradients.
    """
    source, count = graph._name_stack, 0
    while source in graph._imported_sources:
        count += 1
        source = f"{graph._name_stack}_{count}"
    return source


def current_source() -> str:
    """Returns the name that marks the gradients of the current call of `gradients`."""
    return _sources[-1]


def _level(ys: Sequence[Any]) -> Any:
    """Returns the branch or loop that the ys are in."""
    return ys[0].op._get_control_flow_context() if ys else None


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _colocated(op: Operation, wanted: bool) -> contextlib.AbstractContextManager[Any]:
    return op.graph.colocate_with(op) if wanted else contextlib.nullcontext()


def _seeds(given: Sequence[Any], ys: Sequence[Any], colocate: bool) -> list[Any]:
    """Returns the gradients that reach `ys`: the given ones checked, ones if none is given."""
    seeds = [
        seed
        if seed is None or isinstance(seed, Tensor | IndexedSlices)
        else convert_to_tensor(seed, dtype=y.dtype.base_dtype, name=f"grad_y_{i}")
        for i, (seed, y) in enumerate(zip(given, ys, strict=True))
    ]
    result: list[Any] = []
    for i, (seed, y) in enumerate(zip(seeds, ys, strict=True)):
        name = f"grad_ys_{i}"
        with _colocated(y.op, colocate):
            if seed is None:
                if y.dtype.is_complex:
                    raise TypeError(f"Gradients of complex tensors must set grad_ys (y.dtype = {y.dtype.base_dtype!r})")
                result.append(_ones_like(y, name))
                continue
            _check_seed(seed, y)
            if isinstance(seed, IndexedSlices):
                parts = {"indices": seed.indices, "values": seed.values, "shape": seed.dense_shape}
                named = {
                    part: tensor_op("Identity", [t], name=f"{name}_{part}") if isinstance(t, Tensor) else t
                    for part, t in parts.items()
                }
                result.append(IndexedSlices(named["values"], named["indices"], named["shape"]))
            else:
                result.append(tensor_op("Identity", [seed], name=name))
    return result


def _check_seed(seed: Any, y: Any) -> None:
    given, wanted = seed.dtype.base_dtype, y.dtype.base_dtype
    if wanted.is_floating or wanted.is_integer:
        kind, fits = "real or integer", given.is_floating or given.is_integer
    elif wanted.is_complex:
        kind, fits = "complex", given.is_complex
    else:
        raise TypeError(f"Tensor {y} with type {wanted.name} must be numeric to obtain a default gradient")
    if not fits:
        raise TypeError(
            f"Gradient type {given.name} generated for {kind} tensor {y} with type {wanted.name} must be {kind}"
        )


def _ones_like(y: Tensor, name: str) -> Tensor:
    dimensions = shape(y)
    return tensor_op("Fill", [dimensions, constant(1, dtype=y.dtype.base_dtype, name=name)])


class Options(NamedTuple):
    """Options of a walk that builds gradients."""

    colocate: bool
    gate: bool
    # A constant of `AggregationMethod`.
    method: int


class Sweep:
    """One backward pass from the ys to the xs, through the operations of one control flow context.

    Conditionals and loops in that context are passed as wholes.
    """

    def __init__(self, graph: Graph, options: Options, level: Any = None) -> None:
        self.graph = graph
        self.options = options
        self._colocate, self._gate, self._method = options
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

    def gradient_of(self, x: Tensor) -> Any:
        """Returns the gradient of `x` after the walk, or None."""
        inside = self._inside.get((x._node_id, x._index))
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
            self._inside[x._node_id, x._index] = inner.gradient_of(x)

    def run(self, ys: list[Tensor], seeds: list[Any], xs: list[Tensor], stops: set[int]) -> None:
        """Visits the operations between ys and xs, each after all operations that read it.

        Args:
            ys: Tensors at which the walk starts.
            seeds: the gradients that reach them.
            xs: Tensors at which the walk ends.
            stops: ids of nodes not to walk through.
        """
        graph, core = self.graph, self.graph._core
        self._xs, self.stops = xs, stops
        # Values that one iteration passes to the next are not part of its derivatives.
        ends = regions.loop_variables_around(self._level)
        between = core.between([(x._node_id, x._index) for x in xs], [y._node_id for y in ys], ends)
        self._between = frozenset(between)
        steps = regions.steps(graph, between, self._level)
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
                # The walk passes the region from its outputs on: this gradient would be left out.
                raise ValueError(
                    f"'{y.name}' is within a conditional or loop, and '{ys[0].name}' is not. Call tf.gradients for "
                    "each of them and add the gradients."
                )
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

    def _gradients_of(self, step: int, steps: Any, stops: set[int]) -> list[tuple[Tensor, Any]]:
        """Returns the gradients of what one step reads."""
        operation = self.graph._operation
        region = steps.region_of(step)
        if region is not None:
            arriving = {}
            for node in region.outputs:
                op = operation(node)
                received = self._received.pop(node, None)
                if received is not None:
                    summed = self._summed[node] = [aggregate(parts, op, self._method) for parts in received]
                    if summed[0] is not None:
                        arriving[node] = summed[0]
            found = region.gradients(self, arriving) if arriving else []
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
        with _colocated(op, self._colocate):
            received = self._received.pop(op._id, None)
            if received is None:
                received = [[] for _ in op._outputs]
            summed = self._summed[op._id] = [aggregate(parts, op, self._method) for parts in received]
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
            return self._apply(rule, op, arriving, len(reads))

    def _apply(self, rule: Any, op: Operation, arriving: list[Any], inputs: int) -> list[Any]:
        graph = self.graph
        outer = graph._original_op
        with graph.name_scope(op.name + "_grad"):
            graph._original_op = op
            try:
                result = _as_list(rule(op, *arriving))
            finally:
                graph._original_op = outer
            if len(result) != inputs:
                raise ValueError(
                    f"Num gradients {len(result)} generated for op {op.node_def} do not match num inputs {inputs}"
                )
            if self._gate and sum(g is not None for g in result) > 1:
                with graph.device(None), graph.colocate_with(None, ignore_existing=True):
                    result = gate_together(result)
        return result


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
