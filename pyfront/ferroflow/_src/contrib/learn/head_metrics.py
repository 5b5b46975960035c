"""Metrics of the heads of `tf.contrib.learn`, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.metrics import averaging, thresholds
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, greater_equal

__all__ = ["MetricKey", "area", "at_threshold", "class_share", "mean_of_class", "of_class"]


class MetricKey:
    """Names of metrics."""

    LOSS: Final = "loss"
    AUC: Final = "auc"
    AUC_PR: Final = "auc_precision_recall"
    CLASS_AUC: Final = "auc/class%d"
    CLASS_AUC_PR: Final = "auc_precision_recall/class%d"
    PREDICTION_MEAN: Final = "labels/prediction_mean"
    CLASS_PREDICTION_MEAN: Final = "labels/prediction_mean/class%d"
    CLASS_LOGITS_MEAN: Final = "labels/logits_mean/class%d"
    CLASS_PROBABILITY_MEAN: Final = "labels/probability_mean/class%d"
    LABEL_MEAN: Final = "labels/actual_label_mean"
    CLASS_LABEL_MEAN: Final = "labels/actual_label_mean/class%d"
    ACCURACY: Final = "accuracy"
    ACCURACY_BASELINE: Final = "accuracy/baseline_label_mean"
    ACCURACY_MEAN: Final = "accuracy/threshold_%f_mean"
    PRECISION_MEAN: Final = "precision/positive_threshold_%f_mean"
    RECALL_MEAN: Final = "recall/positive_threshold_%f_mean"


def _floats(weights: Any) -> Any:
    if weights is None:
        return None
    with name_scope(None, "float_weights", [weights]) as name:
        return cast(weights, dtypes.float32, name=name)


def mean_of_class(values: Any, weights: Any, class_id: int | None = None) -> Any:
    """Returns the metric of the mean of values, or of a class's values.

    Args:
        values: Tensor of a number dtype, of shape [batch, classes].
        weights: Tensor that broadcasts to the values, or None.
        class_id: int, the column of the class; None for all values.
    """
    numbers, of_each = cast(values, dtypes.float32), _floats(weights)
    if of_each is not None:
        # Weights are a column. TensorFlow refuses labels of one dimension here, which all other parts of a head take.
        if numbers.shape.ndims == 1 and of_each.shape.ndims == 2:
            numbers = shaping.expand_dims(numbers, 1)
        of_each = broadcast_weights(of_each, numbers)
    if class_id is None:
        return averaging.mean(numbers, of_each)
    if of_each is not None:
        of_each = of_each[:, class_id]
    return averaging.mean(numbers[:, class_id], of_each)


def class_share(classes: Any, weights: Any, class_id: int) -> Any:
    """Returns the metric of the share of examples that have a class.

    Args:
        classes: Tensor of an integer dtype, of shape [batch] or [batch, 1].
        weights: Tensor that broadcasts to the classes, or None.
        class_id: int, the class.
    """
    has = equal(cast(class_id, dtypes.int32), cast(classes, dtypes.int32))
    return averaging.mean(indexing.where(has, making.ones_like(classes), making.zeros_like(classes)), weights=weights)


def area(predictions: Any, labels: Any, weights: Any, class_id: int | None = None, curve: str = "ROC") -> Any:
    """Returns the metric of the area under a curve.

    Args:
        predictions: Tensor of float32, of shape [batch, classes], between 0 and 1.
        labels: Tensor of bool or of numbers, of that shape.
        weights: Tensor that broadcasts to the predictions, or None.
        class_id: int, the column of the class; None for all of them.
        curve: str, "ROC" or "PR".
    """
    predictions = cast(predictions, dtypes.float32)
    if labels.dtype.base_dtype != dtypes.bool:
        tf_logging.warning("Casting %s labels to bool.", labels.dtype)
        labels = cast(labels, dtypes.bool)
    of_each = _floats(weights)
    if of_each is not None:
        of_each = broadcast_weights(of_each, predictions)
    if class_id is not None:
        if of_each is not None:
            of_each = of_each[:, class_id]
        predictions, labels = predictions[:, class_id], labels[:, class_id]
    return thresholds.auc(labels, predictions, of_each, curve=curve)


def at_threshold(probabilities: Any, labels: Any, weights: Any, threshold: float) -> dict[str, Any]:
    """Returns the metrics of two classes that a threshold separates, by name.

    Args:
        probabilities: Tensor of float32, of shape [batch, 1].
        labels: Tensor of the labels, of that shape.
        weights: Tensor that broadcasts to the labels, or None.
        threshold: float, the probability from which on an example counts as positive.
    """
    positive = cast(greater_equal(probabilities, threshold), dtypes.float32)
    found = {MetricKey.ACCURACY_MEAN % threshold: averaging.accuracy(labels, positive, weights)}
    for key, metric in (
        (MetricKey.PRECISION_MEAN, thresholds.precision_at_thresholds),
        (MetricKey.RECALL_MEAN, thresholds.recall_at_thresholds),
    ):
        value, update = metric(labels, probabilities, (threshold,), _floats(weights))
        found[key % threshold] = (shaping.squeeze(value), shaping.squeeze(update))
    return found


def of_class(
    predictions: Any, labels: Any, probabilities: Any, logits: Any, weights: Any, class_id: int
) -> dict[str, Any]:
    """Returns the metrics of one class among several that may apply to an example, by name.

    Args:
        predictions: Tensor of int64, of shape [batch, classes].
        labels: Tensor of a number dtype, of that shape.
        probabilities: Tensor of float32, of that shape.
        logits: Tensor of float32, of that shape.
        weights: Tensor that broadcasts to the labels, or None.
        class_id: int, the class.
    """
    means: Sequence[tuple[str, Any]] = (
        (MetricKey.CLASS_PREDICTION_MEAN, predictions),
        (MetricKey.CLASS_LABEL_MEAN, labels),
        (MetricKey.CLASS_PROBABILITY_MEAN, probabilities),
        (MetricKey.CLASS_LOGITS_MEAN, logits),
    )
    found = {key % class_id: mean_of_class(values, weights, class_id) for key, values in means}
    found[MetricKey.CLASS_AUC % class_id] = area(probabilities, labels, weights, class_id)
    found[MetricKey.CLASS_AUC_PR % class_id] = area(probabilities, labels, weights, class_id, curve="PR")
    return found
