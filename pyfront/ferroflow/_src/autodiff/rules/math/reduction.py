"""Gradient rules of reductions over dimensions and of running sums and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.autodiff.counting import counted
from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import (
    cast,
    concat,
    conj,
    densified,
    filled,
    gather,
    known_dims,
    rank,
    reduce_prod,
    reduce_sum,
    reshape,
    shape,
    size,
    span,
    term,
)
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor, static_dims

tile, broadcast_to, equal, maximum = (term(op_type, 2) for op_type in ["Tile", "BroadcastTo", "Equal", "Maximum"])


# TF 1.x: a size, positive axes, two ranges, ones and a DynamicStitch.
_OPERATIONS_OF_KEPT_SHAPE = 10


def _kept_shape(of: Tensor, of_shape: Any, axes: Tensor) -> Any:
    """Returns the shape of a reduction that keeps reduced dimensions as ones: a list of ints, or an int32 vector."""
    known, known_axes = known_dims(of), constant_value(axes)
    if known is not None and known_axes is not None:
        kept = np.array(known, np.int64)
        kept[known_axes.reshape(-1)] = 1
        return kept.tolist()
    axes = cast(axes, dtypes.int32)
    rank_ = size(of_shape)
    positive = (axes + rank_) % rank_
    ones = filled(shape(positive), 1, dtypes.int32, "ones")
    return tensor_op("DynamicStitch", [[span(0, rank_), positive], [of_shape, ones]])


def _sum(op: Operation, g: Any) -> list[Any]:
    x, axes = op.inputs
    g = densified(g)
    found = static_dims(x)
    known_axes = None if found is None else constant_value(axes)
    if found is not None and known_axes is not None:
        if np.array_equal(known_axes, np.arange(len(found))):
            g = reshape(g, [1] * len(found))
            full = shape(x) if None in found else constant(list(found), dtype=dtypes.int32)
            return [tile(g, full), None]
        if None not in found:
            # TF 1.x: the first sum of a shape over some dimensions adds the shape's operations, later ones do not.
            known = get_default_graph().reduced_shapes
            reduction = tuple(int(n) for n in found if n is not None), tuple(known_axes.reshape(-1).tolist())
            with counted(4 if reduction in known else 21):
                known.add(reduction)
                kept = _kept_shape(x, None, axes)
                repeats = [n // max(k, 1) for n, k in zip(found, kept, strict=True)]
                return [tile(reshape(g, kept), repeats), None]
    x_shape = shape(x)
    keeps = op.get_attr("keep_dims")
    if not keeps:
        g = reshape(g, _kept_shape(x, x_shape, axes))
    # TF 1.x: a quotient of shapes says how often the gradient is repeated.
    get_default_graph().count_operations(14 if keeps else 3)
    return [broadcast_to(g, x_shape), None]


def _shared(g: Tensor, count: Tensor) -> Tensor:
    """Returns a gradient divided by the number of elements that share it. TF 1.x: whole numbers are cut off at 0."""
    return tensor_op("Div", [g, count]) if g.dtype.is_integer else g / count


def _mean(op: Operation, g: Any) -> list[Any]:
    x = op.inputs[0]
    total = _sum(op, g)[0]
    known, reduced = known_dims(x), known_dims(op.outputs[0])
    if known is not None and reduced is not None:
        count = int(np.prod(known, dtype=np.int64)) // max(int(np.prod(reduced, dtype=np.int64)), 1)
        factor = constant(count, dtype=total.dtype)
    else:
        of_x, of_y = (reduce_prod(sizes) for sizes in (shape(x), shape(op.outputs[0])))
        factor = cast(of_x // maximum(of_y, 1), total.dtype)
    return [_shared(total, factor), None]


def _extreme(op: Operation, g: Any) -> list[Any]:
    x, axes = op.inputs
    y = op.outputs[0]
    g = densified(g)
    x_shape = shape(x)
    if op.get_attr("keep_dims"):
        kept: Any = shape(y)
    else:
        kept = _kept_shape(x, x_shape, axes)
        y, g = reshape(y, kept), reshape(g, kept)
        if isinstance(kept, list):
            # TF 1.x: this shape is computed in the step; here it is a constant of each of three reshapes.
            get_default_graph().count_operations(_OPERATIONS_OF_KEPT_SHAPE - 3)
    # Equal extremes share the gradient.
    chosen = cast(equal(y, x), g.dtype)
    count = reshape(reduce_sum(chosen, axes), kept)
    if g.dtype.is_integer:
        return [chosen * _shared(g, count), None]
    return [chosen / count * g, None]


def _euclidean_norm(op: Operation, g: Any) -> list[Any]:
    x, axes = op.inputs
    y, g = op.outputs[0], densified(g)
    x_shape = shape(x)
    if not op.get_attr("keep_dims"):
        kept = _kept_shape(x, x_shape, axes)
        y, g = reshape(y, kept), reshape(g, kept)
    return [x * (g / y), None]


def _prod(op: Operation, g: Any) -> list[Any]:
    x, axes = op.inputs
    g = densified(g)
    x_shape = shape(x)
    reduced = reshape(axes, [-1])
    if not op.get_attr("keep_dims"):
        g = reshape(g, _kept_shape(x, x_shape, axes))
    g = broadcast_to(g, x_shape)
    rank_ = rank(x)
    reduced = (cast(reduced, dtypes.int32) + rank_) % rank_
    others = apply_op("ListDiff", [span(0, rank_), reduced]).outputs[0]
    order = concat([reduced, others])
    sizes = [reduce_prod(gather(x_shape, reduced)), reduce_prod(gather(x_shape, others))]
    transposed = tensor_op("Transpose", [x, order], name="transpose")
    rows = reshape(transposed, sizes)
    # The product of all others is what stands before an element times what stands after, so zeros are no trouble.
    before = tensor_op("Cumprod", [rows, 0], {"exclusive": True})
    after = tensor_op("Cumprod", [rows, 0], {"exclusive": True, "reverse": True})
    y = reshape(conj(before) * conj(after), shape(transposed))
    back = tensor_op("Transpose", [y, tensor_op("InvertPermutation", [order])], name="transpose")
    return [reshape(g * back, x_shape), None]


def _running(op: Operation) -> dict[str, bool]:
    return {"exclusive": op.get_attr("exclusive"), "reverse": not op.get_attr("reverse")}


def _cumsum(op: Operation, g: Any) -> list[Any]:
    return [tensor_op("Cumsum", [densified(g), op.inputs[1]], _running(op)), None]


def _cumprod(op: Operation, g: Any) -> list[Any]:
    x, axis = op.inputs
    forward = {"exclusive": op.get_attr("exclusive"), "reverse": op.get_attr("reverse")}
    product = tensor_op("Cumprod", [x, axis], forward)
    total = tensor_op("Cumsum", [product * densified(g), axis], _running(op))
    return [total / x, None]


def _cumulative_logsumexp(op: Operation, g: Any) -> list[Any]:
    x, axis = op.inputs
    g = densified(g)
    lowest = constant(g.dtype.min, dtype=g.dtype.base_dtype)

    def part(sign: float) -> Tensor:
        """Returns the sum for the gradients of one sign, of whose logarithms sums are exact."""
        own = g if sign > 0 else -g
        logs = tensor_op("SelectV2", [own > 0, tensor_op("Log", [own]), lowest])
        sums = tensor_op("CumulativeLogsumexp", [logs - op.outputs[0], axis], _running(op))
        return tensor_op("Exp", [sums + x])

    return [part(1.0) - part(-1.0), None]


register(
    {
        "Cumprod": _cumprod,
        "Cumsum": _cumsum,
        "CumulativeLogsumexp": _cumulative_logsumexp,
        "EuclideanNorm": _euclidean_norm,
        "Max": _extreme,
        "Mean": _mean,
        "Min": _extreme,
        "Prod": _prod,
        "Sum": _sum,
    }
)

register_none(["ArgMax", "ArgMin", "LinSpace", "Range"])
