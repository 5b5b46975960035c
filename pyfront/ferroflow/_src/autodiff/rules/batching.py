"""Gradients of batches that several steps share: each step gets its rows of the gradient."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.autodiff.terms import zeros_like
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Operation, Tensor


def _batch(op: Operation, *grads: Any) -> list[Tensor]:
    index, number = op.outputs[-2:]
    timeout = op.get_attr("grad_timeout_micros")

    def of_input(i: int, gradient: Any) -> Tensor:
        attrs = {"timeout_micros": timeout, "shared_name": f"batch_gradient_{op.name}_{i}"}
        return tensor_op("Unbatch", [gradient, index, number], attrs)

    given = grads[: len(op.inputs)]
    return [of_input(i, zeros_like(op.outputs[i]) if g is None else g) for i, g in enumerate(given)]


def _unbatch(op: Operation, gradient: Any) -> list[Any]:
    batched, index, number = op.inputs
    attrs = {"shared_name": f"unbatch_gradient_{op.name}"}
    return [tensor_op("UnbatchGrad", [batched, index, gradient, number], attrs), None, None]


register({"Batch": _batch, "Unbatch": _unbatch})
