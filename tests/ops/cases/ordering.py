"""Records of the functions that sort, search, repeat and count elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.cases.record import (
    ANYTHING,
    INTEGERS,
    Given,
    Record,
    Refused,
    Values,
    call,
)

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array import indexing, making, shaping, sorting
from ferroflow._src.ops.array.making import placeholder


def _sorted(x: Any, axis: int = -1, direction: str = "ASCENDING") -> Any:
    ascending = np.sort(x, axis)
    return ascending if direction == "ASCENDING" else np.flip(ascending, axis)


def _argsorted(x: Any, axis: int = -1, direction: str = "ASCENDING") -> Any:
    if direction == "ASCENDING":
        return np.argsort(x, axis, kind="stable").astype(np.int32)
    # Equal elements keep their order in both directions.
    flipped = np.flip(x, axis)
    back = np.flip(np.argsort(flipped, axis, kind="stable"), axis)
    return (x.shape[axis] - 1 - back).astype(np.int32)


def _searchsorted(x: Any, values: Any, side: str = "left") -> Any:
    rows = x.reshape(-1, x.shape[-1])
    wanted = values.reshape(-1, values.shape[-1])
    found = [np.searchsorted(row, v, side) for row, v in zip(rows, wanted, strict=True)]
    return np.stack(found).reshape(values.shape).astype(np.int32)


_SORTED = np.sort(np.random.default_rng(2).integers(-5, 6, (2, 3, 7)), -1)

RECORDS = [
    Record(
        name="sort",
        function=sorting.sort,
        reference=_sorted,
        variants=(
            call(Values((4, 5))),
            call(Values((4, 5)), direction="DESCENDING"),
            call(Values((4, 3, 5)), axis=1),
            call(Values((4, 3)), axis=0, direction="DESCENDING"),
            call(Values((1,))),
        ),
        dtypes=("float32", "float64", *INTEGERS, "int8", "uint8", "int16", "uint16"),
        differentiable=(0,),
        needs="rank",
        refused=(
            Refused(lambda: sorting.sort([1.0], direction="UP"), ValueError, "should be one of"),
            Refused(lambda: sorting.sort([1.0], axis=placeholder("int32", [])), ValueError, "constant scalar"),
            Refused(lambda: sorting.sort([1.0], axis=2), ValueError, "out of range"),
        ),
    ),
    Record(
        name="argsort",
        function=sorting.argsort,
        reference=_argsorted,
        variants=(
            call(Values((4, 5))),
            call(Values((4, 5)), direction="DESCENDING"),
            call(Values((4, 3, 5)), axis=1),
        ),
        dtypes=("float32", *INTEGERS, "uint8"),
        returns="int32",
        needs="rank",
    ),
    Record(
        name="searchsorted",
        function=sorting.searchsorted,
        reference=_searchsorted,
        variants=(
            call(Given(_SORTED, "float32"), Given(np.arange(-6, 6).reshape(2, 3, 2), "float32")),
            call(Given(_SORTED, "int32"), Given(np.arange(-6, 6).reshape(2, 3, 2), "int32"), side="right"),
            call(Given([1.0, 2.0], "float64"), Given([3.0, 2.0, 0.0], "float64")),
        ),
        dtypes=("float32",),
        returns="int32",
        refused=(Refused(lambda: sorting.searchsorted([1.0], [1.0], side="up"), ValueError, "side must be"),),
    ),
    Record(
        name="repeat",
        function=shaping.repeat,
        reference=lambda x, repeats, axis=None: np.repeat(x, repeats, axis),
        variants=(
            call(Values((4, 3)), Given(2)),
            call(Values((4, 3)), Given([0, 2, 1, 3]), axis=0),
            call(Values((4, 3)), Given([2, 0, 1], "int64"), axis=-1),
            call(Values((3,)), Given([0, 0, 0]), axis=0),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        value_decides_shape=True,
        needs="rank",
        refused=(Refused(lambda: shaping.repeat([1.0], 2, axis=1), ValueError, "out of range"),),
    ),
    Record(
        name="unravel_index",
        function=indexing.unravel_index,
        reference=lambda indices, dims: np.stack(np.unravel_index(indices, dims)).astype(indices.dtype),
        variants=(
            call(Given([0, 23, 7]), Given([4, 3, 2])),
            call(Given(5), Given([2, 3])),
        ),
        dtypes=("int32",),
        returns=None,
        refused=(Refused(lambda: indexing.unravel_index([[1]], [3]), ValueError, "rank"),),
    ),
    Record(
        name="identity_n",
        function=lambda *tensors: making.identity_n(list(tensors)),
        reference=lambda *arrays: list(arrays),
        variants=(call(Values((2, 3)), Values((4,))), call(Values(()))),
        dtypes=ANYTHING,
        differentiable=(0, 1),
    ),
    Record(
        name="ensure_shape",
        function=lambda x: making.ensure_shape(x, [None, 3]),
        reference=lambda x: x,
        variants=(call(Values((2, 3))), call(Values((0, 3)))),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(Refused(lambda: making.ensure_shape(constant([1.0]), [2]), ValueError, "[Ss]hape|Dimension"),),
    ),
    Record(
        name="guarantee_const",
        function=making.guarantee_const,
        reference=lambda x: x,
        variants=(call(Values((2, 3))),),
        dtypes=ANYTHING,
    ),
]
