"""Losses of the examples of a batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import backend_nn
from ferroflow._src.keras.settings import epsilon, floatx
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.arithmetic import add, maximum, minimum, multiply, squared_difference, subtract
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.comparison import equal, logical_or
from ferroflow._src.ops.math.elementwise import abs as absolute, log, square
from ferroflow._src.ops.math.reduction import reduce_all, reduce_max, reduce_mean, reduce_sum
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.nn.normalization import l2_normalize


def _mean(x: Any) -> Tensor:
    return reduce_mean(x, axis=-1)


def _as_pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Returns labels of the dtype of the predictions, and the predictions."""
    y_pred = convert_to_tensor(y_pred)
    return cast(y_true, y_pred.dtype.base_dtype), y_pred


def _clipped(x: Any, most: float) -> Any:
    """Returns elements that are at least the small number and at most another one."""
    below, above = (constant(bound, x.dtype.base_dtype) for bound in (epsilon(), most))
    return clip_by_value(x, below, above)


def _with_signs(y_true: Any) -> Any:
    """Returns labels of -1 and 1 for those of 0 and 1."""
    is_binary = reduce_all(logical_or(equal(y_true, 0), equal(y_true, 1)))
    return cond(is_binary, lambda: 2.0 * y_true - 1.0, lambda: y_true)


def mean_squared_error(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the mean of the squared differences along the last dimension.

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    return _mean(squared_difference(y_pred, y_true))


def mean_absolute_error(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the mean of the absolute differences along the last dimension.

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    return _mean(absolute(y_pred - y_true))


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the mean of the absolute differences in percent of the labels.

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    return 100.0 * _mean(absolute((y_true - y_pred) / _clipped(absolute(y_true), math.inf)))


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the mean of the squared differences of log(1 + x).

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    first, second = (log(_clipped(y, math.inf) + 1.0) for y in (y_pred, y_true))
    return _mean(squared_difference(first, second))


def squared_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the mean of the squares of max(1 - label * prediction, 0).

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels, -1 or 1; or all 0 or 1, where 0 stands for -1.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    return _mean(square(maximum(1.0 - _with_signs(y_true) * y_pred, 0.0)))


def hinge(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the mean of max(1 - label * prediction, 0).

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels, -1 or 1; or all 0 or 1, where 0 stands for -1.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    return _mean(maximum(1.0 - _with_signs(y_true) * y_pred, 0.0))


def categorical_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the loss max(1 + the largest other score - the class's score, 0).

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: 1 for the class, 0 for the others.
        y_pred: Tensor of a float dtype, of shape [batch, ..., classes]: scores.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    positive = reduce_sum(y_true * y_pred, axis=-1)
    negative = reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return maximum(0.0, negative - positive + 1.0)


def logcosh(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the mean of log(cosh(difference)).

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    x = y_pred - y_true
    return _mean(x + softplus(-2.0 * x) - log(2.0))


def _moved(y_true: Any, label_smoothing: Any, moved: Callable[[Any], Any]) -> Any:
    """Returns labels, or what a function of the smoothing gives for them unless it is 0."""
    smoothing = convert_to_tensor(label_smoothing, dtype=floatx())
    known = constant_value(smoothing)
    if known is None:
        return cond(cast(smoothing, dtypes.bool), lambda: moved(smoothing), lambda: y_true)
    return moved(smoothing) if known else y_true


def categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0) -> Tensor:
    """Returns the cross entropy of probabilities, which are scaled to sum to 1, and those of the labels.

    Args:
        y_true: Tensor of a number dtype, of the shape of `y_pred`: the probabilities of the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ..., classes]: probabilities.
        from_logits: bool. If True, predictions are logits, not probabilities.
        label_smoothing: float, the part of the labels that is spread over all classes.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)

    def moved(smoothing: Any) -> Any:
        classes = cast(shaping.shape(y_true)[1], y_pred.dtype.base_dtype)
        return y_true * (1.0 - smoothing) + smoothing / classes

    y_true = _moved(y_true, label_smoothing, moved)
    return backend_nn.categorical_crossentropy(y_true, y_pred, from_logits)


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """Returns the cross entropy of probabilities and labels that are the numbers of classes.

    Args:
        y_true: Tensor of a number dtype, of shape [batch, ...] or [batch, ..., 1]: the numbers of the classes.
        y_pred: Tensor of a float dtype, of shape [batch, ..., classes]: probabilities.
        from_logits: bool. If True, predictions are logits, not probabilities.
        axis: int, the dimension of the classes.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the dimension of the classes.
    """
    return backend_nn.sparse_categorical_crossentropy(y_true, y_pred, from_logits, axis)


def binary_crossentropy(
    y_true: Any, y_pred: TensorLike, from_logits: bool = False, label_smoothing: float = 0
) -> Tensor:
    """Returns the mean cross entropy of probabilities of yes and no.

    Args:
        y_true: Tensor of a number dtype, of the shape of `y_pred`: the probabilities of the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: probabilities.
        from_logits: bool. If True, predictions are logits, not probabilities.
        label_smoothing: float, how far labels are moved to 0.5.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    y_true = _moved(y_true, label_smoothing, lambda smoothing: y_true * (1.0 - smoothing) + 0.5 * smoothing)
    return _mean(backend_nn.binary_crossentropy(y_true, y_pred, from_logits))


def kullback_leibler_divergence(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the sum of label * log(label / prediction).

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the probabilities of the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ..., classes]: probabilities.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = (_clipped(y, 1.0) for y in _as_pair(y_true, y_pred))
    return reduce_sum(y_true * log(y_true / y_pred), axis=-1)


def poisson(y_true: Any, y_pred: Any) -> Tensor:
    """Returns the mean of prediction - label * log(prediction).

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the last dimension.
    """
    y_true, y_pred = _as_pair(y_true, y_pred)
    return _mean(y_pred - y_true * log(y_pred + epsilon()))


def cosine_proximity(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """Returns the cosine of the angle between labels and predictions, as TensorFlow 1.15 does.

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.
        axis: int, the dimension of the vectors.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without the dimension `axis`.
    """
    return reduce_sum(l2_normalize(y_true, axis=axis) * l2_normalize(y_pred, axis=axis), axis=axis)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence
cosine = cosine_similarity = cosine_proximity


def huber_loss(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Returns half the squares of errors up to `delta`, and a linear function of larger ones.

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels.
        y_pred: Tensor of a float dtype, of any shape: the predictions.
        delta: float, the error at which the loss becomes linear.

    Returns:
        Tensor of the dtype and shape of `y_pred`.
    """
    y_pred, y_true = cast(y_pred, floatx()), cast(y_true, floatx())
    size = absolute(subtract(y_pred, y_true))
    quadratic = minimum(size, delta)
    linear = subtract(size, quadratic)
    half = convert_to_tensor(0.5, dtype=quadratic.dtype)
    return add(multiply(half, multiply(quadratic, quadratic)), multiply(delta, linear))


LOSSES: dict[str, Callable[..., Tensor]] = {
    name: function
    for function, names in (
        (mean_squared_error, ("mean_squared_error", "mse", "MSE")),
        (mean_absolute_error, ("mean_absolute_error", "mae", "MAE")),
        (mean_absolute_percentage_error, ("mean_absolute_percentage_error", "mape", "MAPE")),
        (mean_squared_logarithmic_error, ("mean_squared_logarithmic_error", "msle", "MSLE")),
        (squared_hinge, ("squared_hinge",)),
        (hinge, ("hinge",)),
        (categorical_hinge, ("categorical_hinge",)),
        (logcosh, ("logcosh",)),
        (huber_loss, ("huber_loss",)),
        (categorical_crossentropy, ("categorical_crossentropy",)),
        (sparse_categorical_crossentropy, ("sparse_categorical_crossentropy",)),
        (binary_crossentropy, ("binary_crossentropy",)),
        (kullback_leibler_divergence, ("kullback_leibler_divergence", "kld", "KLD")),
        (poisson, ("poisson",)),
        (cosine_proximity, ("cosine_proximity", "cosine", "cosine_similarity")),
    )
    for name in names
}
