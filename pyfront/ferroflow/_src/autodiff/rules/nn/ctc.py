"""Gradient rules of connectionist temporal classification."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import expand_dims
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Operation


def _loss(op: Operation, g: Any, _: Any) -> tuple[Any, None, None, None]:
    # TF 1.x: the words of the error that a second derivative raises.
    message = (
        "Currently there is no way to take the second  derivative of ctc_loss due to the fused implementation's "
        "interaction  with tf.gradients()"
    )
    gradient = tensor_op("PreventGradient", [op.outputs[1]], {"message": message})
    return expand_dims(g, -1) * gradient, None, None, None


register({"CTCLoss": _loss})
register_none(["CTCBeamSearchDecoder", "CTCGreedyDecoder"])
