"""Metrics of the examples of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import losses
from ferroflow._src.keras.settings import floatx
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, greater
from ferroflow._src.ops.math.reduction import argmax, reduce_mean
from ferroflow._src.ops.nn.ranking import in_top_k


def _as_numbers(x: Any) -> Tensor:
    numbers: Tensor = cast(x, dtypes.float32)
    return numbers


def _numbers_of(y_true: Any, y_pred: Any) -> tuple[Tensor, Tensor]:
    """Returns the numbers of classes, without a last dimension of 1 that the scores do not need, and the scores."""
    labels, scores = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if None not in (labels.shape.ndims, scores.shape.ndims) and labels.shape.ndims == scores.shape.ndims:
        labels = shaping.squeeze(labels, [-1])
    return labels, scores


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    """Returns the part of the predictions that are on the side of the threshold where their labels are.

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: 0 or 1.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: probabilities.
        threshold: float, which predictions for 1 are above.

    Returns:
        Tensor of float32, of the shape of `y_pred` without the last dimension.
    """
    y_pred = convert_to_tensor(y_pred)
    above = greater(y_pred, cast(threshold, y_pred.dtype))
    return reduce_mean(cast(equal(y_true, cast(above, y_pred.dtype)), floatx()), axis=-1)


def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Computes, for each row, whether the largest prediction and the largest label are at the same position.

    Args:
        y_true: Tensor of a number dtype, of the shape of `y_pred`: the probabilities of the labels.
        y_pred: Tensor of float32, of shape [batch, ..., classes]: scores.

    Returns:
        Tensor of float32, of the shape of `y_pred` without the last dimension: 1 or 0.
    """
    return cast(equal(argmax(y_true, axis=-1), argmax(y_pred, axis=-1)), floatx())


def sparse_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Computes, for each row, whether the largest prediction is at the position given by the label.

    Args:
        y_true: Tensor of float32, of shape [batch, ..., 1]: the numbers of the classes.
        y_pred: Tensor of float32, of shape [batch, ..., classes]: scores.

    Returns:
        Tensor of float32, of the shape of `y_pred` without the last dimension: 1 or 0.
    """
    labels, scores = _numbers_of(y_true, y_pred)
    return cast(equal(labels, cast(argmax(scores, axis=-1), labels.dtype)), floatx())


def top_k_matches(classes: Any, y_pred: Any, k: int) -> Tensor:
    """Returns 1 for the examples whose class is among the `k` largest predictions, else 0."""
    return _as_numbers(in_top_k(y_pred, classes, k))


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Tensor:
    """Returns 1 for the examples whose largest label is among the `k` largest predictions, else 0.

    Args:
        y_true: Tensor of a number dtype, of the shape of `y_pred`: the probabilities of the labels.
        y_pred: Tensor of float32, of shape [batch, classes]: scores.
        k: int, how many predictions count.

    Returns:
        Tensor of float32, of shape [batch].
    """
    return top_k_matches(argmax(y_true, axis=-1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: TensorLike, y_pred: Any, k: int = 5) -> Tensor:
    """Returns 1 for the examples whose label's class is among the `k` largest predictions, else 0.

    Args:
        y_true: Tensor of a number dtype, of shape [batch] or [batch, 1]: the numbers of the classes.
        y_pred: Tensor of float32, of shape [batch, classes]: scores.
        k: int, how many predictions count.

    Returns:
        Tensor of float32, of shape [batch].
    """
    return top_k_matches(cast(_numbers_of(y_true, y_pred)[0], dtypes.int32), y_pred, k)


_ACCURACIES: dict[str, Callable[..., Tensor]] = {
    "binary_accuracy": binary_accuracy,
    "categorical_accuracy": categorical_accuracy,
    "sparse_categorical_accuracy": sparse_categorical_accuracy,
    "sparse_top_k_categorical_accuracy": sparse_top_k_categorical_accuracy,
    "top_k_categorical_accuracy": top_k_categorical_accuracy,
}
# A metric may have the name of a loss.
METRICS: dict[str, Callable[..., Any]] = {**losses.LOSSES, **_ACCURACIES}


def accuracy_for(loss: Callable[..., Any], width: int | None) -> Callable[..., Tensor]:
    """Returns the metric that "accuracy" means for a loss and the size of the last dimension of the predictions."""
    if width == 1 or loss is losses.binary_crossentropy:
        return binary_accuracy
    return sparse_categorical_accuracy if loss is losses.sparse_categorical_crossentropy else categorical_accuracy


def crossentropy_for(loss: Callable[..., Any], width: int | None) -> Callable[..., Tensor]:
    """Returns the metric that "crossentropy" means for a loss and the size of the last dimension of the predictions."""
    if width == 1 or loss is losses.binary_crossentropy:
        return losses.binary_crossentropy
    is_sparse = loss is losses.sparse_categorical_crossentropy
    return losses.sparse_categorical_crossentropy if is_sparse else losses.categorical_crossentropy
