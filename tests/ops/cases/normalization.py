"""Records of normalization over channels."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.cases.record import Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.nn import normalization


def _batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[Any, Any, Any]:
    if data_format == "NCHW":
        y, *moments = _batch_norm(np.moveaxis(x, 1, 3), scale, offset, mean, variance, epsilon, "NHWC", is_training)
        return np.moveaxis(y, 3, 1), moments[0], moments[1]
    unbiased = variance
    if is_training:
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        rows = x.size / x.shape[3]
        unbiased = variance * rows / max(rows - 1, 1)
    return (x - mean) / np.sqrt(variance + epsilon) * scale + offset, mean, unbiased


def _lrn(x: Any, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5) -> Any:
    depth = x.shape[3]
    sums = np.stack([(x[..., max(d - depth_radius, 0) : d + depth_radius + 1] ** 2).sum(-1) for d in range(depth)], -1)
    return x / (bias + alpha * sums) ** beta


_VECTOR = Values((3,), 0.5, 2, "float32")

RECORDS = [
    Record(
        name="fused_batch_norm",
        function=normalization.fused_batch_norm,
        reference=_batch_norm,
        variants=(
            call(Values((4, 5, 6, 3)), _VECTOR, _VECTOR),
            call(Values((4, 3, 5, 6)), _VECTOR, _VECTOR, data_format="NCHW", epsilon=0.1),
            call(Values((2, 5, 6, 3)), _VECTOR, _VECTOR, _VECTOR, _VECTOR, is_training=False),
            call(Values((2, 3, 5, 6)), _VECTOR, _VECTOR, _VECTOR, _VECTOR, is_training=False, data_format="NCHW"),
        ),
        dtypes=("float16", "float32"),
        returns=(None, "float32", "float32"),
        differentiable=(0, 1, 2),
        refused=(
            Refused(
                lambda: normalization.fused_batch_norm(np.zeros((1, 2, 2, 3), np.float32), [1.0], [1.0]),
                ValueError,
                "must be equal, but are 3 and 1",
            ),
            Refused(
                lambda: normalization.fused_batch_norm([[[[1.0]]]], [1.0], [1.0], mean=[1.0]),
                ValueError,
                "Both 'mean' and 'variance' must be None",
            ),
        ),
        lossy=True,
    ),
    Record(
        name="lrn",
        function=normalization.lrn,
        reference=_lrn,
        variants=(
            call(Values((2, 3, 2, 7))),
            call(Values((1, 1, 2, 5)), depth_radius=2, bias=1.5, alpha=0.3, beta=0.75),
            call(Values((1, 2, 1, 3)), depth_radius=0),
        ),
        dtypes=("float16", "float32"),
        differentiable=(0,),
        refused=(
            Refused(lambda: normalization.lrn(constant([[1.0]])), ValueError, "must be rank 4"),
            Refused(lambda: normalization.lrn(constant([[[[1]]]])), TypeError, "int32"),
        ),
        lossy=True,
    ),
]
