"""Records of the functions that ask for shapes and change them."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.cases.record import ALL_NUMBERS, ANYTHING, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import placeholder

_SOME = ("float32", "float64", "int32", "int64", "bool", "complex64")


def _pad(x: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0) -> Any:
    if mode == "CONSTANT":
        return np.pad(x, paddings, constant_values=constant_values)
    return np.pad(x, paddings, mode=mode.lower())


RECORDS = [
    Record(
        name="shape",
        function=shaping.shape,
        reference=lambda x: np.array(x.shape, np.int32),
        variants=(call(Values((4, 3))), call(Values(())), call(Values((0, 2)))),
        dtypes=_SOME,
        returns="int32",
    ),
    Record(
        name="size",
        function=shaping.size,
        reference=lambda x: np.int32(x.size),
        variants=(call(Values((4, 3))), call(Values(())), call(Values((0, 2)))),
        dtypes=_SOME,
        returns="int32",
    ),
    Record(
        name="rank",
        function=shaping.rank,
        reference=lambda x: np.int32(x.ndim),
        variants=(call(Values((4, 3))), call(Values(()))),
        dtypes=_SOME,
        returns="int32",
    ),
    Record(
        name="reshape",
        function=shaping.reshape,
        reference=lambda x, shape: np.reshape(x, shape),
        variants=(
            call(Values((4, 3)), shape=[2, 6]),
            call(Values((4, 3)), shape=[-1]),
            call(Values((2, 3, 2)), shape=[3, -1]),
            call(Values((1,)), shape=[]),
            call(Values((0, 3)), shape=[3, 0]),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(
            Refused(lambda: shaping.reshape(constant([1.0, 2.0, 3.0]), [2, 2]), ValueError, "[Rr]eshape"),
            Refused(lambda: shaping.reshape(placeholder("float32", [6]), [4, -1]), ValueError, "[Rr]eshape|divi"),
        ),
    ),
    Record(
        name="expand_dims",
        function=shaping.expand_dims,
        reference=np.expand_dims,
        variants=(call(Values((4, 3)), axis=0), call(Values((4, 3)), axis=-1), call(Values((4, 3)), axis=1)),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(
            Refused(lambda: shaping.expand_dims(constant([1.0]), 4), ValueError, "expand dim index 4"),
            Refused(lambda: shaping.expand_dims(constant([1.0])), ValueError, "Must specify an axis"),
            Refused(lambda: shaping.expand_dims(constant([1.0]), axis=0, dim=0), ValueError, "both"),
        ),
    ),
    Record(
        name="squeeze",
        function=shaping.squeeze,
        reference=lambda x, axis=None: np.squeeze(x, tuple(axis) if isinstance(axis, list) else axis),
        variants=(
            call(Values((1, 3, 1))),
            call(Values((1, 3, 1)), axis=0),
            call(Values((1, 3, 1)), axis=[0, -1]),
            call(Values((2, 3))),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(
            Refused(lambda: shaping.squeeze(constant([[1.0, 2.0]]), [1]), ValueError, "squeeze"),
            Refused(lambda: shaping.squeeze(constant([[1.0]]), axis=0, squeeze_dims=0), ValueError, "both"),
        ),
    ),
    Record(
        name="transpose",
        function=shaping.transpose,
        reference=lambda x, perm=None: np.transpose(x, perm),
        variants=(
            call(Values((4, 3))),
            call(Values((2, 3, 4)), perm=[2, 0, 1]),
            call(Values((2, 3, 4, 5)), perm=[0, 2, 1, 3]),
            call(Values((33, 65))),
            call(Values(())),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(
            Refused(lambda: shaping.transpose(constant([[1.0]]), [0]), ValueError, "[Dd]imension|rank|perm"),
            Refused(lambda: shaping.transpose(constant([[1.0]]), [0, 2]), ValueError, "range|perm"),
        ),
    ),
    Record(
        name="tile",
        function=shaping.tile,
        reference=lambda x, multiples: np.tile(x, multiples),
        variants=(
            call(Values((4, 3)), multiples=[2, 1]),
            call(Values((3,)), multiples=[4]),
            call(Values((2, 3)), multiples=[0, 2]),
        ),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(Refused(lambda: shaping.tile(constant([1.0]), [1, 2]), ValueError, "[Ss]hape|[Dd]imension|rank"),),
    ),
    Record(
        name="pad",
        function=shaping.pad,
        reference=_pad,
        variants=(
            call(Values((4, 3)), paddings=[[1, 2], [0, 3]]),
            call(Values((4, 3)), paddings=[[1, 2], [0, 3]], constant_values=1),
        ),
        dtypes=ALL_NUMBERS,
        differentiable=(0,),
        refused=(Refused(lambda: shaping.pad([1.0], [[1, 1]], mode="LEFT"), ValueError, "Unknown padding mode: LEFT"),),
    ),
]
