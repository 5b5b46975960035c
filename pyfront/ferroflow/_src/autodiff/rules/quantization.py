"""Gradients of imitated quantization; real quantization passes none."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.quantization import steps


def _bits(op: Operation) -> dict[str, Any]:
    return {"num_bits": op.get_attr("num_bits"), "narrow_range": op.get_attr("narrow_range")}


def _of_args(op: Operation, gradient: Any) -> Any:
    bounds = {"min": op.get_attr("min"), "max": op.get_attr("max")}
    return steps.fake_quant_with_min_max_args_gradient(gradient, op.inputs[0], **bounds, **_bits(op))


def _of_vars(op: Operation, gradient: Any) -> Any:
    return steps.fake_quant_with_min_max_vars_gradient(gradient, *op.inputs, **_bits(op))


def _of_channels(op: Operation, gradient: Any) -> Any:
    return steps.fake_quant_with_min_max_vars_per_channel_gradient(gradient, *op.inputs, **_bits(op))


register(
    {
        "FakeQuantWithMinMaxArgs": _of_args,
        "FakeQuantWithMinMaxVars": _of_vars,
        "FakeQuantWithMinMaxVarsPerChannel": _of_channels,
        # The rounding counts as none.
        "QuantizeAndDequantize": lambda op, gradient: gradient,
        "QuantizeAndDequantizeV2": lambda op, gradient: [gradient, None, None],
        "QuantizeAndDequantizeV3": lambda op, gradient: [gradient, None, None, None],
    }
)
