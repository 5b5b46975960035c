"""Comparisons and logic pass no gradient; selections pass it to the selected elements."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.broadcasting import reduced_to_arguments
from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import densified, select, term, zeros_like
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.handles import Operation


def _select(op: Operation, g: Any) -> tuple[None, Any, Any]:
    condition, x, _ = op.inputs
    g, zeros = densified(g), zeros_like(x)
    return None, select(condition, g, zeros), select(condition, zeros, g)


def _select_v2(op: Operation, g: Any) -> tuple[None, Any, Any]:
    condition, x, y = op.inputs
    g = densified(g)
    zero = constant(0, dtype=g.dtype.base_dtype)
    # The gradient of an argument that was stretched is summed over the dimensions along which it was repeated.
    gx, _ = reduced_to_arguments(x, op.outputs[0], _choice(condition, g, zero), None)
    gy, _ = reduced_to_arguments(y, op.outputs[0], _choice(condition, zero, g), None)
    return None, gx, gy


_choice = term("SelectV2", 3)

register({"Select": _select, "SelectV2": _select_v2})

register_none(
    [
        "ApproximateEqual",
        "Equal",
        "Greater",
        "GreaterEqual",
        "Less",
        "LessEqual",
        "LogicalAnd",
        "LogicalNot",
        "LogicalOr",
        "NotEqual",
    ]
)
