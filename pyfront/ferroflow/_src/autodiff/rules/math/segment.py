"""Gradient rules of sums, means, products and extremes by segment."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import (
    cast,
    concat,
    densified,
    expand_dims,
    filled,
    gather,
    item,
    ones_like,
    rank,
    select,
    shape,
    term,
    zeros_like,
)
from ferroflow._src.base import dtypes
from ferroflow._src.framework.handles import Operation, Tensor

equal, greater, greater_equal, maximum, logical_and = (
    term(op_type, 2) for op_type in ["Equal", "Greater", "GreaterEqual", "Maximum", "LogicalAnd"]
)
segment_sum, segment_prod = term("SegmentSum", 2), term("SegmentProd", 2)
unsorted_sum, unsorted_prod = term("UnsortedSegmentSum", 3), term("UnsortedSegmentProd", 3)


def _segment_mean(op: Operation, g: Any) -> tuple[Tensor, None]:
    data, ids = op.inputs
    g = densified(g)
    ids_shape = shape(ids)
    ones = filled(expand_dims(rank(data) - 1, 0), 1, ids_shape.dtype, "ones")
    each = filled(concat([ids_shape, ones]), 1, g.dtype.base_dtype, "ones")
    return gather(g / segment_sum(each, ids), ids), None


def _segment_extreme(op: Operation, g: Any) -> tuple[Tensor, None]:
    data, ids = op.inputs
    g = densified(g)
    zeros = zeros_like(data)
    chosen = equal(data, gather(op.outputs[0], ids))
    count = segment_sum(cast(chosen, g.dtype), ids)
    return select(chosen, gather(g / count, ids), zeros), None


def _segment_prod(op: Operation, g: Any) -> tuple[Tensor, None]:
    data, ids = op.inputs
    g = densified(g)
    is_zero = equal(data, 0)
    zeros = segment_sum(cast(is_zero, dtypes.int32), ids)
    # A segment with two zeros has no gradient; with one, only at that zero: the product of the others.
    g = select(_like(greater(zeros, 1), g), zeros_like(g), g)
    nonzero = select(is_zero, ones_like(data), data)
    others = gather(segment_prod(nonzero, ids), ids)
    partial = select(is_zero, others, gather(op.outputs[0], ids) / nonzero)
    return gather(g, ids) * partial, None


def _like(condition: Tensor, x: Tensor) -> Tensor:
    """Returns a condition of rank at most that of `x`, with its leading dimensions, repeated to the shape of `x`."""
    missing = rank(x) - rank(condition)
    ones = filled(expand_dims(missing, 0), 1, dtypes.int32, "ones")
    aligned = term("Reshape", 2)(condition, concat([shape(condition), ones]))
    return logical_and(aligned, ones_like(x, dtypes.bool))


def _gather_positive(params: Any, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Returns rows of params by id, zeros where it is negative; ids with 0 for negative ones; where they are not
    negative.
    """
    clipped = maximum(ids, zeros_like(ids))
    gathered = gather(params, clipped)
    positive = _like(greater_equal(ids, 0), gathered)
    return select(positive, gathered, zeros_like(gathered)), clipped, positive


def _unsorted_sum(op: Operation, g: Any) -> tuple[Tensor, None, None]:
    return _gather_positive(g, op.inputs[1])[0], None, None


def _unsorted_extreme(op: Operation, g: Any) -> tuple[Tensor, None, None]:
    data, ids, segments = op.inputs
    outputs, clipped, positive = _gather_positive(op.outputs[0], ids)
    chosen = logical_and(equal(data, outputs), positive)
    count = unsorted_sum(cast(chosen, g.dtype), ids, segments)
    rows = gather(densified(g) / count, clipped)
    zeros = zeros_like(rows)
    return select(chosen, select(positive, rows, zeros), zeros), None, None


def _unsorted_prod(op: Operation, g: Any) -> tuple[Tensor, None, None]:
    data, ids, segments = op.inputs
    g = densified(g)
    is_zero = equal(data, 0)
    zeros = unsorted_sum(cast(is_zero, dtypes.int32), ids, segments)
    g = select(_like(greater(zeros, 1), g), zeros_like(g), g)
    nonzero = select(is_zero, ones_like(data), data)
    rows, clipped, _ = _gather_positive(g, ids)
    others = gather(unsorted_prod(nonzero, ids, segments), clipped)
    partial = select(is_zero, others, gather(op.outputs[0], clipped) / nonzero)
    return rows * partial, None, None


def _sparse_segment(kind: str) -> Any:
    def rule(op: Operation, g: Any) -> list[Any]:
        rows = item(shape(op.inputs[0]), 0)
        data = term(kind, 4)(densified(g), op.inputs[1], op.inputs[2], rows)
        return [data] + [None] * (len(op.inputs) - 1)

    return rule


def _sparse_segment_sum(op: Operation, g: Any) -> list[Any]:
    rows = item(shape(op.inputs[0]), 0)
    data = unsorted_sum(gather(g, op.inputs[2]), op.inputs[1], rows)
    return [data] + [None] * (len(op.inputs) - 1)


register(
    {
        "SegmentMax": _segment_extreme,
        "SegmentMean": _segment_mean,
        "SegmentMin": _segment_extreme,
        "SegmentProd": _segment_prod,
        "SegmentSum": lambda op, g: (gather(g, op.inputs[1]), None),
        "SparseSegmentMean": _sparse_segment("SparseSegmentMeanGrad"),
        "SparseSegmentMeanWithNumSegments": _sparse_segment("SparseSegmentMeanGrad"),
        "SparseSegmentSqrtN": _sparse_segment("SparseSegmentSqrtNGrad"),
        "SparseSegmentSqrtNWithNumSegments": _sparse_segment("SparseSegmentSqrtNGrad"),
        "SparseSegmentSum": _sparse_segment_sum,
        "SparseSegmentSumWithNumSegments": _sparse_segment_sum,
        "UnsortedSegmentMax": _unsorted_extreme,
        "UnsortedSegmentMin": _unsorted_extreme,
        "UnsortedSegmentProd": _unsorted_prod,
        "UnsortedSegmentSum": _unsorted_sum,
    }
)
