"""Records of the matrix functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.cases.record import FLOATS, REAL_FLOATS, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.math import linalg


def _product(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Any:
    if transpose_a or adjoint_a:
        a = np.swapaxes(a, -1, -2)
    if transpose_b or adjoint_b:
        b = np.swapaxes(b, -1, -2)
    a, b = (np.conj(a) if adjoint_a else a), (np.conj(b) if adjoint_b else b)
    return np.matmul(a, b)


RECORDS = [
    Record(
        name="matmul",
        function=linalg.matmul,
        reference=_product,
        variants=(
            call(Values((4, 3)), Values((3, 5))),
            call(Values((3, 4)), Values((3, 5)), transpose_a=True),
            call(Values((4, 3)), Values((5, 3)), transpose_b=True),
            call(Values((3, 4)), Values((5, 3)), transpose_a=True, transpose_b=True),
            call(Values((3, 4)), Values((3, 5)), adjoint_a=True),
            call(Values((4, 3)), Values((5, 3)), adjoint_b=True),
            call(Values((33, 70)), Values((70, 17))),
            call(Values((0, 3)), Values((3, 2))),
            call(Values((2, 0)), Values((0, 3))),
            call(Values((2, 4, 3)), Values((3, 5))),
            call(Values((4, 3)), Values((2, 2, 5, 3)), transpose_b=True),
            call(Values((2, 1, 4, 3)), Values((3, 3, 5))),
            call(Values((1, 3, 4)), Values((2, 3, 5)), transpose_a=True),
        ),
        dtypes=(*FLOATS, "int32"),
        differentiable=(0, 1),
        refused=(
            Refused(
                lambda: linalg.matmul(placeholder("float32", [2, 3]), placeholder("float32", [4, 5])),
                ValueError,
                "Dimensions must be equal, but are 3 and 4",
            ),
            Refused(lambda: linalg.matmul(constant([1.0]), constant([[1.0]])), ValueError, "rank 2"),
            Refused(lambda: linalg.matmul(constant([[1.0]]), constant([[1.0]], "float64")), TypeError, "float64"),
            Refused(
                lambda: linalg.matmul(constant([[1.0]]), constant([[1.0]]), transpose_a=True, adjoint_a=True),
                ValueError,
                "Only one of transpose_a and adjoint_a",
            ),
        ),
        lossy=True,
    ),
    Record(
        name="tensordot",
        function=linalg.tensordot,
        reference=np.tensordot,
        variants=(
            call(Values((2, 3, 4)), Values((3, 4, 5)), axes=2),
            call(Values((2, 3, 4)), Values((4, 3)), axes=[[1, 2], [1, 0]]),
            call(Values((2, 3)), Values((4,)), axes=0),
        ),
        dtypes=REAL_FLOATS,
        differentiable=(0, 1),
        refused=(
            Refused(lambda: linalg.tensordot(constant([1.0]), constant([1.0]), -1), ValueError, "at least 0"),
            Refused(lambda: linalg.tensordot(constant([1.0]), constant([1.0]), [1, 2, 3]), ValueError, "length 2"),
            Refused(
                lambda: linalg.tensordot(constant([[1.0]]), constant([[1.0]]), [[0, 1], [0]]), ValueError, "2 != 1"
            ),
        ),
        lossy=True,
    ),
]
