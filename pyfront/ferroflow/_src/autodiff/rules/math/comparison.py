"""Comparisons and logic pass no gradient; choices pass it to what they chose."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.broadcasting import reduced_to_arguments
from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import densified, filled, select, term, zeros_like
from ferroflow._src.framework.operation import Operation

select_v2 = term("SelectV2", 3)


def _select(op: Operation, g: Any) -> tuple[None, Any, Any]:
    condition, x, _ = op.inputs
    g, zeros = densified(g), zeros_like(x)
    return None, select(condition, g, zeros), select(condition, zeros, g)


def _select_v2(op: Operation, g: Any) -> tuple[None, Any, Any]:
    condition, x, y = op.inputs
    z = op.outputs[0]
    zero = filled((), 0, g.dtype.base_dtype, "zeros")
    gx, gy = select_v2(condition, g, zero), select_v2(condition, zero, g)
    gx, _ = reduced_to_arguments(x, z, gx, None)
    gy, _ = reduced_to_arguments(y, z, gy, None)
    return None, gx, gy


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
