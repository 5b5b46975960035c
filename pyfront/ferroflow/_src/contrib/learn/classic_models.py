"""Functions of `tf.contrib.learn.models`: linear and logistic regression as graphs."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.learn.classic_ops import mean_squared_error_regressor, softmax_classifier
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.summary.values import histogram
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import RandomNormal
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope

__all__ = [
    "linear_regression",
    "linear_regression_zero_init",
    "logistic_regression",
    "logistic_regression_zero_init",
]


def linear_regression(x: Any, y: Any, init_mean: float | None = None, init_stddev: float = 1.0) -> tuple[Any, Any]:
    """Adds a linear regression, with the variables `linear_regression/weights` and `linear_regression/bias`.

    Args:
        x: Tensor of a float dtype, of shape [batch, inputs].
        y: Tensor of that dtype, of shape [batch] or [batch, outputs].
        init_mean: float, mean of the variables' normal initial values; None for the scope's initializer.
        init_stddev: float, their standard deviation.

    Returns:
        Tensor of that dtype, of the shape of `y`, the predictions; and a scalar Tensor, the mean squared error.
    """
    with variable_scope("linear_regression"):
        outputs = 1 if y.shape.ndims == 1 else y.shape[1]
        return mean_squared_error_regressor(x, y, *_variables(x, y, outputs, init_mean, init_stddev))


def linear_regression_zero_init(x: Any, y: Any) -> tuple[Any, Any]:
    """Adds a linear regression whose variables begin at 0.

    Args:
        x: Tensor of a float dtype, of shape [batch, inputs].
        y: Tensor of that dtype, of shape [batch] or [batch, outputs].

    Returns:
        As from `linear_regression`.
    """
    return linear_regression(x, y, 0.0, 0.0)


def logistic_regression(
    x: Any,
    y: Any,
    class_weight: TensorLike | None = None,
    init_mean: float | None = None,
    init_stddev: float = 1.0,
) -> tuple[Any, Any]:
    """Adds a logistic regression, with the variables `logistic_regression/weights` and `logistic_regression/bias`.

    Args:
        x: Tensor of a float dtype, of shape [batch, inputs].
        y: Tensor of that dtype, of shape [batch, classes], one-hot.
        class_weight: Tensor of that dtype, of shape [classes], factors of the logits; None for the graph's Tensor
            `class_weight:0` if there is one, else 1.
        init_mean: float, mean of the variables' normal initial values; None for the scope's initializer.
        init_stddev: float, their standard deviation.

    Returns:
        Tensor of that dtype, of shape [batch, classes], the probabilities; and a scalar Tensor, the cross entropy.
    """
    with variable_scope("logistic_regression"):
        weights, bias = _variables(x, y, y.shape[-1], init_mean, init_stddev)
        if class_weight is None:
            try:
                class_weight = get_default_graph().get_tensor_by_name("class_weight:0")
            except KeyError:
                class_weight = None
        return softmax_classifier(x, y, weights, bias, class_weight)


def logistic_regression_zero_init(x: Any, y: Any) -> tuple[Any, Any]:
    """Adds a logistic regression whose variables begin at 0.

    Args:
        x: Tensor of a float dtype, of shape [batch, inputs].
        y: Tensor of that dtype, of shape [batch, classes], one-hot.

    Returns:
        As from `logistic_regression`.
    """
    return logistic_regression(x, y, init_mean=0.0, init_stddev=0.0)


def _variables(x: Any, y: Any, outputs: Any, mean: float | None, stddev: float) -> tuple[Any, Any]:
    """Returns weights and bias, and adds summaries of them and of the data."""
    scope = get_variable_scope().name
    histogram(f"{scope}.x", x)
    histogram(f"{scope}.y", y)
    dtype = x.dtype.base_dtype
    initializer = None if mean is None else RandomNormal(mean, stddev, dtype=dtype)
    weights = get_variable("weights", [x.shape[1], outputs], dtype, initializer)
    bias = get_variable("bias", [outputs], dtype, initializer)
    histogram(f"{scope}.weights", weights)
    histogram(f"{scope}.bias", bias)
    return weights, bias
