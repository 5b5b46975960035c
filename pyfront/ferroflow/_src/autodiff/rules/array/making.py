"""Gradient rules of operations that make or pass on tensors."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.broadcasting import reduced_to_arguments
from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import all_axes, reduce_sum
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Operation


def _prevent(op: Operation, g: Any) -> Any:
    raise LookupError(f"Gradient explicitly disabled. Reason: {op.get_attr('message')}")


def _check_numerics(op: Operation, g: Any) -> Any:
    message = op.get_attr("message").decode()
    # TF 1.x: the message of a gradient names the forward message after this sentence.
    return tensor_op(
        "CheckNumerics",
        [g],
        {"message": f"Not a number (NaN) or infinity (Inf) values detected in gradient. {message}"},
    )


def _broadcast_to(op: Operation, g: Any) -> tuple[Any, None]:
    x = op.inputs[0]
    return reduced_to_arguments(x, op.outputs[0], g, None)[0], None


register(
    {
        "BroadcastTo": _broadcast_to,
        "CheckNumerics": _check_numerics,
        "EnsureShape": lambda op, g: g,
        "Fill": lambda op, g: (None, reduce_sum(g, all_axes(g))),
        "Identity": lambda op, g: g,
        "IdentityN": lambda op, *gs: list(gs),
        "PlaceholderWithDefault": lambda op, g: g,
        "PreventGradient": _prevent,
        "Print": lambda op, g: [g] + [None] * (len(op.inputs) - 1),
        "RefIdentity": lambda op, g: g,
        "Snapshot": lambda op, g: g,
    }
)

register_none(["Const", "OneHot", "OnesLike", "StopGradient", "ZerosLike"])
