"""Calls of quantized ops: inputs and attributes, as data."""

from __future__ import annotations

from typing import Any

from differential.call_inputs import Call, Numbers, floats, numbers, reals
from differential.writing import Data, tf


def levels(dtype: str, *shape: int) -> Numbers:
    low, high = {"quint8": (0, 256), "qint8": (-128, 128), "qint32": (-3000, 3000)}[dtype]
    return Numbers(shape, low, high, dtype)


def ranges(*names: str) -> dict[str, Data]:
    """Returns scalars for the ranges of quantized inputs: the least and the greatest number in turn."""
    return {name: floats((-1.5, 2.0)[place % 2]) for place, name in enumerate(names)}


_POOL: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 2, 1], "padding": {"bytes": "VALID"}}
CALLS: tuple[Call, ...] = (
    *(
        ("Dequantize", {"input": levels(kind, 2, 3), **ranges("min_range", "max_range")}, {"mode": {"bytes": mode}})
        for kind, mode in (("quint8", "MIN_COMBINED"), ("qint8", "MIN_FIRST"), ("qint8", "SCALED"))
    ),
    *(
        (
            "QuantizeV2",
            {"input": reals(2, 3), **ranges("min_range", "max_range")},
            {"T": tf(kind), "mode": {"bytes": mode}},
        )
        for kind, mode in (("quint8", "MIN_COMBINED"), ("qint8", "MIN_FIRST"), ("qint8", "SCALED"))
    ),
    (
        "QuantizeAndDequantizeV3",
        {"input": reals(2, 3), "input_min": floats(-1.0), "input_max": floats(1.5), "num_bits": numbers(4)},
        {},
    ),
    (
        "QuantizeDownAndShrinkRange",
        {"input": levels("qint32", 2, 3), **ranges("input_min", "input_max")},
        {"out_type": tf("quint8")},
    ),
    (
        "QuantizedAdd",
        {"x": levels("quint8", 2, 3), "y": levels("quint8", 3), **ranges("min_x", "max_x", "min_y", "max_y")},
        {},
    ),
    (
        "QuantizedMul",
        {"x": levels("quint8", 2, 3), "y": levels("quint8", 3), **ranges("min_x", "max_x", "min_y", "max_y")},
        {},
    ),
    *(
        (name, {"input": levels("quint8", 1, 3, 4, 2), **ranges("min_input", "max_input")}, _POOL)
        for name in ("QuantizedAvgPool", "QuantizedMaxPool")
    ),
    (
        "QuantizedBatchNormWithGlobalNormalization",
        {
            **{k: levels("quint8", *((1, 2, 2, 2) if k == "t" else (2,))) for k in ("t", "m", "v", "beta", "gamma")},
            **{
                f"{k}_{end}": floats(bound)
                for k in ("t", "m", "v", "beta", "gamma")
                for end, bound in (("min", 0.0), ("max", 2.0))
            },
        },
        {"out_type": tf("qint32"), "variance_epsilon": 0.1, "scale_after_normalization": True},
    ),
    (
        "QuantizedBiasAdd",
        {
            "input": levels("quint8", 2, 3),
            "bias": levels("quint8", 3),
            **ranges("min_input", "max_input", "min_bias", "max_bias"),
        },
        {"out_type": tf("qint32")},
    ),
    (
        "QuantizedConcat",
        {
            "concat_dim": numbers(1),
            "values": [levels("quint8", 2, 1), levels("quint8", 2, 2)],
            "input_mins": [floats(-1.0), floats(-2.0)],
            "input_maxes": [floats(1.0), floats(3.0)],
        },
        {},
    ),
    (
        "QuantizedConv2D",
        {
            "input": levels("quint8", 1, 3, 3, 2),
            "filter": levels("quint8", 2, 2, 2, 1),
            **ranges("min_input", "max_input", "min_filter", "max_filter"),
        },
        {"strides": [1, 1, 1, 1], "padding": {"bytes": "VALID"}},
    ),
    ("QuantizedInstanceNorm", {"x": levels("quint8", 1, 3, 2, 2), **ranges("x_min", "x_max")}, {}),
    (
        "QuantizedMatMul",
        {"a": levels("quint8", 2, 3), "b": levels("quint8", 3, 2), **ranges("min_a", "max_a", "min_b", "max_b")},
        {"transpose_a": False, "transpose_b": False},
    ),
    *(
        (name, {"features": levels("quint8", 2, 3), **ranges("min_features", "max_features")}, {})
        for name in ("QuantizedRelu", "QuantizedRelu6")
    ),
    (
        "QuantizedReluX",
        {"features": levels("quint8", 2, 3), "max_value": floats(1.0), **ranges("min_features", "max_features")},
        {},
    ),
    (
        "QuantizedReshape",
        {"tensor": levels("quint8", 2, 3), "shape": numbers([3, -1]), **ranges("input_min", "input_max")},
        {},
    ),
    (
        "QuantizedResizeBilinear",
        {"images": levels("quint8", 1, 2, 3, 1), "size": numbers([3, 4]), **ranges("min", "max")},
        {},
    ),
    ("RequantizationRange", {"input": levels("qint32", 2, 3), **ranges("input_min", "input_max")}, {}),
    (
        "Requantize",
        {
            "input": levels("qint32", 2, 3),
            **ranges("input_min", "input_max", "requested_output_min", "requested_output_max"),
        },
        {"out_type": tf("quint8")},
    ),
)
