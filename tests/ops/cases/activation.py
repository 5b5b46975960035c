"""Records of the activation functions and of softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from ops.cases.record import INTEGERS, REAL_FLOATS, Record, Refused, Values, Variant, call

from ferroflow._src.base import errors
from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.nn import activation, softmax

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


_LAST = (
    call(Values((4, 3))),
    call(Values((5,))),
    call(Values((2, 3, 4))),
    call(Values((2, 70), -30, 30)),
)
_OTHERS = (call(Values((2, 3, 4)), axis=1), call(Values((2, 3)), axis=0))


def _row(name: str, reference: Callable[..., Any], dtypes: tuple[str, ...] = REAL_FLOATS) -> Record:
    function = getattr(activation, name)
    return Record(
        name=name,
        function=function,
        reference=reference,
        variants=tuple(call(Values(shape, -8, 8)) for shape in ((4, 3), (), (0, 2), (37,))),
        dtypes=dtypes,
        differentiable=(0,),
        shapes="any",
        refused=(Refused(lambda: function(constant("text")), TypeError, "string"),),
    )


def _along(name: str, reference: Callable[..., Any], variants: tuple[Variant, ...], needs: str) -> Record:
    function = getattr(softmax, name)
    return Record(
        name=name,
        function=function,
        reference=lambda x, axis=-1: reference(x, axis=axis),
        variants=variants,
        needs=needs,
        dtypes=REAL_FLOATS,
        differentiable=(0,),
        refused=(
            Refused(
                lambda: function(placeholder("float32", [2, 3]), axis=2),
                errors.InvalidArgumentError,
                "must be in the range .-2, 2.",
            ),
            Refused(lambda: function(constant(1.0)), ValueError, "must be at least rank 1"),
            Refused(lambda: function([[1.0]], axis=0, dim=0), ValueError, "both"),
        ),
        lossy=True,
    )


RECORDS = [
    _row("relu", lambda x: np.maximum(x, 0), REAL_FLOATS + INTEGERS),
    _row("relu6", lambda x: np.clip(x, 0, 6), REAL_FLOATS + INTEGERS),
    _row("elu", lambda x: np.where(x < 0, np.expm1(x), x)),
    _row("selu", lambda x: _SELU_SCALE * np.where(x < 0, _SELU_ALPHA * np.expm1(x), x)),
    _row("softplus", lambda x: np.logaddexp(x, 0)),
    _row("softsign", lambda x: x / (np.abs(x) + 1)),
    _row("leaky_relu", lambda x: np.maximum(np.float32(0.2).astype(x.dtype) * x, x)),
    _row("swish", lambda x: x / (1 + np.exp(-x))),
    Record(
        name="crelu",
        function=activation.crelu,
        reference=lambda x: np.maximum(np.concatenate([x, -x], -1), 0),
        variants=(call(Values((4, 3))),),
        dtypes=REAL_FLOATS,
        differentiable=(0,),
    ),
    Record(
        name="bias_add",
        function=activation.bias_add,
        reference=lambda x, b, data_format="NHWC": x + (b if data_format == "NHWC" else b[:, None, None]),
        variants=(
            call(Values((4, 3)), Values((3,))),
            call(Values((2, 4, 3)), Values((3,))),
            call(Values((2, 3, 4, 5)), Values((3,)), data_format="NCHW"),
        ),
        dtypes=REAL_FLOATS + INTEGERS,
        differentiable=(0, 1),
        refused=(
            Refused(
                lambda: activation.bias_add(placeholder("float32", [2, 3]), constant([1.0, 2.0])),
                ValueError,
                "must be equal, but are 3 and 2",
            ),
            Refused(
                lambda: activation.bias_add(constant([1.0]), constant([1.0])), ValueError, "must be at least rank 2"
            ),
        ),
    ),
    Record(
        name="xw_plus_b",
        function=activation.xw_plus_b,
        reference=lambda x, w, b: x @ w + b,
        variants=(call(Values((4, 3)), Values((3, 5)), Values((5,))),),
        dtypes=("float32", "float64"),
        differentiable=(0, 1, 2),
        lossy=True,
    ),
    Record(
        name="relu_layer",
        function=activation.relu_layer,
        reference=lambda x, w, b: np.maximum(x @ w + b, 0),
        variants=(call(Values((4, 3)), Values((3, 5)), Values((5,))),),
        dtypes=("float32", "float64"),
        differentiable=(0, 1, 2),
        lossy=True,
    ),
    _along("softmax", scipy.special.softmax, _LAST, "nothing"),
    _along("softmax", scipy.special.softmax, _OTHERS, "rank"),
    _along("log_softmax", scipy.special.log_softmax, _LAST, "nothing"),
    _along("log_softmax", scipy.special.log_softmax, _OTHERS, "rank"),
]
