"""Records of special functions, of bits, of complex numbers and of conversions of bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from ops.cases.record import COMPLEX, INTEGERS, SMALL_INTEGERS, Given, Record, Values, call

from ferroflow._src.ops.math import arithmetic, cast, comparison, complex_parts, elementwise
from ferroflow._src.ops.nn import activation, ranking

_DOUBLES = ("float32", "float64")
_BITS = (*INTEGERS, *SMALL_INTEGERS)


def _two(
    name: str, reference: Callable[..., Any], low: float = 0.5, high: float = 3.0, differentiable: Any = (1,)
) -> Record:
    return Record(
        name=name,
        function=getattr(arithmetic, name),
        reference=reference,
        variants=(
            call(Values((4, 3), low, high), Values((4, 3), low, high)),
            call(Values((4, 1), low, high), Values((3,), low, high)),
        ),
        dtypes=_DOUBLES,
        differentiable=differentiable,
        lossy=True,
    )


def _of_bits(name: str, reference: Callable[..., Any], high: int = 100) -> Record:
    return Record(
        name=name,
        function=getattr(arithmetic, name),
        reference=lambda x, y: reference(x, y).astype(x.dtype),
        variants=(call(Values((4, 3), 0, 100), Values((3,), 0, high)),),
        dtypes=_BITS,
    )


def _real(dtype: str) -> str:
    return "float32" if dtype == "complex64" else "float64"


def _of_complex(name: str, reference: Callable[..., Any]) -> list[Record]:
    function = getattr(elementwise, name, None) or getattr(complex_parts, name)
    return [
        Record(
            name=name,
            function=function,
            reference=reference,
            variants=(call(Values((4, 3), 0.5, 2.0)), call(Values(()))),
            dtypes=(dtype,),
            returns=_real(dtype),
            lossy=True,
        )
        for dtype in COMPLEX
    ]


RECORDS = [
    _two("igamma", scipy.special.gammainc, differentiable=(0, 1)),
    _two("igammac", scipy.special.gammaincc, differentiable=(0, 1)),
    _two("zeta", scipy.special.zeta, 1.5, 4.0),
    Record(
        name="polygamma",
        function=arithmetic.polygamma,
        reference=lambda n, x: scipy.special.polygamma(n.astype(int), x),
        variants=(call(Given([0.0, 1.0, 2.0], "float64"), Values((4, 3), 0.5, 3.0)),),
        dtypes=("float64",),
        differentiable=(1,),
        lossy=True,
    ),
    Record(
        name="betainc",
        function=arithmetic.betainc,
        reference=scipy.special.betainc,
        variants=(call(Values((4, 3), 0.5, 3.0), Values((4, 3), 0.5, 3.0), Values((4, 3), 0.1, 0.9)),),
        dtypes=_DOUBLES,
        differentiable=(2,),
        lossy=True,
    ),
    Record(
        name="cross",
        function=arithmetic.cross,
        reference=np.cross,
        variants=(call(Values((4, 3)), Values((4, 3))),),
        dtypes=(*_DOUBLES, *INTEGERS),
        differentiable=(0, 1),
        lossy=True,
    ),
    _of_bits("bitwise_and", np.bitwise_and),
    _of_bits("bitwise_or", np.bitwise_or),
    _of_bits("bitwise_xor", np.bitwise_xor),
    _of_bits("left_shift", np.left_shift, 7),
    _of_bits("right_shift", np.right_shift, 7),
    Record(
        name="invert",
        function=elementwise.invert,
        reference=np.invert,
        variants=(call(Values((4, 3), 0, 100)),),
        dtypes=_BITS,
    ),
    *_of_complex("abs", np.abs),
    *_of_complex("angle", np.angle),
    *_of_complex("real", np.real),
    *_of_complex("imag", np.imag),
    Record(
        name="complex",
        function=complex_parts.complex,
        reference=lambda x, y: x + 1j * y,
        variants=(call(Values((4, 3)), Values((4, 3))),),
        dtypes=("float64",),
        returns="complex128",
    ),
    Record(
        name="bitcast",
        function=lambda x: cast.bitcast(x, "int32"),
        reference=lambda x: x.astype(np.float32).view(np.int32),
        variants=(call(Values((4, 3))),),
        dtypes=("float32",),
        returns="int32",
    ),
    Record(
        name="approximate_equal",
        function=lambda x, y: comparison.approximate_equal(x, y, tolerance=0.5),
        reference=lambda x, y: np.abs(x - y) < 0.5,
        variants=(call(Values((4, 3)), Values((4, 3))),),
        dtypes=_DOUBLES,
        returns="bool",
    ),
    Record(
        name="leaky_relu",
        function=activation.leaky_relu,
        reference=lambda x: np.where(x > 0, x, np.float32(0.2).astype(x.dtype) * x),
        variants=(call(Values((4, 3))), call(Values(()))),
        dtypes=_DOUBLES,
        differentiable=(0,),
        shapes="any",
    ),
    Record(
        name="nth_element",
        function=ranking.nth_element,
        reference=lambda x, n: np.sort(x, -1)[..., n],
        variants=(call(Values((4, 5)), Given(2)), call(Values((5,)), Given(0))),
        dtypes=(*_DOUBLES, *INTEGERS),
        differentiable=(0,),
    ),
]
