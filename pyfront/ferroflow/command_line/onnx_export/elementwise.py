"""Conversions of operations on single elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from ferroflow.command_line.onnx_export.calls import Call, Conversion

# Ops that ONNX has under these names, with the same inputs and no attributes.
_SAME: Final = {
    "Abs": "Abs",
    "Acos": "Acos",
    "Acosh": "Acosh",
    "Add": "Add",
    "AddN": "Sum",
    "AddV2": "Add",
    "Asin": "Asin",
    "Asinh": "Asinh",
    "Atan": "Atan",
    "Atanh": "Atanh",
    "Ceil": "Ceil",
    "CheckNumerics": "Identity",
    "Cos": "Cos",
    "Cosh": "Cosh",
    "Div": "Div",
    "Elu": "Elu",
    "Equal": "Equal",
    "Erf": "Erf",
    "Exp": "Exp",
    "Floor": "Floor",
    "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual",
    "Identity": "Identity",
    "IsInf": "IsInf",
    "IsNan": "IsNaN",
    "Less": "Less",
    "LessEqual": "LessOrEqual",
    "Log": "Log",
    "LogicalAnd": "And",
    "LogicalNot": "Not",
    "LogicalOr": "Or",
    "Maximum": "Max",
    "Minimum": "Min",
    "Mul": "Mul",
    "Neg": "Neg",
    "Pow": "Pow",
    "PlaceholderWithDefault": "Identity",
    "PreventGradient": "Identity",
    "RealDiv": "Div",
    "Reciprocal": "Reciprocal",
    "Inv": "Reciprocal",
    "Relu": "Relu",
    "Rint": "Round",
    "Round": "Round",
    "SelectV2": "Where",
    "Selu": "Selu",
    "Sigmoid": "Sigmoid",
    "Sign": "Sign",
    "Sin": "Sin",
    "Sinh": "Sinh",
    "Snapshot": "Identity",
    "Softplus": "Softplus",
    "Softsign": "Softsign",
    "Sqrt": "Sqrt",
    "StopGradient": "Identity",
    "Sub": "Sub",
    "Tan": "Tan",
    "Tanh": "Tanh",
}
# Scaled exponential units: the constants of TensorFlow's kernel.
_SELU: Final = {"alpha": 1.6732632423543772, "gamma": 1.0507009873554805}
_LIMITS: Final = {"PlaceholderWithDefault": "the default is used; it is no input"}


def _same(operator: str) -> Callable[[Call], str]:
    attrs = _SELU if operator == "Selu" else {}
    return lambda call: call.node(operator, *call.inputs, **attrs)


def _square(call: Call) -> str:
    return call.node("Mul", call.inputs[0], call.inputs[0])


def _squared_difference(call: Call) -> str:
    difference = call.node("Sub", *call.inputs)
    return call.node("Mul", difference, difference)


def _rsqrt(call: Call) -> str:
    return call.node("Reciprocal", call.node("Sqrt", *call.inputs))


def _expm1(call: Call) -> str:
    """Returns exp(x) - 1 as tanh(x / 2) * (exp(x) + 1), which keeps the digits of small numbers."""
    half = call.node("Tanh", call.node("Mul", call.inputs[0], call.scalar(0.5)))
    return call.node("Mul", half, call.node("Add", call.node("Exp", call.inputs[0]), call.scalar(1)))


def _log1p(call: Call) -> str:
    return call.node("Log", call.node("Add", call.inputs[0], call.scalar(1)))


def _erfc(call: Call) -> str:
    return call.node("Sub", call.scalar(1), call.node("Erf", call.inputs[0]))


def _relu6(call: Call) -> str:
    return call.node("Clip", call.inputs[0], call.scalar(0), call.scalar(6))


def _leaky_relu(call: Call) -> str:
    return call.node("LeakyRelu", call.inputs[0], alpha=call.attr("alpha"))


def _not_equal(call: Call) -> str:
    return call.node("Not", call.node("Equal", *call.inputs))


def _logical_xor(call: Call) -> str:
    return call.node("Xor", *call.inputs)


def _floor_mod(call: Call) -> str:
    if call.dtype().is_integer:
        return call.node("Mod", *call.inputs)
    whole = call.node("Floor", call.node("Div", *call.inputs))
    return call.node("Sub", call.inputs[0], call.node("Mul", whole, call.inputs[1]))


def _floor_div(call: Call) -> str:
    if call.dtype().is_integer:
        rest = call.node("Mod", *call.inputs)
        return call.node("Div", call.node("Sub", call.inputs[0], rest), call.inputs[1])
    return call.node("Floor", call.node("Div", *call.inputs))


def _truncated_mod(call: Call) -> str:
    return call.node("Mod", *call.inputs, fmod=1)


def _is_finite(call: Call) -> str:
    x = call.inputs[0]
    return call.node("Not", call.node("Or", call.node("IsInf", x), call.node("IsNaN", x)))


def _cast(call: Call) -> str:
    to = call.attr("DstT")
    if not (to.is_floating or to.is_integer or to.is_bool):
        raise call.fail(f"the type {to.name}")
    return call.cast(call.inputs[0], to.as_numpy_dtype)


def _select(call: Call) -> str:
    condition = call.inputs[0]
    missing = call.rank(1) - call.rank(0)
    if call.rank(0) == 1 and missing > 0:
        condition = call.node("Unsqueeze", condition, call.ints(*range(1, 1 + missing)))
    return call.node("Where", condition, *call.inputs[1:])


def _bias_add(call: Call) -> str:
    bias = call.inputs[1]
    if call.attr("data_format", b"NHWC") in (b"NCHW", "NCHW"):
        bias = call.node("Unsqueeze", bias, call.ints(*range(1, call.rank() - 1)))
    return call.node("Add", call.inputs[0], bias)


def _clip(call: Call) -> str:
    return call.node("Max", call.node("Min", call.inputs[0], call.inputs[2]), call.inputs[1])


def _zeros_like(value: float) -> Callable[[Call], str]:
    def convert(call: Call) -> str:
        filled = call.const(np.array(value, call.numpy_dtype()))
        return call.node("Expand", filled, call.node("Shape", call.inputs[0]))

    return convert


def _l2_loss(call: Call) -> str:
    squares = call.node("ReduceSumSquare", call.inputs[0], keepdims=0)
    return call.node("Mul", squares, call.scalar(0.5))


ELEMENTWISE: Final[dict[str, Conversion]] = {
    **{op: Conversion(name, _same(name), _LIMITS.get(op, "")) for op, name in _SAME.items()},
    "BiasAdd": Conversion("Add", _bias_add),
    "BiasAddV1": Conversion("Add", _bias_add),
    "Cast": Conversion("Cast", _cast, "numbers and bool"),
    "ClipByValue": Conversion("Min, Max", _clip),
    "Erfc": Conversion("Erf, Sub", _erfc),
    "Expm1": Conversion("Exp, Tanh, Mul", _expm1),
    "FloorDiv": Conversion("Div, Floor; Mod for integers", _floor_div),
    "FloorMod": Conversion("Mod; Div, Floor, Sub for floats", _floor_mod),
    "IsFinite": Conversion("IsInf, IsNaN, Or, Not", _is_finite),
    "L2Loss": Conversion("ReduceSumSquare, Mul", _l2_loss),
    "LeakyRelu": Conversion("LeakyRelu", _leaky_relu),
    "Log1p": Conversion("Add, Log", _log1p),
    "LogicalXor": Conversion("Xor", _logical_xor),
    "Mod": Conversion("Mod", _truncated_mod),
    "NotEqual": Conversion("Equal, Not", _not_equal),
    "OnesLike": Conversion("Shape, Expand", _zeros_like(1)),
    "Relu6": Conversion("Clip", _relu6),
    "Rsqrt": Conversion("Sqrt, Reciprocal", _rsqrt),
    "Select": Conversion("Where", _select),
    "Square": Conversion("Mul", _square),
    "SquaredDifference": Conversion("Sub, Mul", _squared_difference),
    "TruncateMod": Conversion("Mod", _truncated_mod),
    "ZerosLike": Conversion("Shape, Expand", _zeros_like(0)),
}
