"""Records of pooling and of morphology."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from ops.cases.record import REAL_FLOATS, Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.nn import morphology, pooling


def _out_and_before(size: int, window: int, stride: int, padding: str) -> tuple[int, int]:
    if padding == "VALID":
        return (size - window) // stride + 1, 0
    out = -(-size // stride)
    return out, max((out - 1) * stride + window - size, 0) // 2


def _windows(x: Any, ksize: Any, strides: Any, padding: str) -> Iterator[tuple[tuple[int, ...], Any]]:
    """(position, elements [..., of the window, ..., channels]) of every window of `[batch, ..., channels]`."""
    spatial = list(zip(x.shape[1:-1], ksize[1:-1], strides[1:-1], strict=True))
    axes = [_out_and_before(n, k, s, padding) for n, k, s in spatial]
    for position in itertools.product(*(range(out) for out, _ in axes)):
        cut = tuple(
            slice(max(p * s - before, 0), min(p * s - before + k, n))
            for p, (_, before), (n, k, s) in zip(position, axes, spatial, strict=True)
        )
        yield position, x[(slice(None), *cut)]


def _pooled(
    reduce: Callable[..., Any], x: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC"
) -> Any:
    if data_format.startswith("NC"):
        last = [ksize[0], *ksize[2:], ksize[1]], [strides[0], *strides[2:], strides[1]]
        return np.moveaxis(_pooled(reduce, np.moveaxis(x, 1, -1), *last, padding), -1, 1)
    if ksize[-1] != 1:
        groups = x.reshape(*x.shape[:-1], -1, ksize[-1])
        return reduce(groups, axis=-1)
    axes = tuple(range(1, x.ndim - 1))
    cells = {p: reduce(window, axis=axes) for p, window in _windows(x, ksize, strides, padding)}
    shape = tuple(n + 1 for n in max(cells))
    rows = np.stack([cells[p] for p in sorted(cells)], 1)
    return rows.reshape(x.shape[0], *shape, x.shape[-1])


def _record(name: str, reduce: Any, dtypes: tuple[str, ...], variants: Any, refused: Any, **more: Any) -> Record:
    return Record(
        name=name,
        function=getattr(pooling, name),
        reference=lambda x, **arguments: _pooled(reduce, x, **arguments),
        variants=variants,
        dtypes=dtypes,
        differentiable=(0,),
        refused=refused,
        **more,
    )


_VARIANTS = (
    call(Values((2, 5, 4, 3), -9, 9), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
    call(Values((1, 6, 5, 2), -9, 9), ksize=[1, 3, 2, 1], strides=[1, 1, 2, 1], padding="VALID"),
    call(Values((1, 4, 7, 1), -9, 9), ksize=[1, 1, 2, 1], strides=[1, 2, 3, 1], padding="SAME"),
    call(Values((2, 3, 5, 4), -9, 9), ksize=[1, 1, 3, 3], strides=[1, 1, 2, 1], padding="SAME", data_format="NCHW"),
)
_VOLUMES = (
    call(Values((2, 3, 4, 5, 2), -9, 9), ksize=[1, 2, 2, 3, 1], strides=[1, 1, 2, 2, 1], padding="SAME"),
    call(Values((1, 3, 4, 4, 1), -9, 9), ksize=[1, 2, 3, 2, 1], strides=[1, 1, 1, 2, 1], padding="VALID"),
)


def _refusals(function: Any, rank: int) -> tuple[Refused, ...]:
    x = np.zeros((1, *[3] * (rank - 2), 1), np.float32)

    def sizes(n: int) -> list[int]:
        return [1, *[n] * (rank - 2), 1]

    return (
        Refused(lambda: function(constant(x), sizes(5), sizes(1), "VALID"), ValueError, "Negative dimension size"),
        Refused(lambda: function(constant(x), sizes(2), sizes(0), "SAME"), ValueError, "Stride must be > 0"),
        Refused(
            lambda: function(constant(x), sizes(0), sizes(1), "SAME"),
            ValueError,
            "ksize (must be positive|cannot be zero)",
        ),
        Refused(lambda: function(constant(x), [1] * 6, sizes(1), "SAME"), ValueError, "length|contain"),
        Refused(lambda: function(constant(x[0]), sizes(1), sizes(1), "SAME"), ValueError, f"must be rank {rank}"),
        Refused(lambda: function(constant(x), sizes(1), sizes(1), "MOST"), ValueError, "MOST"),
    )


def _dilated(x: Any, f: Any, strides: Any, rates: Any, padding: str, sign: int = 1) -> Any:
    rows, columns = f.shape[0], f.shape[1]
    spans = [
        _out_and_before(x.shape[d + 1], (f.shape[d] - 1) * rates[d + 1] + 1, strides[d + 1], padding) for d in (0, 1)
    ]
    (high, top), (wide, left) = spans
    result = np.full((x.shape[0], high, wide, x.shape[3]), -np.inf)
    for r, c in itertools.product(range(high), range(wide)):
        for i, j in itertools.product(range(rows), range(columns)):
            y, z = r * strides[1] - top + i * rates[1], c * strides[2] - left + j * rates[2]
            if 0 <= y < x.shape[1] and 0 <= z < x.shape[2]:
                result[:, r, c] = np.maximum(result[:, r, c], x[:, y, z] * sign + f[i, j])
    return result


def _pool(
    x: Any,
    window_shape: Any,
    pooling_type: str,
    padding: str,
    dilation_rate: Any = None,
    strides: Any = None,
    data_format: str | None = None,
) -> Any:
    if data_format is not None and data_format.startswith("NC"):
        last = np.moveaxis(x, 1, -1)
        return np.moveaxis(_pool(last, window_shape, pooling_type, padding, dilation_rate, strides), -1, 1)
    reduce = {"MAX": np.max, "AVG": np.mean}[pooling_type]
    strides = strides or [1] * len(window_shape)
    if dilation_rate is None:
        return _pooled(reduce, x, [1, *window_shape, 1], [1, *strides, 1], padding)
    outs = [n - (k - 1) * r for n, k, r in zip(x.shape[1:-1], window_shape, dilation_rate, strict=True)]
    shifted = [
        x[(slice(None), *(slice(i * r, i * r + n) for i, r, n in zip(at, dilation_rate, outs, strict=True)))]
        for at in itertools.product(*map(range, window_shape))
    ]
    return reduce(np.stack(shifted), axis=0)


_DILATIONS = (
    call(Values((2, 5, 6, 3), -9, 9), Values((2, 3, 3)), strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"),
    call(Values((1, 7, 6, 2), -9, 9), Values((2, 2, 2)), strides=[1, 2, 1, 1], rates=[1, 2, 3, 1], padding="VALID"),
)

RECORDS = [
    _record(
        "max_pool",
        np.max,
        (*REAL_FLOATS, "int32", "int64", "uint8", "int16", "int8", "uint16"),
        (*_VARIANTS, call(Values((1, 2, 2, 6), -9, 9), ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="VALID")),
        _refusals(pooling.max_pool, 4),
    ),
    _record("avg_pool", np.mean, REAL_FLOATS, _VARIANTS, _refusals(pooling.avg_pool, 4), lossy=True),
    _record("max_pool3d", np.max, ("float16", "float32"), _VOLUMES, _refusals(pooling.max_pool3d, 5)),
    _record("avg_pool3d", np.mean, REAL_FLOATS, _VOLUMES, _refusals(pooling.avg_pool3d, 5), lossy=True),
    Record(
        name="max_pool_with_argmax",
        function=lambda *x, **arguments: list(pooling.max_pool_with_argmax(*x, **arguments))[:1],
        reference=lambda x, **arguments: _pooled(np.max, x, **arguments),
        variants=_VARIANTS[:3],
        dtypes=(*REAL_FLOATS, "int32"),
        differentiable=(0,),
        refused=(
            Refused(
                lambda: pooling.max_pool_with_argmax(
                    constant([[[[1.0]]]]), [1, 1, 1, 1], [1, 1, 1, 1], "SAME", data_format="NCHW"
                ),
                ValueError,
                "not supported",
            ),
        ),
    ),
    Record(
        name="pool",
        function=pooling.pool,
        reference=_pool,
        variants=(
            call(Values((2, 9, 3), -9, 9), window_shape=[3], pooling_type="MAX", padding="SAME", strides=[2]),
            call(Values((2, 3, 9), -9, 9), window_shape=[2], pooling_type="AVG", padding="VALID", data_format="NCW"),
            call(
                Values((1, 9, 8, 2), -9, 9),
                window_shape=[2, 3],
                pooling_type="MAX",
                padding="VALID",
                dilation_rate=[3, 2],
            ),
            call(
                Values((1, 4, 5, 6, 2), -9, 9),
                window_shape=[2, 2, 3],
                pooling_type="AVG",
                padding="VALID",
                dilation_rate=[2, 1, 2],
            ),
        ),
        dtypes=("float32", "float64"),
        differentiable=(0,),
        needs="sizes",
        refused=(
            Refused(lambda: pooling.pool(np.zeros((1, 4, 1)), [2], "MIN", "SAME"), ValueError, "not supported"),
            Refused(
                lambda: pooling.pool(np.zeros((1, 4, 1)), [2], "MAX", "SAME", dilation_rate=[2]),
                ValueError,
                "SAME padding is not implemented",
            ),
            Refused(lambda: pooling.pool(np.zeros((1, 4, 1)), [1], "MAX", "SAME", strides=[2]), ValueError, "strides"),
        ),
        lossy=True,
    ),
    Record(
        name="dilation2d",
        function=morphology.dilation2d,
        reference=_dilated,
        variants=_DILATIONS,
        dtypes=(*REAL_FLOATS, "int32"),
        differentiable=(0, 1),
        refused=(
            Refused(
                lambda: morphology.dilation2d(
                    np.zeros((1, 3, 3, 2)), np.zeros((2, 2, 1)), [1, 1, 1, 1], [1, 1, 1, 1], "SAME"
                ),
                ValueError,
                "must be equal, but are 2 and 1",
            ),
        ),
        lossy=True,
    ),
    Record(
        name="erosion2d",
        function=morphology.erosion2d,
        reference=lambda x, f, **arguments: -_dilated(x, f[::-1, ::-1], **arguments, sign=-1),
        variants=_DILATIONS,
        dtypes=(*REAL_FLOATS, "int32"),
        differentiable=(0, 1),
        lossy=True,
    ),
]
