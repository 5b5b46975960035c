"""Functions of labeled tensors element by element; of two, the axes are matched by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.docstrings import document
from ferroflow._src.contrib.labeled_tensor.labeled import LabeledTensor, align, operation, set_operators
from ferroflow._src.ops.math import arithmetic, comparison, elementwise
from ferroflow._src.ops.superseded import div as divide


def define_unary_op(op_name: str, elementwise_function: Callable[..., Any]) -> Callable[..., LabeledTensor]:
    """Makes a function of one labeled tensor.

    Args:
        op_name: str, its name, and after "lt_" that of its operations.
        elementwise_function: callable of a Tensor and `name`; its result has the tensor's shape.

    Returns:
        Callable of a labeled tensor and a name.
    """

    def function(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
        with operation(name, f"lt_{op_name}", labeled_tensor) as (scope, [given]):
            return LabeledTensor(elementwise_function(given.tensor, name=scope), given.axes)

    text = f"""Computes `tf.{op_name}` of a labeled tensor, element by element.

    Args:
        labeled_tensor: LabeledTensor.
        name: str, of the operation.

    Returns:
        LabeledTensor with the same axes.
    """
    document(function, text, name=op_name)
    return function


def define_binary_op(op_name: str, elementwise_function: Callable[..., Any]) -> Callable[..., LabeledTensor]:
    """Makes a function of two labeled tensors, whose axes are matched by name.

    Args:
        op_name: str, its name, and after "lt_" that of its operations.
        elementwise_function: callable of two Tensors, which it broadcasts, and `name`.

    Returns:
        Callable of two labeled tensors and a name.
    """

    def function(labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None) -> LabeledTensor:
        with operation(name, f"lt_{op_name}", labeled_tensor_0, labeled_tensor_1) as (scope, [one, other]):
            first, second, axes = align(one, other)
            return LabeledTensor(elementwise_function(first.tensor, second.tensor, name=scope), axes)

    text = f"""Computes `tf.{op_name}` of two labeled tensors, element by element.

    Args:
        labeled_tensor_0: LabeledTensor.
        labeled_tensor_1: LabeledTensor.
        name: str, of the operation.

    Returns:
        LabeledTensor with the axes of both.

    Raises:
        ValueError: if axes of one name differ, or their orders contradict each other.
    """
    document(function, text, name=op_name)
    return function


abs_function = define_unary_op("abs", elementwise.abs)
neg = define_unary_op("neg", elementwise.negative)
sign = define_unary_op("sign", elementwise.sign)
reciprocal = define_unary_op("reciprocal", elementwise.reciprocal)
square = define_unary_op("square", elementwise.square)
round_function = define_unary_op("round", elementwise.round)
sqrt = define_unary_op("sqrt", elementwise.sqrt)
rsqrt = define_unary_op("rsqrt", elementwise.rsqrt)
exp = define_unary_op("exp", elementwise.exp)
log = define_unary_op("log", elementwise.log)
ceil = define_unary_op("ceil", elementwise.ceil)
floor = define_unary_op("floor", elementwise.floor)
cos = define_unary_op("cos", elementwise.cos)
sin = define_unary_op("sin", elementwise.sin)
tan = define_unary_op("tan", elementwise.tan)
acos = define_unary_op("acos", elementwise.acos)
asin = define_unary_op("asin", elementwise.asin)
atan = define_unary_op("atan", elementwise.atan)
lgamma = define_unary_op("lgamma", elementwise.lgamma)
digamma = define_unary_op("digamma", elementwise.digamma)
erf = define_unary_op("erf", elementwise.erf)
erfc = define_unary_op("erfc", elementwise.erfc)
logical_not = define_unary_op("logical_not", elementwise.logical_not)
tanh = define_unary_op("tanh", elementwise.tanh)
sigmoid = define_unary_op("sigmoid", elementwise.sigmoid)

add = define_binary_op("add", arithmetic.add)
sub = define_binary_op("sub", arithmetic.subtract)
mul = define_binary_op("mul", arithmetic.multiply)
div = define_binary_op("div", divide)
mod = define_binary_op("mod", arithmetic.mod)
pow_function = define_binary_op("pow", arithmetic.pow)
equal = define_binary_op("equal", comparison.equal)
greater = define_binary_op("greater", comparison.greater)
greater_equal = define_binary_op("greater_equal", comparison.greater_equal)
not_equal = define_binary_op("not_equal", comparison.not_equal)
less = define_binary_op("less", comparison.less)
less_equal = define_binary_op("less_equal", comparison.less_equal)
logical_and = define_binary_op("logical_and", comparison.logical_and)
logical_or = define_binary_op("logical_or", comparison.logical_or)
logical_xor = define_binary_op("logical_xor", comparison.logical_xor)
maximum = define_binary_op("maximum", arithmetic.maximum)
minimum = define_binary_op("minimum", arithmetic.minimum)
squared_difference = define_binary_op("squared_difference", arithmetic.squared_difference)
igamma = define_binary_op("igamma", arithmetic.igamma)
igammac = define_binary_op("igammac", arithmetic.igammac)
zeta = define_binary_op("zeta", arithmetic.zeta)
polygamma = define_binary_op("polygamma", arithmetic.polygamma)

_FUNCTIONS = (
    *(abs_function, neg, logical_not, add, sub, mul, div, mod, pow_function),
    *(logical_and, logical_or, logical_xor, less, less_equal, greater, greater_equal),
)
set_operators({function.__name__: function for function in _FUNCTIONS})
