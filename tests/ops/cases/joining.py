"""Records of the functions that join and split tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.cases.record import ANYTHING, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array import joining
from ferroflow._src.ops.array.making import placeholder


def _unstacked(x: Any, axis: int = 0) -> list[Any]:
    return [np.take(x, i, axis) for i in range(x.shape[axis])]


def _pieces(x: Any, num_or_size_splits: Any, axis: int = 0) -> list[Any]:
    if isinstance(num_or_size_splits, int):
        return list(np.split(x, num_or_size_splits, axis))
    sizes = list(num_or_size_splits)
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.shape[axis] - sum(s for s in sizes if s >= 0)
    return list(np.split(x, np.cumsum(sizes)[:-1], axis))


RECORDS = [
    Record(
        name="concat",
        function=lambda *tensors, axis: joining.concat(list(tensors), axis),
        reference=lambda *arrays, axis: np.concatenate(arrays, axis),
        variants=(
            call(Values((4, 3)), Values((2, 3)), axis=0),
            call(Values((4, 3)), Values((4, 1)), Values((4, 2)), axis=1),
            call(Values((2, 3, 1)), Values((2, 3, 4)), axis=-1),
            call(Values((0, 3)), Values((2, 3)), axis=0),
            call(Values((2, 3)), axis=1),
        ),
        dtypes=ANYTHING,
        differentiable=(0, 1, 2),
        refused=(
            Refused(
                lambda: joining.concat([placeholder("float32", [2, 3]), placeholder("float32", [3, 3])], 1),
                ValueError,
                "[Dd]imension",
            ),
            Refused(lambda: joining.concat([constant([1.0]), constant([1])], 0), TypeError, "float32, int32"),
            Refused(lambda: joining.concat(1, [constant([1.0])]), TypeError, "values first"),
        ),
    ),
    Record(
        name="stack",
        function=lambda *tensors, **arguments: joining.stack(list(tensors), **arguments),
        reference=lambda *arrays, axis=0: np.stack(arrays, axis),
        variants=(
            call(Values((4, 3)), Values((4, 3))),
            call(Values((4, 3)), Values((4, 3)), Values((4, 3)), axis=1),
            call(Values((4, 3)), Values((4, 3)), axis=-1),
            call(Values(()), Values(())),
        ),
        dtypes=ANYTHING,
        differentiable=(0, 1, 2),
        refused=(
            Refused(lambda: joining.stack([constant([1.0])], axis=2), ValueError, r"axis = 2 not in \[-2, 2\)"),
            Refused(
                lambda: joining.stack([placeholder("float32", [2]), placeholder("float32", [3])]),
                ValueError,
                "[Ss]hapes|Dimension",
            ),
        ),
    ),
    Record(
        name="unstack",
        function=joining.unstack,
        reference=_unstacked,
        needs="sizes",
        variants=(call(Values((4, 3))), call(Values((4, 3)), axis=1), call(Values((2, 3, 4)), axis=-2)),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(
            Refused(lambda: joining.unstack(placeholder("float32", [None])), ValueError, "Cannot infer num from shape"),
            Refused(lambda: joining.unstack(placeholder("float32")), ValueError, "Cannot infer num from shape"),
            Refused(lambda: joining.unstack([1.0], axis=1), ValueError, r"axis = 1 not in \[-1, 1\)"),
        ),
    ),
    Record(
        name="split",
        function=joining.split,
        reference=_pieces,
        variants=(
            call(Values((4, 3)), num_or_size_splits=2),
            call(Values((4, 6)), num_or_size_splits=3, axis=1),
            call(Values((4, 6)), num_or_size_splits=[1, 3, 2], axis=1),
            call(Values((4, 6)), num_or_size_splits=[1, -1], axis=-1),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(
            Refused(lambda: joining.split(placeholder("float32", [5]), 2), ValueError, "[Dd]imension|evenly"),
            Refused(
                lambda: joining.split([1.0], placeholder("int32", [None])), ValueError, "Cannot infer num from shape"
            ),
        ),
    ),
]
