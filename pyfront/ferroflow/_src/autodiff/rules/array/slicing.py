"""Gradient rules of slices: the gradient of a slice is put back among zeros."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.counting import counted
from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import concat, densified, rank, reshape, shape, stack
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.handles import Operation, Tensor

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _slice(op: Operation, g: Any) -> tuple[Tensor, None, None]:
    x, begin = op.inputs[0], op.inputs[1]
    ndims = rank(x)
    length = shape(op.outputs[0], begin.dtype)
    column = stack([ndims, 1])
    before = reshape(begin, column)
    after = reshape(shape(x, begin.dtype) - length - begin, column)
    return tensor_op("Pad", [densified(g), concat([before, after], 1)]), None, None


def _static(x: Tensor) -> Any:
    value = constant_value(x)
    return x if value is None else value


def _masks(op: Operation) -> dict[str, Any]:
    return {mask: op.get_attr(mask) for mask in _MASKS}


def _strided_slice(op: Operation, g: Any) -> tuple[Any, None, None, None]:
    x, begin, end, strides = op.inputs
    g = densified(g)
    # TF 1.x: the shape, and the gradient.
    with counted(2):
        index = [_static(t) for t in (shape(x, begin.dtype), begin, end, strides)]
        return tensor_op("StridedSliceGrad", [*index, g], _masks(op)), None, None, None


def _strided_slice_grad(op: Operation, g: Any) -> tuple[Any, ...]:
    _, begin, end, strides, _ = op.inputs
    return None, None, None, None, tensor_op("StridedSlice", [densified(g), begin, end, strides], _masks(op))


register({"Slice": _slice, "StridedSlice": _strided_slice, "StridedSliceGrad": _strided_slice_grad})
