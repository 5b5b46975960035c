"""Datasets pass no gradient; the gradient of an optional is an optional."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.handles import Operation, Tensor


def _from_value(op: Operation, g: Tensor) -> list[Tensor]:
    attrs = {
        "output_types": [x.dtype.base_dtype for x in op.inputs],
        "output_shapes": [x.get_shape() for x in op.inputs],
    }
    return list(apply_op("OptionalGetValue", [g], attrs).outputs)


def _get_value(op: Operation, *grads: Any) -> Tensor:
    del op
    return tensor_op("OptionalFromValue", [list(grads)])


register({"OptionalFromValue": _from_value, "OptionalGetValue": _get_value})
register_none(["ReduceDataset"])
