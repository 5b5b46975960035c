"""Records of the reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from ops.cases.record import INTEGERS, NUMBERS, REAL_FLOATS, Record, Refused, Values, Variant, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.math import beta, reduction


def _variants(low: float = -2.0, high: float = 2.0) -> tuple[Variant, ...]:
    return (
        call(Values((4, 3, 5), low, high)),
        call(Values((4, 3, 5), low, high), axis=1),
        call(Values((4, 3, 5), low, high), axis=[0, -1]),
        call(Values((4, 3, 5), low, high), axis=[2], keepdims=True),
        call(Values((4, 300), low / 2, high / 2), axis=1),
        call(Values((), low, high)),
        call(Values((3, 4), low, high), axis=[]),
    )


def _refusals(function: Callable[..., Any], value: Any) -> tuple[Refused, ...]:
    return (
        Refused(
            lambda: function(constant([value]), axis=3), ValueError, r"[Ii]nvalid reduction dimension|out of range"
        ),
        Refused(lambda: function(constant([value]), axis=0, reduction_indices=0), ValueError, "both"),
        Refused(lambda: function(constant([value]), keepdims=True, keep_dims=True), ValueError, "both"),
    )


def _row(
    name: str,
    reference: Callable[..., Any],
    dtypes: tuple[str, ...],
    variants: tuple[Variant, ...] | None = None,
    differentiable: bool = True,
    returns: str | None = None,
) -> Record:
    function = getattr(reduction, name)

    def of_arrays(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        axis = tuple(axis) if isinstance(axis, list) else axis
        return reference(x, axis=axis, keepdims=keepdims)

    return Record(
        name=name,
        function=function,
        reference=of_arrays,
        variants=variants or _variants(),
        dtypes=dtypes,
        returns=returns,
        differentiable=(0,) if differentiable else (),
        refused=_refusals(function, True if dtypes == ("bool",) else 1.0),
        lossy=True,
    )


def _typed(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy widens the sums of small integers; TF keeps their dtype."""
    return lambda x, axis, keepdims: function(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


def _position(name: str, reference: Callable[..., Any], output: str) -> Record:
    function = getattr(reduction, name)
    arguments: dict[str, Any] = {} if output == "int64" else {"output_type": output}
    return Record(
        name=name,
        function=lambda x, **given: function(x, **given, **arguments),
        reference=lambda x, axis=0: reference(x, axis=axis).astype(output),
        variants=(call(Values((4, 3))), call(Values((4, 3)), axis=1), call(Values((5, 2, 3)), axis=-2)),
        dtypes=REAL_FLOATS + INTEGERS,
        returns=output,
        refused=(
            Refused(
                lambda: function(placeholder("float32", [2, 3]), axis=2),
                ValueError,
                r"Dimension \(2\) must be in the range \[-2, 2\)",
            ),
            Refused(lambda: function([1.0], axis=0, dimension=0), ValueError, "both"),
        ),
    )


def _over(reference: Callable[..., Any]) -> Callable[..., Any]:
    def of_arrays(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return reference(x, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)

    return of_arrays


def _norm(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))


RECORDS = [
    _row("reduce_sum", _typed(np.sum), NUMBERS),
    _row("reduce_mean", np.mean, (*REAL_FLOATS, "complex64", "complex128")),
    _row("reduce_prod", _typed(np.prod), NUMBERS, variants=_variants(0.7, 1.3)[:4]),
    _row("reduce_max", np.max, REAL_FLOATS + INTEGERS),
    _row("reduce_min", np.min, REAL_FLOATS + INTEGERS),
    _row("reduce_all", np.all, ("bool",), differentiable=False),
    _row("reduce_any", np.any, ("bool",), differentiable=False),
    _row("reduce_logsumexp", scipy.special.logsumexp, ("float32", "float64"), variants=_variants()[:5]),
    _row("count_nonzero", np.count_nonzero, NUMBERS, differentiable=False, returns="int64"),
    *(
        Record(
            name=name,
            function=getattr(reduction, name),
            reference=_over(reference),
            variants=_variants()[:5],
            dtypes=dtypes,
            differentiable=(0,),
            lossy=True,
        )
        for name, reference, dtypes in (
            ("reduce_variance", np.var, ("float32", "float64")),
            ("reduce_std", np.std, ("float32", "float64")),
            ("reduce_euclidean_norm", _norm, ("float32", "float64", "float16")),
        )
    ),
    Record(
        name="reduce_variance, complex",
        function=reduction.reduce_variance,
        reference=_over(np.var),
        variants=_variants()[:5],
        dtypes=("complex64",),
        returns="float32",
        lossy=True,
    ),
    Record(
        name="lbeta",
        function=beta.lbeta,
        reference=lambda x: scipy.special.gammaln(x).sum(-1) - scipy.special.gammaln(x.sum(-1)),
        variants=(call(Values((4, 3), 0.5, 3.0)), call(Values((2,), 0.5, 3.0))),
        dtypes=("float32", "float64"),
        differentiable=(0,),
        lossy=True,
    ),
    _position("argmax", np.argmax, "int64"),
    _position("argmax", np.argmax, "int32"),
    _position("argmin", np.argmin, "int64"),
]
