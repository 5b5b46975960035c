"""Gradient rules of the largest elements of rows."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import cast, expand_dims, item, reduce_sum, reshape, shape, span, stack, term
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.handles import Operation


def _top_k(op: Operation, g: Any, _: Any) -> list[Any]:
    x, indices = op.inputs[0], op.outputs[1]
    x_shape, indices_shape = shape(x), shape(indices)
    k = item(indices_shape, -1)
    columns = item(x_shape, -1)
    rows_of = reshape(indices, stack([-1, k]))
    rows = item(shape(rows_of), 0)
    # Indices into a row become indices into all elements, in int64: their product may exceed int32.
    wide = tensor_op("Cast", [columns], {"DstT": dtypes.int64})
    limit = tensor_op("Cast", [rows], {"DstT": dtypes.int64}) * wide
    offsets = expand_dims(span(constant(0, dtype=dtypes.int64), limit, wide), -1)
    flat = reshape(tensor_op("Cast", [rows_of], {"DstT": dtypes.int64}) + offsets, [-1, 1])
    total = tensor_op("Prod", [tensor_op("Cast", [x_shape], {"DstT": dtypes.int64}), [0]], {"keep_dims": True})
    placed = tensor_op("ScatterNd", [flat, reshape(g, [-1]), total])
    return [reshape(placed, x_shape)] + [None] * (len(op.inputs) - 1)


def _nth_element(op: Operation, g: Any) -> tuple[Any, None]:
    # Elements that are equal to the n-th share the gradient.
    chosen = cast(term("Equal", 2)(expand_dims(op.outputs[0], -1), op.inputs[0]), g.dtype)
    count = reduce_sum(chosen, [-1], keep_dims=True)
    return chosen / count * expand_dims(g, -1), None


register({"NthElement": _nth_element, "TopK": _top_k, "TopKV2": _top_k})
