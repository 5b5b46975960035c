"""Metrics of classes, made of counts for each class or each pair of classes."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics.accumulation import Pair, collected, metric_variable, quotient
from ferroflow._src.metrics.description import described
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.math import arithmetic, comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.confusion_matrix import confusion_matrix
from ferroflow._src.ops.math.linalg import diag_part
from ferroflow._src.ops.math.reduction import reduce_mean, reduce_sum
from ferroflow._src.ops.state.assigning import assign_add, scatter_add
from ferroflow._src.variables.scope import variable_scope

_CLASSES = "Tensor of int32 or int64, of any shape, in [0, num_classes)."


def _flat(x: Tensor) -> Tensor:
    ndims = x.get_shape().ndims
    return x if ndims is not None and ndims <= 1 else shaping.reshape(x, [-1])


@described(labels=_CLASSES, predictions=_CLASSES)
def mean_per_class_accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns the mean over classes of the fraction of a class's elements that are predicted; the update gives each
    class's.
    """
    with variable_scope(name, "mean_accuracy", [predictions, labels, weights]):
        labels = _flat(cast(labels, dtypes.int64))
        predictions = _flat(convert_to_tensor(predictions))
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        total = metric_variable([num_classes], dtypes.float32, name="total")
        count = metric_variable([num_classes], dtypes.float32, name="count")
        ones = making.ones([shaping.size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = cast(predictions, labels.dtype)
        is_correct = cast(comparison.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = cast(_flat(convert_to_tensor(weights)), dtypes.float32)
            is_correct *= weights
            ones *= weights
        update_total = scatter_add(total, labels, ones)
        update_count = scatter_add(count, labels, is_correct)
        value = reduce_mean(quotient(count, total, None), name="mean_accuracy")
        update = quotient(update_count, update_total, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


def streaming_confusion_matrix(
    labels: TensorLike, predictions: TensorLike, num_classes: int, weights: TensorLike | None = None
) -> tuple[Any, Tensor]:
    """Counts the predicted classes of each class over all steps.

    Args:
        labels: Tensor of int32 or int64, of any shape, in [0, num_classes).
        predictions: Tensor of the same shape.
        num_classes: int.
        weights: Tensor of the same shape; None for 1.

    Returns:
        The matrix, a variable of float64 of shape [num_classes, num_classes], and the update that adds a batch to it.
    """
    matrix = metric_variable([num_classes, num_classes], dtypes.float64, name="total_confusion_matrix")
    if weights is not None:
        weights = _flat(convert_to_tensor(weights))
    batch = confusion_matrix(
        _flat(cast(labels, dtypes.int64)),
        _flat(cast(predictions, dtypes.int64)),
        cast(num_classes, dtypes.int64),
        weights=weights,
        dtype=dtypes.float64,
    )
    return matrix, assign_add(matrix, batch)


@described(labels=_CLASSES, predictions=_CLASSES)
def mean_iou(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns the mean over the classes seen of intersection over union; the update gives the confusion matrix."""
    with variable_scope(name, "mean_iou", [predictions, labels, weights]):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        matrix, update = streaming_confusion_matrix(labels, predictions, num_classes, weights)
        predicted = cast(reduce_sum(matrix, 0), dtypes.float32)
        labelled = cast(reduce_sum(matrix, 1), dtypes.float32)
        both = cast(diag_part(matrix), dtypes.float32)
        union = predicted + labelled - both
        seen = reduce_sum(cast(comparison.not_equal(union, 0), dtypes.float32))
        union = indexing.where(comparison.greater(union, 0), union, making.ones_like(union))
        total = reduce_sum(arithmetic.div(both, union), name="mean_iou")
        value = indexing.where(comparison.greater(seen, 0), total / seen, 0)
        return collected(value, update, metrics_collections, updates_collections)
