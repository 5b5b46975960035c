"""Records of the functions that make tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.cases.record import ANYTHING, INTEGERS, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array import making


def _one_hot(indices: Any, depth: int, on_value: Any = 1.0, off_value: Any = 0.0, axis: int = -1) -> Any:
    hits = np.expand_dims(indices, -1) == np.arange(depth)
    return np.moveaxis(np.where(hits, on_value, off_value).astype(np.float32), -1, axis)


RECORDS = [
    Record(
        name="fill",
        function=lambda x, dims: making.fill(dims, x),
        reference=lambda x, dims: np.full(dims, x),
        variants=(call(Values(()), dims=[2, 3]), call(Values(()), dims=[]), call(Values(()), dims=[0, 3])),
        dtypes=ANYTHING,
        differentiable=(0,),
        refused=(Refused(lambda: making.fill([2], constant([1.0])), ValueError, "must be rank 0 but is rank 1"),),
    ),
    Record(
        name="zeros_like",
        function=making.zeros_like,
        reference=np.zeros_like,
        variants=(call(Values((4, 3))), call(Values(()))),
        dtypes=ANYTHING,
        shapes="any",
    ),
    Record(
        name="ones_like",
        function=making.ones_like,
        reference=np.ones_like,
        variants=(call(Values((4, 3))), call(Values(()))),
        dtypes=ANYTHING,
        shapes="any",
    ),
    Record(
        name="identity",
        function=making.identity,
        reference=lambda x: x,
        variants=(call(Values((4, 3))), call(Values(()))),
        dtypes=ANYTHING,
        differentiable=(0,),
        shapes="any",
    ),
    Record(
        name="stop_gradient",
        function=making.stop_gradient,
        reference=lambda x: x,
        variants=(call(Values((4, 3))),),
        dtypes=ANYTHING,
        shapes="any",
    ),
    Record(
        name="one_hot",
        function=making.one_hot,
        reference=_one_hot,
        variants=(
            # -1 and 4 are outside: vectors without a hit.
            call(Values((5,), -1, 4), depth=4),
            call(Values((2, 3), -1, 4), depth=4, axis=0),
            call(Values((2, 3), 0, 3), depth=4, axis=1, on_value=5.0, off_value=-1.0),
            call(Values((), 0, 2), depth=3),
        ),
        dtypes=(*INTEGERS, "uint8"),
        returns="float32",
        refused=(
            Refused(lambda: making.one_hot([0], 3, on_value=1.0, off_value=constant(0)), TypeError, "does not match"),
            Refused(lambda: making.one_hot([0], 3, on_value=constant(1), dtype="float32"), TypeError, "does not match"),
            Refused(lambda: making.one_hot([0], -1), ValueError, "non-negative|-1"),
        ),
    ),
]
