"""Records of reductions over segments and of cumulative sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.record import INTEGERS, REAL_FLOATS, Given, Record, Values, call

from ferroflow._src.ops.math import segment

_SORTED = [0, 0, 1, 3, 3, 3]
_UNSORTED = [2, 0, -1, 2, 1, 0]


def _by_segment(combine: Callable[..., Any], empty: Any = 0) -> Callable[..., Any]:
    def reference(x: Any, ids: Any, num_segments: int | None = None) -> Any:
        count = num_segments if num_segments is not None else int(ids.max()) + 1
        rows = [combine(x[ids == i], axis=0) if np.any(ids == i) else np.full(x.shape[1:], empty) for i in range(count)]
        return np.stack(rows).astype(x.dtype)

    return reference


def _sorted(name: str, combine: Callable[..., Any], empty: Any = 0) -> Record:
    return Record(
        name=name,
        function=getattr(segment, name),
        reference=_by_segment(combine, empty),
        variants=(call(Values((6, 3)), Given(_SORTED)), call(Values((6,)), Given(_SORTED, "int64"))),
        dtypes=("float32", "float64", *INTEGERS) if name != "segment_mean" else ("float32", "float64"),
        differentiable=(0,) if name in ("segment_sum", "segment_mean") else (),
        lossy=True,
        value_decides_shape=True,
    )


def _unsorted(name: str, combine: Callable[..., Any], empty: Any = 0) -> Record:
    return Record(
        name=name,
        function=getattr(segment, name),
        reference=_by_segment(combine, empty),
        variants=(
            call(Values((6, 3)), Given(_UNSORTED), num_segments=4),
            call(Values((6,)), Given(_UNSORTED, "int64"), num_segments=3),
        ),
        dtypes=("float32", "float64", *INTEGERS) if name == "unsorted_segment_sum" else ("float32", "float64"),
        differentiable=(0,) if name == "unsorted_segment_sum" else (),
        lossy=True,
    )


def _cumulative(combine: Callable[..., Any], identity: int) -> Callable[..., Any]:
    def reference(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
        x = np.flip(x, axis) if reverse else x
        result = combine(x, axis=axis, dtype=x.dtype)
        if exclusive:
            first = np.full_like(np.take(result, [0], axis), identity)
            kept = np.take(result, range(x.shape[axis] - 1), axis)
            result = np.concatenate([first, kept], axis)
        return np.flip(result, axis) if reverse else result

    return reference


def _scan(name: str, combine: Callable[..., Any], identity: int) -> Record:
    return Record(
        name=name,
        function=getattr(segment, name),
        reference=_cumulative(combine, identity),
        variants=(
            call(Values((4, 3), 0.5, 2)),
            call(Values((4, 3), 0.5, 2), axis=1, exclusive=True),
            call(Values((4, 3), 0.5, 2), axis=-1, reverse=True),
            call(Values((4, 3), 0.5, 2), axis=0, exclusive=True, reverse=True),
        ),
        dtypes=REAL_FLOATS + INTEGERS,
        differentiable=(0,),
        lossy=True,
    )


RECORDS = [
    _sorted("segment_sum", np.sum),
    _sorted("segment_mean", np.mean),
    _sorted("segment_prod", np.prod, 1),
    _sorted("segment_max", np.max),
    _sorted("segment_min", np.min),
    _unsorted("unsorted_segment_sum", np.sum),
    _scan("cumsum", np.cumsum, 0),
    _scan("cumprod", np.cumprod, 1),
]
