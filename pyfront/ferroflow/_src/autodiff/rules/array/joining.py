"""Gradient rules of operations that join tensors or cut them apart."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import cast, concat, densified, filled, gather, known_dims, rank, shape, stack, term
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor

# Above this number of parts one SplitV is made instead of a slice for each.
_MOST_SLICES = 16


def _concat(op: Operation, g: Any, values: list[Tensor], axis: Tensor) -> list[Any]:
    """Returns the gradients of the parts of a concatenation."""
    if len(values) == 1:
        return [g]
    positive = axis % rank(values[0])
    if isinstance(g, IndexedSlices):
        return _concat_slices(g, values, axis, positive)
    if all(known_dims(v) is not None for v in values):
        sizes = [shape(v) for v in values]
    else:
        sizes = apply_op("ShapeN", [values]).outputs
        # TF 1.x: shapes are taken one by one up to the first that is not known.
        known = next(i for i, v in enumerate(values) if known_dims(v) is None)
        get_default_graph().count_operations(known + 1)
    if len(sizes) > _MOST_SLICES:
        begin = stack([positive, constant(0, dtype=dtypes.int32)])
        lengths = tensor_op("Squeeze", [tensor_op("Slice", [stack(sizes, axis=1), begin, [1, -1]])])
        return apply_op("SplitV", [g, lengths, positive], {"num_split": len(values)}, name="split").outputs
    offsets = apply_op("ConcatOffset", [positive, sizes]).outputs
    return [tensor_op("Slice", [g, begin, length]) for begin, length in zip(offsets, sizes, strict=True)]


def _concat_slices(g: IndexedSlices, values: list[Tensor], axis: Tensor, positive: Tensor) -> list[IndexedSlices]:
    static = constant_value(axis)
    if static is None:
        raise ValueError("Can only compute IndexedSlices gradient with statically-known concat_dim")
    where = int(static)
    if where < 0:
        ndims = values[0].shape.ndims
        if ndims is None:
            raise ValueError(
                "Can only compute IndexedSlices gradient with negative concat_dim when first value rank is "
                "statically-known."
            )
        where %= ndims
    sizes = [shape(v) for v in values]
    result = []
    if where > 0:
        # Every part has slices at the same indices, each cut out of the values along the axis.
        ndims_ = shape(sizes[0])
        mask = tensor_op("OneHot", [positive, tensor_op("Squeeze", [ndims_]), 1, 0], {"axis": -1})
        begin: Any = filled(ndims_, 0, dtypes.int32, "zeros")
        for length in sizes:
            all_rows = concat([constant([-1], dtype=dtypes.int32), tensor_op("Slice", [length, [1], [-1]])])
            result.append(IndexedSlices(tensor_op("Slice", [g.values, begin, all_rows]), g.indices, length))
            begin = tensor_op("Add", [begin, length * mask])
        return result
    # Along the rows each part has the slices whose index falls into it.
    start: Any = constant(0, dtype=g.indices.dtype)
    for length in sizes:
        end = start + cast(gather(length, positive), g.indices.dtype)
        inside = tensor_op("LogicalAnd", [g.indices >= start, g.indices < end])
        chosen = tensor_op("Squeeze", [tensor_op("Where", [inside])], {"squeeze_dims": [1]})
        result.append(IndexedSlices(gather(g.values, chosen), gather(g.indices, chosen) - start, length))
        start = end
    return result


def _concat_v1(op: Operation, g: Any) -> list[Any]:
    axis, *values = op.inputs
    return [None, *_concat(op, g, values, axis)]


def _concat_v2(op: Operation, g: Any) -> list[Any]:
    *values, axis = op.inputs
    return [*_concat(op, g, values, axis), None]


def _split_v(op: Operation, *gs: Any) -> list[Any]:
    return [concat(list(gs), op.inputs[2]), None, None]


def _dynamic_partition(op: Operation, *gs: Any) -> list[Any]:
    data, partitions = op.inputs
    prefix = shape(partitions)
    positions = term("Reshape", 2)(term("Range", 3)(0, term("Prod", 2)(prefix, [0]), 1), prefix)
    where = apply_op("DynamicPartition", [positions, partitions], {"num_partitions": op.get_attr("num_partitions")})
    together = tensor_op("ParallelDynamicStitch", [where.outputs, list(gs)])
    return [term("Reshape", 2)(together, shape(data)), None]


def _dynamic_stitch(op: Operation, g: Any) -> list[Any]:
    half = len(op.inputs) // 2
    return [None] * half + [gather(g, indices) for indices in list(op.inputs)[:half]]


register(
    {
        "Concat": _concat_v1,
        "ConcatV2": _concat_v2,
        "DynamicPartition": _dynamic_partition,
        "DynamicStitch": _dynamic_stitch,
        "Pack": lambda op, g: (
            apply_op("Unpack", [g], {"num": op.get_attr("N"), "axis": op.get_attr("axis")}, name="unstack").outputs
        ),
        "ParallelDynamicStitch": _dynamic_stitch,
        "Split": lambda op, *gs: (None, concat(list(gs), op.inputs[0])),
        "SplitV": _split_v,
        "Unpack": lambda op, *gs: stack([densified(g) for g in gs], axis=op.get_attr("axis")),
    }
)

register_none(["ConcatOffset"])
