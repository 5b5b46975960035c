"""Comparisons and logic pass no gradient; selections pass it to the selected elements."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register, register_none
from ferroflow._src.autodiff.terms import densified, select, zeros_like
from ferroflow._src.framework.handles import Operation


def _select(op: Operation, g: Any) -> tuple[None, Any, Any]:
    condition, x, _ = op.inputs
    g, zeros = densified(g), zeros_like(x)
    return None, select(condition, g, zeros), select(condition, zeros, g)


register({"Select": _select})

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
