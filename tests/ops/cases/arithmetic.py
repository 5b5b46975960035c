"""Records of the functions of two and more tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.record import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    NUMBERS,
    REAL_FLOATS,
    Record,
    Refused,
    Values,
    call,
)

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.math import arithmetic

_FLOORED = (*REAL_FLOATS, *INTEGERS, "int8", "int16")
_SHAPES = (((4, 3), (4, 3)), ((4, 3), (3,)), ((4, 1), (1, 3)), ((), (2, 3)), ((0, 3), (1,)), ((2, 1, 33), (5, 1)))


def binary_refusals(function: Callable[..., Any]) -> tuple[Refused, ...]:
    """What every function of two tensors refuses: two dtypes, and shapes that do not broadcast."""
    return (
        Refused(lambda: function(constant([1.0]), constant([1], "int64")), TypeError, "int64"),
        Refused(
            lambda: function(placeholder("float32", [2, 3]), placeholder("float32", [2, 4])),
            ValueError,
            r"Dimensions must be equal|[Ii]ncompatible shapes",
        ),
    )


def _row(
    name: str,
    reference: Callable[..., Any],
    dtypes: tuple[str, ...],
    low: float = -3.0,
    high: float = 3.0,
    differentiable: bool = True,
    second_low: float | None = None,
    lossy: bool = False,
) -> Record:
    function = getattr(arithmetic, name)
    second = low if second_low is None else second_low
    return Record(
        name=name,
        function=function,
        reference=reference,
        variants=tuple(call(Values(a, low, high), Values(b, second, high)) for a, b in _SHAPES),
        dtypes=dtypes,
        differentiable=(0, 1) if differentiable else (),
        shapes="broadcast",
        refused=binary_refusals(function),
        lossy=lossy,
    )


def _c_quotient(x: Any, y: Any) -> Any:
    return np.trunc(x / y).astype(x.dtype)


RECORDS = [
    _row("add", np.add, (*NUMBERS, "int8", "int16", "uint8")),
    _row("subtract", np.subtract, NUMBERS),
    _row("multiply", np.multiply, (*NUMBERS, "int8", "int16", "uint8", "uint16")),
    _row("realdiv", np.divide, FLOATS, second_low=0.5),
    _row("floor_div", np.floor_divide, _FLOORED, second_low=1.0, differentiable=False),
    _row("floormod", np.mod, ("float32", "float64", *INTEGERS), second_low=1.0, differentiable=False, lossy=True),
    _row("mod", np.mod, ("float32", "float64", *INTEGERS), second_low=1.0, differentiable=False, lossy=True),
    _row("truncatediv", _c_quotient, INTEGERS, second_low=1.0, differentiable=False),
    _row("truncatemod", np.fmod, ("float32", "float64", *INTEGERS), second_low=1.0, differentiable=False),
    _row("nextafter", np.nextafter, ("float32", "float64")),
    # A NaN in y is passed over.
    _row("maximum", lambda x, y: np.where(x < y, y, x), REAL_FLOATS + INTEGERS),
    _row("minimum", lambda x, y: np.where(y < x, y, x), REAL_FLOATS + INTEGERS),
    _row("squared_difference", lambda x, y: np.square(x - y), REAL_FLOATS + INTEGERS, lossy=True),
    _row("pow", np.power, REAL_FLOATS + COMPLEX, low=0.5, high=2.0, lossy=True),
    _row("pow", np.power, INTEGERS, low=0.0, high=4.0, differentiable=False),
    _row("atan2", np.arctan2, ("float32", "float64"), low=0.3),
    _row("div_no_nan", np.divide, FLOATS, second_low=0.5),
    _row("multiply_no_nan", np.multiply, FLOATS),
    _row("xlogy", lambda x, y: x * np.log(y), FLOATS, low=0.5),
    _row("xdivy", np.divide, FLOATS, low=0.5),
    Record(
        name="reciprocal_no_nan",
        function=arithmetic.reciprocal_no_nan,
        reference=lambda x: np.divide(1, x, out=np.zeros_like(x), where=x != 0),
        variants=(call(Values((4, 3), 0.5, 2.0)),),
        dtypes=("float64",),
        differentiable=(0,),
    ),
    Record(
        name="truediv",
        function=arithmetic.truediv,
        reference=np.true_divide,
        variants=(call(Values((4, 3), -9, 9), Values((3,), 1, 9)),),
        dtypes=INTEGERS,
        returns="float64",
        refused=(
            Refused(lambda: arithmetic.truediv(constant([1]), constant([2.0])), TypeError, "must have the same dtype"),
        ),
    ),
    Record(
        name="truediv",
        function=arithmetic.truediv,
        reference=lambda x, y: np.true_divide(x, y, dtype=np.float32),
        variants=(call(Values((4, 3), -9, 9), Values((3,), 1, 9)),),
        dtypes=("int8", "int16", "uint8", "uint16"),
        returns="float32",
    ),
    Record(
        name="div",
        function=arithmetic.div,
        reference=np.floor_divide,
        variants=(call(Values((4, 3), -9, 9), Values((3,), 1, 9)),),
        dtypes=INTEGERS,
    ),
    Record(
        name="add_n",
        function=lambda *tensors: arithmetic.add_n(list(tensors)),
        reference=lambda *arrays: np.sum(arrays, axis=0, dtype=arrays[0].dtype),
        variants=(
            call(Values((4, 3)), Values((4, 3)), Values((4, 3))),
            call(Values((2,)), Values((2,))),
            call(Values((3,))),
        ),
        dtypes=NUMBERS,
        differentiable=(0, 1, 2),
        refused=(
            Refused(lambda: arithmetic.add_n([]), ValueError, "at least one Tensor"),
            Refused(lambda: arithmetic.add_n(constant([1.0])), ValueError, "at least one Tensor"),
            Refused(
                lambda: arithmetic.add_n([constant([1.0]), constant([1.0, 2.0])]), ValueError, "[Ss]hape|Dimension"
            ),
        ),
    ),
]
