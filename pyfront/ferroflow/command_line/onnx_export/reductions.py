"""Conversions of reductions, matrix products and operations along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from ferroflow.command_line.onnx_export.calls import Call, Conversion

_CONSTANT_AXES: Final = "axes that no feed changes"


def _reduction(operator: str) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        axes = [int(axis) for axis in np.ravel(call.value(1, "the axes"))]
        keep = int(call.attr("keep_dims"))
        if not axes:
            return call.node("Identity", call.inputs[0])
        if operator == "ReduceSum":
            return call.node(operator, call.inputs[0], call.ints(*axes), keepdims=keep)
        return call.node(operator, call.inputs[0], axes=axes, keepdims=keep)

    return convert


def _logical(operator: str) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        axes = [int(axis) for axis in np.ravel(call.value(1, "the axes"))]
        numbers = call.cast(call.inputs[0], np.int32)
        if axes:
            numbers = call.node(operator, numbers, axes=axes, keepdims=int(call.attr("keep_dims")))
        return call.cast(numbers, np.bool_)

    return convert


def _arg(operator: str) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        found = call.node(operator, call.inputs[0], axis=int(call.value(1, "the axis")), keepdims=0)
        wanted = call.attr("output_type")
        return found if wanted.name == "int64" else call.cast(found, wanted.as_numpy_dtype)

    return convert


def _matmul(first: str, second: str) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        sides = list(call.inputs)
        for i, name in enumerate((first, second)):
            if call.attr(name):
                rank = call.rank(i)
                sides[i] = call.transposed(sides[i], [*range(rank - 2), rank - 1, rank - 2])
        return call.node("MatMul", *sides)

    return convert


def _last_axis(operator: str) -> Callable[[Call], str]:
    return lambda call: call.node(operator, call.inputs[0], axis=-1)


def _cumsum(call: Call) -> str:
    axis = call.ints(int(call.value(1, "the axis")))
    flags = {name: int(bool(call.attr(name))) for name in ("exclusive", "reverse")}
    return call.node("CumSum", call.inputs[0], call.node("Squeeze", axis, call.ints(0)), **flags)


def _top_k(call: Call) -> list[str]:
    values, indices = call.nodes("TopK", 2, call.inputs[0], call.vector(1), axis=-1, sorted=1)
    return [values, call.cast(indices, np.int32)]


REDUCTIONS: Final[dict[str, Conversion]] = {
    "All": Conversion("Cast, ReduceMin", _logical("ReduceMin"), _CONSTANT_AXES),
    "Any": Conversion("Cast, ReduceMax", _logical("ReduceMax"), _CONSTANT_AXES),
    "ArgMax": Conversion("ArgMax", _arg("ArgMax"), "an axis that no feed changes"),
    "ArgMin": Conversion("ArgMin", _arg("ArgMin"), "an axis that no feed changes"),
    "BatchMatMul": Conversion("MatMul", _matmul("adj_x", "adj_y"), "real numbers"),
    "BatchMatMulV2": Conversion("MatMul", _matmul("adj_x", "adj_y"), "real numbers"),
    "Cumsum": Conversion("CumSum", _cumsum, "an axis that no feed changes"),
    "LogSoftmax": Conversion("LogSoftmax", _last_axis("LogSoftmax")),
    "MatMul": Conversion("MatMul", _matmul("transpose_a", "transpose_b")),
    "Max": Conversion("ReduceMax", _reduction("ReduceMax"), _CONSTANT_AXES),
    "Mean": Conversion("ReduceMean", _reduction("ReduceMean"), _CONSTANT_AXES),
    "Min": Conversion("ReduceMin", _reduction("ReduceMin"), _CONSTANT_AXES),
    "Prod": Conversion("ReduceProd", _reduction("ReduceProd"), _CONSTANT_AXES),
    "Softmax": Conversion("Softmax", _last_axis("Softmax")),
    "Sum": Conversion("ReduceSum", _reduction("ReduceSum"), _CONSTANT_AXES),
    "TopKV2": Conversion("TopK", _top_k),
}
