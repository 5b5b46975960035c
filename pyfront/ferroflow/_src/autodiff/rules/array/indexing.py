"""Gradient rules of gathers and scatters."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import (
    cast,
    concat,
    densified,
    expand_dims,
    gather,
    item,
    part,
    reshape,
    shape,
    size,
    span,
    stack,
    term,
    zeros_like,
)
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor


def _rows(params: Tensor, indices: Tensor, g: Any) -> IndexedSlices:
    with params.graph.colocate_with(params):
        params_shape = shape(params)
    count = expand_dims(size(indices), 0)
    values = reshape(g, concat([count, part(params_shape, 1)]))
    return IndexedSlices(values, reshape(indices, count), params_shape)


def _gather(op: Operation, g: Any) -> list[Any]:
    return [_rows(op.inputs[0], op.inputs[1], g), None]


def _gather_v2(op: Operation, g: Any) -> list[Any]:
    params, indices, axis = op.inputs
    static = constant_value(axis)
    if op.get_attr("batch_dims") != 0:
        return [_batched(params, indices, static, op.get_attr("batch_dims"), g), None, None]
    if static is not None and int(static) == 0:
        return [_rows(params, indices, g), None, None]
    # The gathered dimension goes to the front, where slices are summed by segment, and back.
    with params.graph.colocate_with(params):
        params_shape = shape(params)
    where = axis if static is None or int(static) >= 0 else constant(int(static) % _ndims(params), dtype=dtypes.int32)
    front = _vector(where)
    behind = _vector(where + 1)
    outer = tensor_op("Slice", [params_shape, [0], front])
    inner = tensor_op("Slice", [params_shape, behind, [-1]])
    count = expand_dims(size(indices), 0)
    values_shape = concat([outer, count, inner])
    outer_rank, values_rank = size(outer), size(values_shape)
    before, after = span(0, outer_rank), span(outer_rank + 1, values_rank)
    order = concat([_vector(outer_rank), before, after])
    moved = tensor_op("Transpose", [reshape(g, values_shape), order], name="transpose")
    rows = gather(params_shape, where)
    summed = tensor_op("UnsortedSegmentSum", [moved, reshape(indices, count), rows])
    back = concat([before + 1, constant([0], dtype=dtypes.int32), after])
    return [tensor_op("Transpose", [summed, back], name="transpose"), None, None]


def _batched(params: Tensor, indices: Tensor, static_axis: Any, batch_dims: int, g: Any) -> Tensor:
    """The gradient of a gather whose leading dimensions are those of the indices."""
    if static_axis is None:
        raise ValueError("the gradient of a gather with batch_dims needs a known axis")
    rank_, picked = _ndims(params), _ndims(indices)
    axis = int(static_axis) % rank_
    batch = batch_dims + picked if batch_dims < 0 else batch_dims
    count = picked - batch
    params_shape = shape(params)
    # Of g [batch..., before..., picked..., after...] the picked dimensions go to behind the batch.
    n = rank_ - 1 + count
    order = [*range(batch), *range(axis, axis + count), *range(batch, axis), *range(axis + count, n)]
    moved = tensor_op("Transpose", [densified(g), order], name="transpose")
    batches = term("Prod", 2)(part(params_shape, end=batch), [0])
    limit = item(params_shape, axis)
    row = concat([part(params_shape, batch, axis), part(params_shape, axis + 1)])
    # Row i of batch b is segment b * limit + i of all.
    ids = cast(indices, dtypes.int64)
    wide_limit = cast(limit, dtypes.int64)
    starts = span(constant(0, dtype=dtypes.int64), cast(batches, dtypes.int64) * wide_limit, wide_limit)
    ids = reshape(reshape(ids, stack([batches, -1])) + expand_dims(starts, 1), [-1])
    values = reshape(moved, concat([shape(ids), row]))
    summed = tensor_op("UnsortedSegmentSum", [values, ids, batches * limit])
    back = reshape(summed, concat([part(params_shape, end=batch), _vector(limit), row]))
    home = [*range(batch), *range(batch + 1, axis + 1), batch, *range(axis + 1, rank_)]
    return tensor_op("Transpose", [back, home], name="transpose")


def _ndims(x: Tensor) -> int:
    ndims = x.shape.ndims
    if ndims is None:
        raise ValueError(f"the gradient of a gather along this axis needs the rank of {x.name}")
    return ndims


def _vector(scalar: Any) -> Tensor:
    return reshape(scalar, [1])


def _gather_nd(op: Operation, g: Any) -> list[Any]:
    params, indices = op.inputs
    params_shape = shape(params, indices.dtype)
    found = indices.shape
    if found.ndims == 2 and found.as_list()[-1] == 1:
        flat = tensor_op("Squeeze", [indices], {"squeeze_dims": [-1]})
        return [IndexedSlices(densified(g), flat, params_shape), None]
    return [tensor_op("ScatterNd", [indices, densified(g), params_shape]), None]


def _gather_nd_of(g: Any, indices: Tensor) -> Tensor:
    return tensor_op("GatherNd", [densified(g), indices])


def _tensor_scatter_update(op: Operation, g: Any) -> tuple[Any, ...]:
    _, indices, updates = op.inputs
    g = densified(g)
    kept = tensor_op("TensorScatterUpdate", [g, indices, zeros_like(updates)])
    return kept, None, _gather_nd_of(g, indices)


def _tensor_scatter_sub(op: Operation, g: Any) -> tuple[Any, ...]:
    return g, None, -_gather_nd_of(g, op.inputs[1])


register(
    {
        "Gather": _gather,
        "GatherNd": _gather_nd,
        "GatherV2": _gather_v2,
        "ScatterNd": lambda op, g: (None, _gather_nd_of(g, op.inputs[0]), None),
        "TensorScatterAdd": lambda op, g: (g, None, _gather_nd_of(g, op.inputs[1])),
        "TensorScatterSub": _tensor_scatter_sub,
        "TensorScatterUpdate": _tensor_scatter_update,
        "ScatterNdNonAliasingAdd": lambda op, g: (g, None, _gather_nd_of(g, op.inputs[1])),
    }
)
