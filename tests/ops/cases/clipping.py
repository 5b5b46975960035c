"""Records of the functions that keep values and norms within bounds, and of moments."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.cases.record import INTEGERS, REAL_FLOATS, Given, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.math import clipping
from ferroflow._src.ops.nn import normalization, ranking


def _by_norm(x: Any, clip_norm: float, axes: Any = None) -> Any:
    norm = np.sqrt(np.sum(x * x, axis=None if axes is None else tuple(axes), keepdims=True))
    return x * clip_norm / np.maximum(norm, clip_norm)


def _normalized(x: Any, axis: Any = None) -> Any:
    return x / np.sqrt(np.maximum(np.sum(x * x, axis=axis, keepdims=True), 1e-12))


def _moments(x: Any, axes: Any, keep_dims: bool = False) -> list[Any]:
    axes = tuple(axes)
    return [np.mean(x, axes, keepdims=keep_dims), np.var(x, axes, keepdims=keep_dims)]


def _normalized_batch(x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float) -> Any:
    return scale * (x - mean) / np.sqrt(variance + variance_epsilon) + offset


def _top(x: Any, k: int) -> list[Any]:
    order = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    return [np.take_along_axis(x, order, -1), order.astype(np.int32)]


def _in_top(predictions: Any, targets: Any, k: int) -> Any:
    of_target = np.take_along_axis(predictions, targets[:, None], 1)
    return np.sum(predictions > of_target, axis=1) < k


RECORDS = [
    Record(
        name="clip_by_value",
        function=clipping.clip_by_value,
        reference=lambda x, clip_value_min, clip_value_max: np.clip(x, clip_value_min, clip_value_max),
        variants=(call(Values((4, 3)), clip_value_min=-1, clip_value_max=1),),
        dtypes=REAL_FLOATS + INTEGERS,
        differentiable=(0,),
        shapes="any",
        refused=(
            Refused(
                lambda: clipping.clip_by_value(placeholder("float32", [2, 1]), constant([0.0, 0.0, 0.0]), 1.0),
                ValueError,
                "[Ss]hape|Dimension",
            ),
        ),
    ),
    Record(
        name="clip_by_norm",
        function=clipping.clip_by_norm,
        reference=_by_norm,
        variants=(
            call(Values((4, 3)), clip_norm=1.0),
            call(Values((4, 3)), clip_norm=100.0),
            call(Values((4, 3)), clip_norm=1.0, axes=[1]),
        ),
        dtypes=REAL_FLOATS,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="clip_by_global_norm",
        function=lambda x, y, clip_norm: [*clipping.clip_by_global_norm([x, y], clip_norm)[0]],
        reference=lambda x, y, clip_norm: [
            v * clip_norm / max(clip_norm, np.sqrt(np.sum(x * x) + np.sum(y * y))) for v in (x, y)
        ],
        variants=(
            call(Values((4, 3)), Values((2,)), clip_norm=1.0),
            call(Values((4, 3)), Values((2,)), clip_norm=100.0),
        ),
        dtypes=("float32", "float64"),
        differentiable=(0, 1),
        lossy=True,
        refused=(
            Refused(lambda: clipping.clip_by_global_norm(constant([1.0]), 1.0), TypeError, "should be a sequence"),
        ),
    ),
    Record(
        name="global_norm",
        function=lambda x, y: clipping.global_norm([x, None, y]),
        reference=lambda x, y: np.sqrt(np.sum(x * x) + np.sum(y * y)),
        variants=(call(Values((4, 3)), Values((2,))),),
        dtypes=REAL_FLOATS,
        differentiable=(0, 1),
        lossy=True,
    ),
    Record(
        name="l2_loss",
        function=normalization.l2_loss,
        reference=lambda x: np.sum(x * x) / 2,
        variants=(call(Values((4, 3))), call(Values(())), call(Values((300,)))),
        dtypes=REAL_FLOATS,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="l2_normalize",
        function=normalization.l2_normalize,
        reference=_normalized,
        variants=(call(Values((4, 3))), call(Values((4, 3)), axis=1)),
        dtypes=("float32", "float64"),
        differentiable=(0,),
        lossy=True,
        refused=(Refused(lambda: normalization.l2_normalize([1.0], axis=0, dim=0), ValueError, "both"),),
    ),
    Record(
        name="zero_fraction",
        function=normalization.zero_fraction,
        reference=lambda x: np.mean(x == 0),
        variants=(call(Values((4, 30), 0, 2)),),
        dtypes=("int32", "float32"),
        returns="float32",
    ),
    Record(
        name="moments",
        function=normalization.moments,
        reference=_moments,
        variants=(
            call(Values((4, 3)), axes=[0]),
            call(Values((4, 3, 2)), axes=[0, 2], keep_dims=True),
            call(Values((4, 3, 2)), axes=[0, 1]),
        ),
        dtypes=REAL_FLOATS,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="batch_normalization",
        function=normalization.batch_normalization,
        reference=_normalized_batch,
        variants=(
            call(
                Values((4, 3)),
                Values((3,)),
                Values((3,), 0.5, 2),
                Values((3,)),
                Values((3,)),
                variance_epsilon=1e-3,
            ),
        ),
        dtypes=("float32", "float64"),
        differentiable=(0, 1, 2, 3, 4),
        lossy=True,
    ),
    Record(
        name="top_k",
        function=ranking.top_k,
        reference=_top,
        variants=(call(Values((4, 7), 0, 5), k=3), call(Values((5,)), k=5)),
        dtypes=("float32", "float64", *INTEGERS),
        returns=(None, "int32"),
        differentiable=(0,),
        refused=(Refused(lambda: ranking.top_k(constant([1.0]), 2), ValueError, "must have last dimension >= k = 2"),),
    ),
    Record(
        name="in_top_k",
        function=ranking.in_top_k,
        reference=_in_top,
        variants=(call(Values((4, 5)), Given([1, 0, 4, 2]), k=2),),
        dtypes=("float32",),
        returns="bool",
    ),
]
