"""Gradient rules of biases and of the L2 loss."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import concat, ones_like, part, rank, reduce_sum, reshape, shape, span
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.handles import Operation, Tensor


def _bias_add(op: Operation, g: Any) -> tuple[Any, Tensor]:
    return g, tensor_op("BiasAddGrad", [g], {"data_format": op.get_attr("data_format")})


def _bias_add_grad(op: Operation, g: Tensor) -> Tensor:
    x_shape, bias = shape(op.inputs[0]), shape(g)
    one = constant([1], dtype=x_shape.dtype)
    if op.get_attr("data_format") == b"NCHW":
        expanded = concat([ones_like(part(x_shape, end=1)), bias, ones_like(part(x_shape, 2))])
        repeats = concat([part(x_shape, end=1), one, part(x_shape, 2)])
    else:
        expanded = concat([ones_like(part(x_shape, end=-1)), bias])
        repeats = concat([part(x_shape, end=-1), one])
    return tensor_op("Tile", [reshape(g, expanded), repeats])


def _bias_add_v1(op: Operation, g: Any) -> tuple[Any, Tensor]:
    return g, reduce_sum(g, span(0, rank(g) - 1))


register(
    {
        "BiasAdd": _bias_add,
        "BiasAddGrad": _bias_add_grad,
        "BiasAddV1": _bias_add_v1,
        "L2Loss": lambda op, g: op.inputs[0] * g,
    }
)
