"""`gradients`: builds the operations that compute derivatives of a graph."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Sequence
from typing import Any

from ferroflow._src.autodiff.aggregation import aggregate, check_method
from ferroflow._src.autodiff.gating import gate_together
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices, convert_n_to_tensor_or_indexed_slices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_n_to_tensor
from ferroflow._src.framework.graph import Graph, graph_of, name_scope
from ferroflow._src.framework.gradient_registry import get_gradient_function
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
) -> list[Any]:
    """Derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: tensor or list of tensors, floating or complex.
      xs: tensor, variable, or list of them.
      grad_ys: list of the gradients that reach `ys`, each of its y's dtype and shape; None, or a None in it, means ones.
      name: name scope of the operations made.
      colocate_gradients_with_ops: places each gradient with its forward operation.
      gate_gradients: makes the gradients of one operation usable only together.
      aggregation_method: a constant of `AggregationMethod`.
      stop_gradients: tensors to be held constant.

    Returns:
      For each x a tensor of its dtype and shape, IndexedSlices, or None where no y depends on it.

    Raises:
      LookupError: an operation between has no gradient rule.
      TypeError: a y, x or gradient has a wrong dtype.
      ValueError: numbers of gradients or shapes do not fit.
    """
    ys, xs = _as_list(ys), _as_list(xs)
    stops = _as_list(stop_gradients) if stop_gradients is not None else []
    seeds = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    if len(seeds) != len(ys):
        raise ValueError(f"Must pass one grad_y for each y in ys: {len(seeds)} for {len(ys)}")
    method = check_method(aggregation_method)
    graph = graph_of([*ys, *xs, *stops, *[g for g in seeds if g is not None]])
    with name_scope(name, "gradients", [*ys, *xs, *stops, *seeds]):
        # TF 1.x: the name is taken whether or not the id is used.
        graph.unique_name("uid")
        ys = convert_n_to_tensor_or_indexed_slices(ys, name="y")
        xs = convert_n_to_tensor_or_indexed_slices(xs, name="x", as_ref=True)
        seeds = _seeds(seeds, ys, colocate_gradients_with_ops)
        if len(ys) > 1:
            ys = [tensor_op("Identity", [y]) if y.consumers() else y for y in ys]
        sweep = _Sweep(graph, colocate_gradients_with_ops, gate_gradients, method)
        sweep.run(ys, seeds, xs, [t.op for t in stops])
    return [sweep.gradient_of(x) for x in xs]


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _colocated(op: Operation, wanted: bool) -> Any:
    return op.graph.colocate_with(op) if wanted else contextlib.nullcontext()


def _seeds(seeds: Sequence[Any], ys: Sequence[Any], colocate: bool) -> list[Any]:
    """The gradients that reach `ys`: the given ones checked, ones where none is given."""
    result = []
    for i, (seed, y) in enumerate(zip(seeds, ys, strict=True)):
        with _colocated(y.op, colocate):
            if seed is None:
                if y.dtype.is_complex:
                    raise TypeError(
                        "Gradients of complex tensors must set grad_ys (y.dtype = %s)" % y.dtype  # noqa: UP031
                    )
                result.append(_ones_like(y, f"grad_ys_{i}"))
                continue
            if isinstance(seed, IndexedSlices):
                result.append(seed)
                continue
            if not isinstance(seed, Tensor):
                seed = convert_n_to_tensor([seed], dtype=y.dtype.base_dtype, name=f"grad_y_{i}")[0]
            _check_seed(seed, y)
            result.append(tensor_op("Identity", [seed], name=f"grad_ys_{i}"))
    return result


def _check_seed(seed: Tensor, y: Tensor) -> None:
    given, wanted = seed.dtype, y.dtype.base_dtype
    for kind, holds in (
        ("real or integer", not (wanted.is_floating or wanted.is_integer) or given.is_floating or given.is_integer),
        ("complex", not wanted.is_complex or given.is_complex),
    ):
        if not holds:
            raise TypeError(
                f"Gradient type {given.name} generated for {kind} tensor {y} with type {wanted.name} must be {kind}"
            )


def _ones_like(y: Tensor, name: str) -> Tensor:
    shape = y.shape
    if shape.is_fully_defined():
        dims: Any = constant(shape.as_list(), dtype="int32", name="Shape")
    else:
        dims = tensor_op("Shape", [y])
    with name_scope(name) as scope:
        one = constant(1, dtype=y.dtype.base_dtype)
        return tensor_op("Fill", [dims, one], name=scope)


class _Sweep:
    """One walk from the ys back to the xs."""

    def __init__(self, graph: Graph, colocate: bool, gate: bool, method: int) -> None:
        self._graph = graph
        self._colocate = colocate
        self._gate = gate
        self._method = method
        # For each node, for each output: the list of gradients received; once visited, their sum (or None).
        self._received: dict[int, list[Any]] = {}
        self._summed: set[int] = set()

    def _receive(self, node: int, index: int, outputs: int, gradient: Any) -> None:
        slots = self._received.get(node)
        if slots is None:
            slots = self._received[node] = [[] for _ in range(outputs)]
        slots[index].append(gradient)

    def gradient_of(self, x: Any) -> Any:
        """The summed gradient of `x` after the walk."""
        if isinstance(x, IndexedSlices):
            x = x.values
        slots = self._received.get(x._node_id)
        if slots is None:
            return None
        if x._node_id not in self._summed:
            # TF 1.x: an x that lies behind an unvisited operation.
            return None
        return slots[x._index]

    def run(self, ys: list[Any], seeds: list[Any], xs: list[Any], stop_ops: list[Operation]) -> None:
        graph, core = self._graph, self._graph._core
        ys = [y.values if isinstance(y, IndexedSlices) else y for y in ys]
        sources = [x.values if isinstance(x, IndexedSlices) else x for x in xs]
        targets = [y._node_id for y in ys]
        between = set(core.between([(x._node_id, x._index) for x in sources], targets, []))
        inputs = {node: core.node_inputs(node) for node in between}
        pending: dict[int, int] = collections.defaultdict(int)
        for reads in inputs.values():
            for node, _ in reads:
                if node in between:
                    pending[node] += 1
        for y, seed in zip(ys, seeds, strict=True):
            self._receive(y._node_id, y._index, len(y.op.outputs), seed)
        stops = {op._id for op in stop_ops}
        for x in sources:
            if all(node not in between or pending[node] <= 0 for node, _ in inputs.get(x._node_id, ())):
                stops.add(x._node_id)
        queue = collections.deque(dict.fromkeys(t for t in targets if pending[t] == 0 and t in between))
        for x in sources:
            if x._node_id not in between and x._node_id in targets:
                self._sum(graph._operations[x._node_id])
        while queue:
            op = graph._operations[queue.popleft()]
            reads = inputs[op._id]
            for (node, index), gradient in zip(reads, self._visit(op, stops, len(reads)), strict=True):
                if gradient is not None:
                    source = graph._operations[node]
                    self._fit(op, source.outputs[index], gradient, index)
                    self._receive(node, index, len(source.outputs), gradient)
            for node, _ in reads:
                if node in between:
                    pending[node] -= 1
                    if pending[node] == 0:
                        queue.append(node)

    def _sum(self, op: Operation) -> list[Any]:
        slots = self._received.get(op._id)
        if slots is None:
            slots = self._received[op._id] = [[] for _ in op.outputs]
        if op._id not in self._summed:
            for i, received in enumerate(slots):
                slots[i] = aggregate(received, op, self._method)
            self._summed.add(op._id)
        return slots

    def _visit(self, op: Operation, stops: set[int], inputs: int) -> list[Any]:
        """The gradients of an operation's inputs."""
        with _colocated(op, self._colocate):
            out_gradients = list(self._sum(op))
            if op._id in stops or all(g is None for g in out_gradients):
                return [None] * inputs
            try:
                rule = get_gradient_function(op)
            except LookupError:
                raise LookupError(
                    f"No gradient defined for operation '{op.name}' (op type: {op.type})"
                ) from None
            if rule is None:
                return [None] * inputs
            for i, gradient in enumerate(out_gradients):
                if gradient is None and _is_trainable(op.outputs[i]):
                    out_gradients[i] = tensor_op("ZerosLike", [op.outputs[i]], name="zeros_like")
            outer = self._graph._original_op
            with self._graph.name_scope(op.name + "_grad"):
                self._graph._original_op = op
                try:
                    result = _as_list(rule(op, *out_gradients))
                finally:
                    self._graph._original_op = outer
                _check_result(op, result, inputs)
                if self._gate and sum(g is not None for g in result) > 1:
                    with self._graph.colocate_with(None, ignore_existing=True):
                        result = gate_together(result)
            return result

    @staticmethod
    def _fit(op: Operation, read: Tensor, gradient: Any, index: int) -> None:
        if not isinstance(gradient, Tensor):
            return
        shape = read.shape
        if gradient.shape.is_fully_defined() and shape.is_fully_defined() and gradient.shape == shape:
            return
        try:
            gradient.set_shape(shape)
        except ValueError:
            raise ValueError(
                "Incompatible shapes between op input and calculated input gradient.  Forward operation: "
                f"{op.name}.  Input index: {index}. Original input shape: {shape}.  Calculated input gradient shape: "
                f"{gradient.shape}"
            ) from None


def _is_trainable(tensor: Tensor) -> bool:
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_complex


def _check_result(op: Operation, result: list[Any], inputs: int) -> None:
    if len(result) != inputs:
        raise ValueError(f"Num gradients {len(result)} generated for op {op.node_def} do not match num inputs {inputs}")


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor]:
    """Second derivatives of the sum of `ys` with respect to each vector of `xs`.

    Args:
      ys: tensor or list of tensors.
      xs: vector [n] of known length, or list of them.
      name: name scope of the operations made.
      colocate_gradients_with_ops: as for `gradients`.
      gate_gradients: as for `gradients`.
      aggregation_method: as for `gradients`.

    Returns:
      For each x a tensor [n, n].

    Raises:
      ValueError: an x is no vector of known length.
    """
    xs = _as_list(xs)
    options: Any = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    result = []
    for gradient, x in zip(gradients(ys, xs, **options), xs, strict=True):
        length = x.shape.with_rank(1).as_list()[0]
        if length is None:
            raise ValueError("hessians need vectors of known length")
        with name_scope(name):
            rows = []
            for i in range(length):
                one = tensor_op("StridedSlice", [gradient, [i], [i + 1], [1]], {"shrink_axis_mask": 1}, name="strided_slice")
                rows.append(gradients(one, x, **options)[0])
            result.append(tensor_op("Pack", [rows], name="stack"))
    return result
