"""Gradient rules of convolutions, and of the operations that these gradients are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import shape
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.handles import Operation, Tensor

# (operation, tensors) -> the convolution, or one of its gradients, with the attributes of the operation.
_Part = Callable[[Operation, list[Any]], Tensor]


def _part(op_type: str, *attributes: str) -> _Part:
    return lambda op, tensors: tensor_op(op_type, tensors, {name: op.get_attr(name) for name in attributes})


def _family(forward: str, backprop_input: str, backprop_filter: str, *attributes: str) -> None:
    """Registers a convolution and its two gradients: each is linear in both of its tensors and leads to the others."""
    value, of_input, of_filter = (_part(op_type, *attributes) for op_type in (forward, backprop_input, backprop_filter))

    def forward_rule(op: Operation, g: Any) -> tuple[Any, ...]:
        x, filters = op.inputs
        x_shape, filter_shape = _shapes(x, filters) if forward == "Conv2D" else (shape(x), shape(filters))
        return of_input(op, [x_shape, filters, g]), of_filter(op, [x, filter_shape, g])

    def input_rule(op: Operation, g: Any) -> tuple[Any, ...]:
        _, filters, dy = op.inputs
        return None, of_filter(op, [g, shape(filters), dy]), value(op, [g, filters])

    def filter_rule(op: Operation, g: Any) -> tuple[Any, ...]:
        x, _, dy = op.inputs
        return of_input(op, [shape(x), g, dy]), None, value(op, [x, g])

    register({forward: forward_rule, backprop_input: input_rule, backprop_filter: filter_rule})


def _shapes(x: Tensor, filters: Tensor) -> Any:
    return apply_op("ShapeN", [[x, filters]]).outputs


_family(
    "Conv2D",
    "Conv2DBackpropInput",
    "Conv2DBackpropFilter",
    *("strides", "padding", "explicit_paddings", "use_cudnn_on_gpu", "data_format", "dilations"),
)
_family(
    "Conv3D",
    "Conv3DBackpropInputV2",
    "Conv3DBackpropFilterV2",
    *("strides", "padding", "data_format", "dilations"),
)
_family(
    "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter",
    *("strides", "padding", "explicit_paddings", "data_format", "dilations"),
)
