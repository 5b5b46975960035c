"""Operations on variables pass no gradient."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

register_none(
    [
        "Assign",
        "AssignAdd",
        "AssignSub",
        "CountUpTo",
        "ScatterAdd",
        "ScatterDiv",
        "ScatterMax",
        "ScatterMin",
        "ScatterMul",
        "ScatterNdAdd",
        "ScatterNdDiv",
        "ScatterNdMul",
        "ScatterNdSub",
        "ScatterNdUpdate",
        "ScatterSub",
        "ScatterUpdate",
    ]
)
