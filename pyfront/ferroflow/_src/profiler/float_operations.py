"""Floating-point operations of an operation, by its type and shapes.

TF 1.x: the numbers are those of its profiler, which counts a multiplication and an addition as two, and no type but
these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ferroflow._src.framework.handles import Operation


class _Unknown(ValueError):
    """Error: a shape that the count needs is unknown, or the channels are not last."""


def _elements(tensor: Any) -> int:
    return math.prod(_dims(tensor))


def _dims(tensor: Any) -> list[int]:
    if not tensor.shape.is_fully_defined():
        raise _Unknown(f"Shape {tensor.shape} is not fully defined")
    return [int(n) for n in tensor.shape.as_list()]


def _of_input(each: int) -> Callable[[Operation], int]:
    return lambda op: each * _elements(op.inputs[0])


def _of_output(each: int) -> Callable[[Operation], int]:
    return lambda op: each * _elements(op.outputs[0])


def _reduction(last: int) -> Callable[[Operation], int]:
    return lambda op: _elements(op.inputs[0]) + (last - 1) * _elements(op.outputs[0])


def _mat_mul(op: Operation) -> int:
    a = _dims(op.inputs[0])
    inner = a[0] if op.get_attr("transpose_a") else a[1]
    return 2 * inner * _elements(op.outputs[0])


def _batch_mat_mul(op: Operation) -> int:
    a = _dims(op.inputs[0])
    inner = a[-2] if op.get_attr("adj_x") else a[-1]
    return 2 * inner * _elements(op.outputs[0])


def _nhwc(op: Operation) -> None:
    if op.get_attr("data_format") not in (b"NHWC", "NHWC"):
        raise _Unknown("Only NHWC format is supported in flops computations")


def _conv(op: Operation) -> int:
    return 2 * math.prod(_dims(op.inputs[1])[:-1]) * _elements(op.outputs[0])


def _window(op: Operation) -> int:
    height, width, *_ = _dims(op.inputs[1])
    return 2 * height * width * _elements(op.outputs[0])


def _backwards(op: Operation, image: Any, kernel: Any) -> int:
    _nhwc(op)
    strides: list[int] = op.get_attr("strides")
    return 2 * _elements(image) * math.prod(_dims(kernel)) // (_dims(image)[-1] * strides[1] * strides[2])


def _window_size(op: Operation) -> int:
    sizes: list[int] = op.get_attr("ksize")
    return math.prod(sizes)


def _pool(op: Operation) -> int:
    _nhwc(op)
    return _window_size(op) * _elements(op.outputs[0])


def _avg_pool_grad(op: Operation) -> int:
    _nhwc(op)
    return 2 * _window_size(op) * _elements(op.inputs[1])


def _max_pool_grad(op: Operation) -> int:
    _nhwc(op)
    return (_window_size(op) + 1) * _elements(op.inputs[1])


_COUNTS: dict[str, Callable[[Operation], int]] = {
    **dict.fromkeys(("Reciprocal", "Square", "Log", "Neg", "AssignSub", "AssignAdd", "BiasAdd"), _of_input(1)),
    "Rsqrt": _of_input(2),
    "Softmax": _of_input(5),
    "L2Loss": lambda op: 3 * _elements(op.inputs[0]) - 1,
    **dict.fromkeys(
        (
            *("Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "Pow"),
            *("GreaterEqual", "Greater", "LessEqual", "Less", "Equal", "NotEqual"),
        ),
        _of_output(1),
    ),
    "SquaredDifference": _of_output(2),
    "RsqrtGrad": _of_output(4),
    "Mean": _reduction(1),
    **dict.fromkeys(("Sum", "ArgMax", "ArgMin", "BiasAddGrad"), _reduction(0)),
    "AddN": lambda op: (len(op.inputs) - 1) * _elements(op.inputs[0]),
    "MatMul": _mat_mul,
    **dict.fromkeys(("BatchMatMul", "BatchMatMulV2"), _batch_mat_mul),
    **dict.fromkeys(("Conv2D", "Conv3D"), _conv),
    **dict.fromkeys(("DepthwiseConv2dNative", "Dilation2D"), _window),
    "Conv2DBackpropInput": lambda op: _backwards(op, op.outputs[0], op.inputs[1]),
    "Conv2DBackpropFilter": lambda op: _backwards(op, op.inputs[0], op.outputs[0]),
    **dict.fromkeys(("AvgPool", "MaxPool"), _pool),
    "AvgPoolGrad": _avg_pool_grad,
    "MaxPoolGrad": _max_pool_grad,
}


def counted_types() -> frozenset[str]:
    """Returns the op types whose floating-point operations are counted."""
    return frozenset(_COUNTS)


def exact_float_operations(op: Operation) -> int:
    """Returns the floating-point operations of one run of an operation whose type is counted.

    Raises:
        KeyError: if the type is not counted.
        ValueError: if a shape is not known, or the channels of images are not last.
    """
    return _COUNTS[op.type](op)


def float_operations(op: Operation) -> int:
    """Returns the floating-point operations of one run; 0 for types that are not counted and where shapes are not
    known.
    """
    if op.type not in _COUNTS:
        return 0
    try:
        return exact_float_operations(op)
    except _Unknown:
        return 0
