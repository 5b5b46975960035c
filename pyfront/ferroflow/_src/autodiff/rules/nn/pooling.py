"""Gradient rules of pooling and of dilation."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import filled, known_dims, shape
from ferroflow._src.base import dtypes
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Operation, Tensor


def _same(op: Operation, *names: str) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in names}


def _windows(op: Operation) -> dict[str, Any]:
    return _same(op, "ksize", "strides", "padding", "data_format")


def _zeros(x: Tensor) -> Tensor:
    known = known_dims(x)
    return filled(shape(x) if known is None else known, 0, x.dtype.base_dtype, "zeros")


def _average(grad_type: str) -> Any:
    return lambda op, g: tensor_op(grad_type, [shape(op.inputs[0]), g], _windows(op))


def _average_grad(op_type: str) -> Any:
    def rule(op: Operation, g: Any) -> tuple[Tensor, Tensor]:
        return tensor_op("StopGradient", [op.inputs[0]]), tensor_op(op_type, [g], _windows(op))

    return rule


def _maximum(grad_type: str) -> Any:
    return lambda op, g: tensor_op(grad_type, [op.inputs[0], op.outputs[0], g], _windows(op))


def _maximum_grad(next_type: str) -> Any:
    """Returns the gradient is linear in its last input and flat in the others."""

    def rule(op: Operation, g: Any) -> tuple[Tensor, Tensor, Tensor]:
        x, y = op.inputs[0], op.inputs[1]
        return _zeros(x), _zeros(y), tensor_op(next_type, [x, y, g], _windows(op))

    return rule


def _maximum_v2(op: Operation, g: Any) -> tuple[Any, ...]:
    x, ksize, strides = op.inputs
    attrs = _same(op, "padding", "data_format")
    return tensor_op("MaxPoolGradV2", [x, op.outputs[0], g, ksize, strides], attrs), None, None


def _maximum_grad_v2(op: Operation, g: Any) -> tuple[Any, ...]:
    x, y, _, ksize, strides = op.inputs
    attrs = _same(op, "padding", "data_format")
    return _zeros(x), _zeros(y), tensor_op("MaxPoolGradGradV2", [x, y, g, ksize, strides], attrs), None, None


def _by_place(op: Operation) -> dict[str, Any]:
    return _same(op, "ksize", "strides", "padding", "include_batch_in_index")


def _maximum_by_place(op: Operation, g: Any, _: Any) -> Tensor:
    return tensor_op("MaxPoolGradWithArgmax", [op.inputs[0], g, op.outputs[1]], _by_place(op))


def _maximum_by_place_grad(op: Operation, g: Any) -> tuple[Any, ...]:
    x, dy, places = op.inputs
    del dy
    return _zeros(x), tensor_op("MaxPoolGradGradWithArgmax", [x, g, places], _by_place(op)), None


def _fractional_maximum(op: Operation, g: Any, *_: Any) -> Tensor:
    y, rows, columns = op.outputs
    return tensor_op("FractionalMaxPoolGrad", [op.inputs[0], y, g, rows, columns], _same(op, "overlapping"))


def _fractional_average(op: Operation, g: Any, *_: Any) -> Tensor:
    rows, columns = op.outputs[1:]
    inputs = [shape(op.inputs[0], dtypes.int64), g, rows, columns]
    return tensor_op("FractionalAvgPoolGrad", inputs, _same(op, "overlapping"))


def _dilation(op: Operation, g: Any) -> tuple[Tensor, Tensor]:
    attrs = _same(op, "strides", "rates", "padding")
    inputs = [op.inputs[0], op.inputs[1], g]
    return tensor_op("Dilation2DBackpropInput", inputs, attrs), tensor_op("Dilation2DBackpropFilter", inputs, attrs)


register(
    {
        "AvgPool": _average("AvgPoolGrad"),
        "AvgPool3D": _average("AvgPool3DGrad"),
        "AvgPool3DGrad": _average_grad("AvgPool3D"),
        "AvgPoolGrad": _average_grad("AvgPool"),
        "Dilation2D": _dilation,
        "FractionalAvgPool": _fractional_average,
        "FractionalMaxPool": _fractional_maximum,
        "MaxPool": _maximum("MaxPoolGrad"),
        "MaxPool3D": _maximum("MaxPool3DGrad"),
        "MaxPool3DGrad": _maximum_grad("MaxPool3DGradGrad"),
        "MaxPool3DGradGrad": _maximum_grad("MaxPool3DGrad"),
        "MaxPoolGrad": _maximum_grad("MaxPoolGradGrad"),
        "MaxPoolGradGrad": _maximum_grad("MaxPoolGrad"),
        "MaxPoolGradV2": _maximum_grad_v2,
        "MaxPoolGradWithArgmax": _maximum_by_place_grad,
        "MaxPoolV2": _maximum_v2,
        "MaxPoolWithArgmax": _maximum_by_place,
    }
)
