"""Activation functions, and layers that are a matrix product with one."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import log_sigmoid, sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul

__all__ = [
    "bias_add",
    "bias_add_v1",
    "crelu",
    "elu",
    "leaky_relu",
    "log_sigmoid",
    "relu",
    "relu6",
    "relu_layer",
    "selu",
    "sigmoid",
    "softplus",
    "softsign",
    "swish",
    "tanh",
    "xw_plus_b",
]


@FunctionFamily
def _activation(op_type: str, features: TensorLike, name: str | None = None) -> Tensor:
    """Computes {what}, element by element.

    Args:
        features: Tensor of {taken}, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `features`.

    Raises:
        TypeError: if the dtype of `features` is not supported.
    """
    return tensor_op(op_type, [features], name=name)


_REAL = "a real number dtype"
_FLOAT = "float16, bfloat16, float32 or float64"
relu = _activation("relu", "Relu", what="`max(x, 0)`", taken=_REAL)
elu = _activation("elu", "Elu", what="`exp(x) - 1` below 0 and `x` from there on", taken=_FLOAT)
selu = _activation(
    "selu", "Selu", what="`scale * alpha * (exp(x) - 1)` below 0 and `scale * x` from there on", taken=_FLOAT
)
softplus = _activation("softplus", "Softplus", what="`log(exp(x) + 1)`", taken=_FLOAT)
softsign = _activation("softsign", "Softsign", what="`x / (|x| + 1)`", taken=_FLOAT)


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """Computes `min(max(x, 0), 6)`, element by element.

    Args:
        features: Tensor of a real number dtype, of any shape.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `features`.

    Source: Krizhevsky, Convolutional Deep Belief Networks on CIFAR-10, 2010.

    Example:
        >>> print(sess.run(tf.nn.relu6([-1.0, 3.0, 10.0])))
        [0. 3. 6.]
    """
    with name_scope(name, "Relu6", [features]) as scope:
        return tensor_op("Relu6", [convert_to_tensor(features, name="features")], name=scope)


def crelu(features: TensorLike, name: str | None = None, axis: int = -1) -> Tensor:
    """Computes relu of `x` and of `-x`, joined along a dimension.

    Args:
        features: Tensor of a real number dtype, of any shape.
        name: str, name scope of the operations.
        axis: int, the dimension to join along.

    Returns:
        Tensor of the dtype of `features`, twice as long in that dimension.

    Source: Shang et al., Understanding and Improving Convolutional Neural Networks via Concatenated Rectified Linear
    Units.
    """
    with name_scope(name, "CRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        return relu(concat([features, -features], axis, name=scope))


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """Computes `x` from 0 on and `alpha * x` below, element by element.

    Args:
        features: Tensor of a real number dtype, of any shape; integers become float32.
        alpha: Tensor of the dtype of `features`, of shape []: the slope below 0, at most 1; None for 0.2.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `features`.
    """
    with name_scope(name, "LeakyRelu", [features, alpha]):
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = cast(features, dtypes.float32, name="ToFloat")
        alpha = convert_to_tensor(0.2 if alpha is None else alpha, dtype=features.dtype.base_dtype, name="alpha")
        return tensor_op("Maximum", [alpha * features, features])


def swish(features: TensorLike) -> Tensor:
    """Computes `x * sigmoid(x)`, element by element.

    Args:
        features: Tensor of float16, bfloat16, float32 or float64, of any shape.

    Returns:
        Tensor of the dtype and shape of `features`.

    Source: Ramachandran, Zoph, Le, Searching for Activation Functions, 2017.
    """
    x = convert_to_tensor(features, name="features")
    return x * sigmoid(x)


def bias_add(value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None) -> Tensor:
    """Adds a bias to each channel.

    Args:
        value: Tensor of a number dtype, of rank 2 or more.
        bias: Tensor of the dtype of `value`, of shape [channels].
        data_format: "NHWC" where channels are the last dimension, "NCHW" where they are the second; None for "NHWC".
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `value`.

    Raises:
        ValueError: if `bias` is not a vector or not as long as there are channels.

    Example:
        >>> pixels = tf.constant([[0.5, 0.5], [0.0, 1.0]])
        >>> print(sess.run(tf.nn.bias_add(pixels, [10.0, 20.0])))
        [[10.5 20.5]
         [10.  21. ]]
    """
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype.base_dtype, name="bias")
        return tensor_op("BiasAdd", [value, bias], {"data_format": data_format or "NHWC"}, name=scope)


def bias_add_v1(value: TensorLike, bias: TensorLike, name: str | None = None) -> Tensor:
    """Returns the first form of `bias_add`: channels are the last dimension.

    Args:
        value: Tensor of a number dtype, of rank 2 or more.
        bias: Tensor of the dtype of `value`, of shape [channels].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `value`.
    """
    with name_scope(name, "BiasAddV1", [value, bias]) as scope:
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype.base_dtype, name="bias")
        return tensor_op("BiasAddV1", [value, bias], name=scope)


def xw_plus_b(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """Computes `matmul(x, weights) + biases`.

    Args:
        x: Tensor of float32 or float64, of shape [batch, in].
        weights: Tensor of the dtype of `x`, of shape [in, out].
        biases: Tensor of the dtype of `x`, of shape [out].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, out].
    """
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return bias_add(matmul(x, weights), biases, name=scope)


def relu_layer(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """Computes `relu(matmul(x, weights) + biases)`.

    Args:
        x: Tensor of float32 or float64, of shape [batch, in].
        weights: Tensor of the dtype of `x`, of shape [in, out].
        biases: Tensor of the dtype of `x`, of shape [out].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, out].
    """
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return relu(bias_add(matmul(x, weights), biases), name=scope)


add_example(
    relu,
    """
    >>> print(sess.run(tf.nn.relu([-2.0, 0.0, 3.5])))
    [0.  0.  3.5]
    """,
)
add_example(
    softplus,
    """
    >>> print(sess.run(tf.nn.softplus([-1.0, 0.0, 20.0])).round(3))
    [ 0.313  0.693 20.   ]
    """,
)
add_example(
    elu,
    """
    >>> print(sess.run(tf.nn.elu([-1.0, 0.0, 2.0])).round(3))
    [-0.632  0.     2.   ]
    """,
)
