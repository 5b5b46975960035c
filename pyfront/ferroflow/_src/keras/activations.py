"""Keras's functions of each element, with Keras's arguments."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.settings import floatx
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.comparison import greater
from ferroflow._src.ops.math.elementwise import exp
from ferroflow._src.ops.nn import activation, softmax as softmaxes

__all__ = [
    "elu",
    "exponential",
    "hard_sigmoid",
    "linear",
    "relu",
    "selu",
    "sigmoid",
    "softmax",
    "softplus",
    "softsign",
    "tanh",
]


def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0) -> Tensor:
    """Returns the elements above a threshold, limited to `max_value`, and `alpha` times how far others are below it.

    Args:
        x: Tensor of a float dtype, of any shape.
        alpha: float, the factor of the elements below the threshold.
        max_value: float, the largest result; None for any.
        threshold: float, the number.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    x = convert_to_tensor(x)
    if alpha != 0.0 and max_value is None and threshold == 0:
        return activation.leaky_relu(x, alpha=alpha)
    below = None if alpha == 0.0 else activation.relu(-x if threshold == 0 else -x + threshold)
    result: Any
    if threshold != 0:
        result = x * cast(greater(x, threshold), floatx())
    else:
        result = activation.relu6(x) if max_value == 6 else activation.relu(x)
    if max_value is not None and (threshold != 0 or max_value != 6):
        most, zero = (constant(value, result.dtype.base_dtype) for value in (max_value, 0.0))
        result = clip_by_value(result, zero, most)
    if below is not None:
        result = result - convert_to_tensor(alpha, dtype=result.dtype.base_dtype) * below
    made: Tensor = result
    return made


def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """Returns the elements, with `alpha * (exp(x) - 1)` for negative ones.

    Args:
        x: Tensor of a float dtype, of any shape.
        alpha: float, the limit of negative elements.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    result = activation.elu(x)
    return result if alpha == 1.0 else where(greater(x, 0), result, alpha * result)


def selu(x: TensorLike) -> Tensor:
    """Computes scaled exponential linear units.

    Args:
        x: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of the dtype and shape of `x`.

    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.
    """
    get_default_graph().count_operations(7)
    return activation.selu(x)


def softmax(x: Any, axis: int = -1) -> Tensor:
    """Returns exponentials, scaled so that they sum to 1.

    Args:
        x: Tensor of a float dtype, of at least two dimensions.
        axis: int, the dimension along which they sum to 1.

    Returns:
        Tensor of the dtype and shape of `x`.

    Raises:
        ValueError: if `x` has one dimension.
    """
    x = convert_to_tensor(x)
    if x.get_shape().ndims == 1:
        raise ValueError("Cannot apply softmax to a tensor that is 1D")
    if x.get_shape().ndims != 2:
        # TF 1.x: the result is that of a division, whose logits a loss cannot use. An identity hides them here.
        get_default_graph().count_operations(5)
        return identity(softmaxes.softmax(x, axis=axis))
    return softmaxes.softmax(x, axis=axis)


def softplus(x: TensorLike) -> Tensor:
    """Computes `log(exp(x) + 1)`.

    Args:
        x: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return activation.softplus(x)


def softsign(x: TensorLike) -> Tensor:
    """Computes `x / (abs(x) + 1)`.

    Args:
        x: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return activation.softsign(x)


def tanh(x: TensorLike) -> Tensor:
    """Returns the hyperbolic tangent.

    Args:
        x: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    result: Tensor = activation.tanh(x)
    return result


def sigmoid(x: Any) -> Tensor:
    """Returns the logistic function.

    Args:
        x: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return activation.sigmoid(x)


def exponential(x: Any) -> Tensor:
    """Returns the exponential function.

    Args:
        x: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return exp(x)


def linear(x: TensorLike) -> Any:
    """Returns its argument.

    Args:
        x: Tensor of any dtype and shape.

    Returns:
        `x`.
    """
    return x


def hard_sigmoid(x: Any) -> Any:
    """Approximates the logistic function by three straight lines: 0.2 x + 0.5, limited to [0, 1].

    Args:
        x: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    x = convert_to_tensor(x)
    slope, middle = (constant(value, x.dtype.base_dtype) for value in (0.2, 0.5))
    line = tensor_op("Add", [tensor_op("Mul", [x, slope]), middle])
    return clip_by_value(line, 0.0, 1.0)
