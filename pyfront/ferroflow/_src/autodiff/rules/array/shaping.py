"""Gradient rules of changes of shape: reshapes, transposes, repetitions, padding, blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import (
    concat,
    densified,
    item,
    part,
    rank,
    reduce_sum,
    reshape,
    shape,
    size,
    span,
    stack,
    term,
)
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.handles import Operation, Tensor, static_dims


def _to_input_shape(op: Operation, g: Any) -> Tensor:
    return reshape(g, shape(op.inputs[0]))


def _reshape(op: Operation, g: Any) -> tuple[Tensor, None]:
    found = static_dims(op.inputs[0])
    if found is not None and found.count(None) == 1 and 0 not in found:
        # One unknown dimension is what is left: no need to wait for the shape of the input.
        return reshape(g, [-1 if n is None else n for n in found]), None
    return _to_input_shape(op, g), None


def _inverse_order(op: Operation) -> Tensor:
    return tensor_op("InvertPermutation", [op.inputs[1]])


def _transpose(op: Operation, g: Any) -> tuple[Tensor, None]:
    return tensor_op(op.type, [densified(g), _inverse_order(op)], name="transpose"), None


def _tile(op: Operation, g: Any) -> tuple[Tensor, None]:
    x, multiples = op.inputs
    x_shape = shape(x, multiples.dtype)
    # Multiples and dimensions alternate: [2, 3] copies of [20, 30] are [2, 20, 3, 30], to be summed over axes 0 and 2.
    pairs = stack([multiples, x_shape])
    split = reshape(tensor_op("Transpose", [pairs, [1, 0]], name="transpose"), [-1])
    axes = span(0, size(split), 2)
    if isinstance(g, IndexedSlices):
        rows = tensor_op("Cast", [item(x_shape, 0)], {"DstT": g.indices.dtype})
        g = tensor_op("UnsortedSegmentSum", [g.values, tensor_op("FloorMod", [g.indices, rows]), rows])
        split = concat([constant([1], dtype=split.dtype), part(split, 1)])
    result = reduce_sum(reshape(g, split), axes)
    result.set_shape(x.shape)
    return result, None


def _pad(op: Operation, g: Any) -> list[Any]:
    x, paddings = op.inputs[0], op.inputs[1]
    before = tensor_op("Slice", [paddings, [0, 0], stack([rank(x), 1])])
    begin = reshape(before, [-1])
    return [tensor_op("Slice", [densified(g), begin, shape(x, begin.dtype)]), *[None] * (len(op.inputs) - 1)]


def _same_op(op: Operation, g: Any) -> list[Any]:
    """Returns the rule of an op that is its own inverse: the same op, other inputs and attributes alike."""
    return _counterpart(op.type)(op, g)


def _counterpart(op_type: str, *attrs: str) -> Callable[[Operation, Any], list[Any]]:
    """Returns a gradient rule that applies a second op to the gradient, with the remaining inputs and attributes."""

    def rule(op: Operation, g: Any) -> list[Any]:
        inputs = list(op.inputs)
        result = tensor_op(op_type, [densified(g), *inputs[1:]], {name: op.get_attr(name) for name in attrs})
        return [result] + [None] * (len(inputs) - 1)

    return rule


def _block(op_type: str) -> Callable[[Operation, Any], Any]:
    def rule(op: Operation, g: Any) -> Any:
        data_format = op.get_attr("data_format")
        if data_format == b"NCHW_VECT_C":
            raise ValueError(
                f"Cannot compute {op.type} gradient with NCHW_VECT_C. NCHW_VECT_C requires qint8 data type."
            )
        attrs = {"block_size": op.get_attr("block_size"), "data_format": data_format}
        return tensor_op(op_type, [densified(g)], attrs)

    return rule


register(
    {
        "BatchToSpace": _counterpart("SpaceToBatch", "block_size"),
        "BatchToSpaceND": _counterpart("SpaceToBatchND"),
        "ConjugateTranspose": _transpose,
        "DepthToSpace": _block("SpaceToDepth"),
        "ExpandDims": lambda op, g: (_to_input_shape(op, g), None),
        "MirrorPad": _counterpart("MirrorPadGrad", "mode"),
        "MirrorPadGrad": _counterpart("MirrorPad", "mode"),
        "Pad": _pad,
        "PadV2": _pad,
        "Reshape": _reshape,
        "Reverse": _same_op,
        "ReverseSequence": _counterpart("ReverseSequence", "seq_dim", "batch_dim"),
        "ReverseV2": _same_op,
        "Roll": lambda op, g: (term("Roll", 3)(densified(g), -op.inputs[1], op.inputs[2]), None, None),
        "SpaceToBatch": _counterpart("BatchToSpace", "block_size"),
        "SpaceToBatchND": _counterpart("BatchToSpaceND"),
        "SpaceToDepth": _block("DepthToSpace"),
        "Squeeze": _to_input_shape,
        "Tile": _tile,
        "Transpose": _transpose,
    }
)

register_none(["BroadcastGradientArgs", "InvertPermutation", "Rank", "Shape", "ShapeN", "Size"])
