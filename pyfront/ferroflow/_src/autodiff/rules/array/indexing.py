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
    rank,
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
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor


def _rows(params: Tensor, indices: Tensor, g: Any) -> IndexedSlices:
    with params.graph.colocate_with(params):
        params_shape = shape(params)
    count = expand_dims(size(indices), 0)
    values = reshape(g, concat([count, part(params_shape, 1)]))
    return IndexedSlices(values, reshape(indices, count), params_shape)


def _counted_rows(params: Tensor, indices: Tensor, g: Any) -> IndexedSlices:
    # TF 1.x: the shape is int64, and cast.
    get_default_graph().count_operations(1)
    return _rows(params, indices, g)


def _gather(op: Operation, g: Any) -> list[Any]:
    return [_counted_rows(op.inputs[0], op.inputs[1], g), None]


def _gather_v2(op: Operation, g: Any) -> list[Any]:
    params, indices, axis = op.inputs
    static = constant_value(axis)
    batch = op.get_attr("batch_dims")
    if batch < 0:
        batch += _ndims(indices)
    if static is not None and int(static) == 0:
        return [_counted_rows(params, indices, g), None, None]
    # The gathered dimension goes to behind the batch, where slices are summed by segment, and back.
    with params.graph.colocate_with(params):
        params_shape = shape(params)
    # Dimension numbers are added to the axis, which may be int64 and may count from the end.
    where = cast(axis, dtypes.int32)
    if static is None or int(static) < 0:
        where = tensor_op("FloorMod", [where, rank(params)])
    front, behind = _vector(where), _vector(where + 1)
    outer = tensor_op("Slice", [params_shape, [0], front])
    inner = tensor_op("Slice", [params_shape, behind, [-1]])
    # TF 1.x: the indices of each batch are as many as their own dimensions say.
    picked = expand_dims(size(indices) if batch == 0 else _product(part(shape(indices), batch)), 0)
    values_shape = concat([outer, picked, inner])
    batches, between = span(0, batch), span(batch, where)
    after = span(where + 1, size(values_shape))
    order = concat([batches, front, between, after])
    moved = tensor_op("Transpose", [reshape(g, values_shape), order], name="transpose")
    summed = _summed_rows(moved, indices, gather(params_shape, where), batch)
    back = concat([batches, between + 1, constant([batch], dtype=dtypes.int32), after])
    return [tensor_op("Transpose", [summed, back], name="transpose"), None, None]


def _summed_rows(values: Tensor, indices: Tensor, rows: Tensor, batch: int) -> Tensor:
    """Returns the sums by row of values [batch..., picked, rest...], [batch..., rows, rest...]."""
    if batch == 0:
        return tensor_op("UnsortedSegmentSum", [values, reshape(indices, [-1]), rows])
    values_shape = shape(values)
    outer, rest = part(values_shape, end=batch), part(values_shape, batch + 1)
    batches = _product(outer)
    picked = item(values_shape, batch)
    # Row i of batch b is segment b * rows + i of all.
    ids = cast(indices, dtypes.int64)
    wide = cast(rows, dtypes.int64)
    starts = span(constant(0, dtype=dtypes.int64), cast(batches, dtypes.int64)) * wide
    ids = reshape(ids, stack([batches, picked])) + expand_dims(starts, 1)
    count = _vector(batches * picked)
    flat = reshape(values, concat([count, rest]))
    summed = tensor_op("UnsortedSegmentSum", [flat, reshape(ids, count), batches * rows])
    return reshape(summed, concat([outer, _vector(rows), rest]))


def _ndims(x: Tensor) -> int:
    ndims = x.shape.ndims
    if ndims is None:
        raise ValueError(f"The gradient of a gather with negative batch_dims needs the rank of {x.name}.")
    return ndims


def _product(vector: Tensor) -> Tensor:
    return term("Prod", 2)(vector, [0])


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
