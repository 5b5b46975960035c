"""Gradient rules of operations on ragged tensors: the gradients of their values."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import gather, reshape, shape
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.handles import Operation


def _gather(op: Operation, *grads: Any) -> list[Any]:
    *nested, values, indices = op.inputs
    # The ends of the outermost rows, counted in values.
    ends = nested[0]
    for splits in nested[1:]:
        ends = gather(splits, ends)
    rows = reshape(indices, [-1])
    starts, limits = gather(ends, rows), gather(ends[1:], rows)
    places = apply_op("RaggedRange", [starts, limits, constant(1, dtype=starts.dtype)]).outputs[1]
    return [*(None for _ in nested), IndexedSlices(grads[-1], places, shape(values)), None]


def _to_sparse(op: Operation, _: Any, values_grad: Any, __: Any) -> list[Any]:
    *nested, values = op.inputs
    return [*(None for _ in nested), reshape(values_grad, shape(values))]


register({"RaggedGather": _gather, "RaggedTensorToSparse": _to_sparse})
register_none(["RaggedRange"])
