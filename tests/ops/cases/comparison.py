"""Records of the comparisons and Boolean functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.arithmetic import binary_refusals
from ops.cases.record import ANYTHING, REAL_NUMBERS, Record, Values, call

from ferroflow._src.ops.math import comparison

# TF 1.x compares no uint16 for equality.
_EQUALITY = tuple(dtype for dtype in ANYTHING if dtype != "uint16")
_SHAPES = (((4, 3), (4, 3)), ((4, 1), (3,)), ((), (2, 3)), ((0,), (1,)))


def _row(name: str, reference: Callable[..., Any], dtypes: tuple[str, ...]) -> Record:
    function = getattr(comparison, name)
    return Record(
        name=name,
        function=function,
        reference=reference,
        # Few different values, so that equal ones are among them.
        variants=tuple(call(Values(a, 0, 2), Values(b, 0, 2)) for a, b in _SHAPES),
        dtypes=dtypes,
        returns="bool",
        shapes="broadcast",
        refused=() if dtypes == ("bool",) else binary_refusals(function),
    )


RECORDS = [
    _row("equal", np.equal, _EQUALITY),
    _row("not_equal", np.not_equal, _EQUALITY),
    _row("less", np.less, REAL_NUMBERS),
    _row("less_equal", np.less_equal, REAL_NUMBERS),
    _row("greater", np.greater, REAL_NUMBERS),
    _row("greater_equal", np.greater_equal, REAL_NUMBERS),
    _row("logical_and", np.logical_and, ("bool",)),
    _row("logical_or", np.logical_or, ("bool",)),
    _row("logical_xor", np.logical_xor, ("bool",)),
]
