"""Records of the cross entropies and other losses."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from ops.cases.record import REAL_FLOATS, Distributions, Given, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.nn import softmax


def _cross_entropy(labels: Any, logits: Any, axis: int = -1) -> Any:
    return -np.sum(labels * scipy.special.log_softmax(logits, axis), axis)


def _sparse_cross_entropy(labels: Any, logits: Any) -> Any:
    log_probabilities = scipy.special.log_softmax(logits, -1)
    return -np.take_along_axis(log_probabilities, labels[..., None].astype(np.int64), -1)[..., 0]


def _sigmoid_cross_entropy(labels: Any, logits: Any) -> Any:
    return np.maximum(logits, 0) - logits * labels + np.log1p(np.exp(-np.abs(logits)))


def _weighted(targets: Any, logits: Any, pos_weight: float) -> Any:
    sigmoid = 1 / (1 + np.exp(-logits))
    return -targets * np.log(sigmoid) * pos_weight - (1 - targets) * np.log(1 - sigmoid)


def _named(function: Any) -> Any:
    return lambda labels, logits, **arguments: function(labels=labels, logits=logits, **arguments)


def _refusals(function: Any) -> tuple[Refused, ...]:
    missing = Refused(lambda: function(labels=[[1.0]]), ValueError, "Both labels and logits must be provided")
    if function is softmax.softmax_cross_entropy_with_logits_v2:
        # TF 1.13 and later: this one takes labels and logits by position.
        return (missing,)
    return (Refused(lambda: function([[1.0]], [[1.0]]), ValueError, "Only call .* with named arguments"), missing)


RECORDS = [
    *(
        Record(
            name=function.__name__,
            function=_named(function),
            reference=_cross_entropy,
            variants=(
                # The gradient of the logits is that of distributions: the sum of the labels is taken to be 1.
                call(Distributions((4, 3)), Values((4, 3), -5, 5)),
                call(Distributions((2, 3, 4)), Values((2, 3, 4), -5, 5)),
                call(Distributions((4, 3), axis=0), Values((4, 3), -5, 5), axis=0),
            ),
            dtypes=REAL_FLOATS,
            differentiable=differentiable,
            refused=_refusals(function),
            lossy=True,
        )
        for function, differentiable in (
            (softmax.softmax_cross_entropy_with_logits, (1,)),
            (softmax.softmax_cross_entropy_with_logits_v2, (0, 1)),
        )
    ),
    Record(
        name="sparse_softmax_cross_entropy_with_logits",
        function=_named(softmax.sparse_softmax_cross_entropy_with_logits),
        reference=_sparse_cross_entropy,
        variants=(
            call(Given([0, 2, 1, 1]), Values((4, 3), -5, 5)),
            call(Given([0, 2], "int64"), Values((2, 3), -5, 5)),
            call(Given([[0, 2, 1], [3, 0, 1]]), Values((2, 3, 4), -5, 5)),
        ),
        dtypes=REAL_FLOATS,
        differentiable=(1,),
        refused=(
            *_refusals(softmax.sparse_softmax_cross_entropy_with_logits),
            Refused(
                lambda: softmax.sparse_softmax_cross_entropy_with_logits(labels=[[0]], logits=[[1.0]]),
                ValueError,
                "Rank mismatch: Rank of labels .received 2. should equal rank of logits minus 1 .received 2.",
            ),
            Refused(
                lambda: softmax.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=[[1.0]]),
                ValueError,
                "Shape mismatch",
            ),
            Refused(
                lambda: softmax.sparse_softmax_cross_entropy_with_logits(labels=0, logits=1.0),
                ValueError,
                "Logits cannot be scalars",
            ),
        ),
        lossy=True,
    ),
    Record(
        name="sigmoid_cross_entropy_with_logits",
        function=_named(softmax.sigmoid_cross_entropy_with_logits),
        reference=_sigmoid_cross_entropy,
        variants=(call(Values((4, 3), 0, 1), Values((4, 3), -9, 9)), call(Values((), 0, 1), Values((), -9, 9))),
        dtypes=REAL_FLOATS,
        differentiable=(0, 1),
        shapes="any",
        refused=(
            *_refusals(softmax.sigmoid_cross_entropy_with_logits),
            Refused(
                lambda: softmax.sigmoid_cross_entropy_with_logits(
                    labels=placeholder("float32", [2]), logits=placeholder("float32", [3])
                ),
                ValueError,
                r"logits and labels must have the same shape \(\(3,\) vs \(2,\)\)",
            ),
        ),
        lossy=True,
    ),
    Record(
        name="weighted_cross_entropy_with_logits",
        function=softmax.weighted_cross_entropy_with_logits,
        reference=_weighted,
        variants=(call(Values((4, 3), 0, 1), Values((4, 3), -3, 3), pos_weight=2.5),),
        dtypes=REAL_FLOATS,
        differentiable=(0, 1),
        refused=(
            Refused(
                lambda: softmax.weighted_cross_entropy_with_logits(constant([1.0]), constant([1.0, 2.0]), 1.0),
                ValueError,
                "must have the same shape",
            ),
        ),
        lossy=True,
    ),
    Record(
        name="log_poisson_loss",
        function=softmax.log_poisson_loss,
        reference=lambda targets, log_input: np.exp(log_input) - log_input * targets,
        variants=(call(Values((4, 3), 0.5, 3), Values((4, 3))),),
        dtypes=("float32", "float64"),
        differentiable=(0, 1),
        lossy=True,
    ),
]
