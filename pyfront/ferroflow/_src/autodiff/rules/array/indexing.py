"""Gradient rules of gathers and scatters."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import (
    concat,
    densified,
    expand_dims,
    gather,
    part,
    reshape,
    shape,
    size,
    span,
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


def _ndims(x: Tensor) -> int:
    ndims = x.shape.ndims
    if ndims is None:
        raise ValueError("the gradient of a gather along a negative axis needs params of known rank")
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


register(
    {
        "Gather": _gather,
        "GatherNd": _gather_nd,
        "GatherV2": _gather_v2,
        "ScatterNd": lambda op, g: (None, _gather_nd_of(g, op.inputs[0]), None),
        "ScatterNdNonAliasingAdd": lambda op, g: (g, None, _gather_nd_of(g, op.inputs[1])),
    }
)
