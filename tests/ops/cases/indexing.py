"""Records of the functions that take and place elements by index."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from ops.cases.record import ANYTHING, NUMBERS, Given, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array import indexing, slicing
from ferroflow._src.ops.array.making import placeholder


def _scattered(joined: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    def reference(x: Any, indices: Any, updates: Any) -> Any:
        out = x.copy()
        for index, update in zip(indices, updates, strict=True):
            out[tuple(index)] = joined(out[tuple(index)], update)
        return out

    return reference


RECORDS = [
    Record(
        name="gather",
        function=indexing.gather,
        reference=lambda x, indices, axis=0: np.take(x, indices, axis),
        variants=(
            call(Values((4, 3)), Given([2, 0, 2])),
            call(Values((4, 3)), Given([[1, 0], [2, 3]], "int64")),
            call(Values((4, 3)), Given(1)),
            call(Values((2, 4, 3)), Given([1, 3]), axis=1),
            call(Values((2, 3)), Given([2]), axis=-1),
            call(Values((4, 3)), Given([])),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(
            Refused(lambda: indexing.gather(constant([1.0]), [0], axis=1), ValueError, "rank|axis"),
            Refused(lambda: indexing.gather([1.0], [0.5]), TypeError, "float32"),
        ),
    ),
    Record(
        name="gather, batched",
        function=indexing.gather,
        reference=lambda x, indices, axis, batch_dims: np.stack(
            [np.take(row, i, axis - batch_dims) for row, i in zip(x, indices, strict=True)]
        ),
        variants=(
            call(Values((2, 4, 3)), Given([[2, 0, 2], [1, 1, 3]]), axis=1, batch_dims=1),
            call(Values((2, 3, 4)), Given([[2, 0], [1, 3]], "int64"), axis=2, batch_dims=1),
            call(Values((2, 4, 3)), Given([[[2, 0]], [[1, 3]]]), axis=1, batch_dims=1),
            call(Values((2, 3)), Given([2, 0]), axis=1, batch_dims=1),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        needs="rank",
        refused=(Refused(lambda: indexing.gather([[1.0]], [[0]], axis=0, batch_dims=1), ValueError, "batch_dims"),),
    ),
    Record(
        name="batch_gather",
        function=indexing.batch_gather,
        reference=lambda x, indices: np.take_along_axis(x, indices, 1),
        variants=(call(Values((2, 4)), Given([[2, 0, 2], [1, 1, 3]])),),
        dtypes=ANYTHING,
        differentiable=(0,),
        needs="rank",
    ),
    Record(
        name="gather_nd, batched",
        function=lambda x, indices: indexing.gather_nd(x, indices, batch_dims=1),
        reference=lambda x, indices: np.stack([row[tuple(i.T)] for row, i in zip(x, indices, strict=True)]),
        variants=(
            call(Values((2, 4, 3)), Given([[[2, 0], [1, 2]], [[0, 0], [3, 1]]])),
            call(Values((2, 4, 3)), Given([[[2], [1]], [[0], [3]]], "int64")),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        needs="rank",
    ),
    *(
        Record(
            name=name,
            function=getattr(indexing, name),
            reference=_scattered(joined),
            variants=(
                call(Values((4, 3)), Given([[2], [0]]), Values((2, 3))),
                call(Values((4, 3)), Given([[2, 1], [0, 0], [3, 2]], "int64"), Values((3,))),
                call(Values((2, 3)), Given(np.zeros((0, 1))), Values((0, 3))),
            ),
            dtypes=dtypes,
            differentiable=(0, 2),
            refused=(
                Refused(
                    functools.partial(getattr(indexing, name), [1.0], [[0]], [[1.0]]),
                    ValueError,
                    "updates",
                ),
            ),
        )
        for name, joined, dtypes in (
            ("tensor_scatter_update", lambda x, update: update, ANYTHING),
            ("tensor_scatter_add", np.add, NUMBERS),
            ("tensor_scatter_sub", np.subtract, NUMBERS),
        )
    ),
    Record(
        name="where",
        function=indexing.where,
        reference=lambda c, x, y: np.where(c.reshape(c.shape + (1,) * (x.ndim - c.ndim)), x, y),
        variants=(
            call(Values((4, 3), dtype="bool"), Values((4, 3)), Values((4, 3))),
            call(Values((4,), dtype="bool"), Values((4, 3)), Values((4, 3))),
            call(Values((), dtype="bool"), Values((4, 3)), Values((4, 3))),
        ),
        dtypes=ANYTHING,
        differentiable=(1, 2),
        refused=(
            Refused(lambda: indexing.where([True], [1.0]), ValueError, "both be non-None or both be None"),
            Refused(
                lambda: indexing.where([True], placeholder("float32", [2]), placeholder("float32", [3])),
                ValueError,
                "[Ss]hape|Dimension",
            ),
        ),
    ),
    Record(
        name="slice",
        function=slicing.slice,
        reference=lambda x, begin, size: x[
            tuple(slice(b, None if s == -1 else b + s) for b, s in zip(begin, size, strict=True))
        ],
        variants=(
            call(Values((4, 3)), begin=[1, 0], size=[2, -1]),
            call(Values((4, 3)), begin=[0, 0], size=[4, 3]),
            call(Values((4, 3)), begin=[4, 1], size=[0, 2]),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(Refused(lambda: slicing.slice(constant([1.0]), [2], [-1]), ValueError, "[Ss]lice|size|Expected"),),
    ),
    Record(
        name="strided_slice",
        function=slicing.strided_slice,
        reference=lambda x, begin, end, strides: x[
            tuple(slice(b, e, s) for b, e, s in zip(begin, end, strides, strict=True))
        ],
        variants=(
            call(Values((6, 5)), begin=[1, 0], end=[6, 3], strides=[2, 1]),
            call(Values((6, 5)), begin=[-1, 4], end=[0, 1], strides=[-2, -1]),
            call(Values((6, 5)), begin=[2], end=[5], strides=[1]),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(
            Refused(lambda: slicing.strided_slice([1.0], [0], [1], [0]), ValueError, "must be non-zero"),
            Refused(lambda: slicing.strided_slice([1.0], [0, 0], [1, 1], [1, 1]), ValueError, "Index out of range"),
        ),
    ),
]
