"""`tensor_forest.client.eval_metrics`: metrics of forests by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.learn.model_ops import PredictionKey
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.classification import sigmoid_cross_entropy, sparse_softmax_cross_entropy
from ferroflow._src.losses.regression import log_loss
from ferroflow._src.metrics import averaging, counting, thresholds
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.math.arithmetic import squared_difference
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_mean, reduce_sum
from ferroflow._src.ops.nn.ranking import in_top_k

INFERENCE_PROB_NAME: Final = PredictionKey.PROBABILITIES
INFERENCE_PRED_NAME: Final = PredictionKey.CLASSES
FEATURE_IMPORTANCE_NAME: Final = "global_feature_importance"


def _one_hot(targets: Any, probabilities: Tensor) -> Tensor:
    ids = cast(shaping.squeeze(targets, axis=[1]), dtypes.int32)
    return making.one_hot(ids, shaping.shape(probabilities)[1])


def _of_second(values: Tensor) -> Tensor:
    return values[:, 1:2]


def top_k_generator(k: int) -> Callable[..., Any]:
    """Returns the metric of the share of labels among the classes with the highest probabilities.

    Args:
        k: int, the number of classes.

    Returns:
        callable of probabilities and labels, which returns the share and its update.
    """

    def in_top(probabilities: Tensor, targets: Any) -> Any:
        ids = cast(targets, dtypes.int32)
        if (ids.get_shape().ndims or 0) > 1:
            ids = shaping.squeeze(ids, axis=[1])
        return averaging.mean(in_top_k(probabilities, ids, k))

    return in_top


def _r2(probabilities: Tensor, targets: Any, weights: Any = None) -> Any:
    known = cast(targets, dtypes.float32)
    total = reduce_sum(squared_difference(known, reduce_mean(known, 0)), 0)
    residuals = reduce_sum(squared_difference(known, probabilities), 0)
    return averaging.mean(1 - reduce_sum(residuals / total), weights=weights)


def _sigmoid_entropy(probabilities: Tensor, targets: Any, weights: Any = None) -> Any:
    return averaging.mean(sigmoid_cross_entropy(_one_hot(targets, probabilities), probabilities), weights=weights)


def _softmax_entropy(probabilities: Tensor, targets: Any, weights: Any = None) -> Any:
    return averaging.mean(sparse_softmax_cross_entropy(cast(targets, dtypes.int32), probabilities), weights=weights)


def _class_log_loss(probabilities: Tensor, targets: Any, weights: Any = None) -> Any:
    return averaging.mean(log_loss(_one_hot(targets, probabilities), probabilities), weights=weights)


def _of_labels(metric: Callable[..., Any]) -> Callable[..., Any]:
    def of_classes(predictions: Tensor, targets: Any, weights: Any = None) -> Any:
        return metric(labels=targets, predictions=predictions, weights=weights)

    return of_classes


def _of_chances(metric: Callable[..., Any], **arguments: Any) -> Callable[..., Any]:
    def of_second(probabilities: Tensor, targets: Any, weights: Any = None) -> Any:
        return metric(labels=targets, predictions=_of_second(probabilities), weights=weights, **arguments)

    return of_second


accuracy = _of_labels(averaging.accuracy)
_THRESHOLDS = np.arange(0, 1, 0.01, dtype=np.float32).tolist()
_METRICS: dict[str, tuple[Callable[..., Any], str]] = {
    "auc": (_of_chances(thresholds.auc), INFERENCE_PROB_NAME),
    "sigmoid_entropy": (_sigmoid_entropy, INFERENCE_PROB_NAME),
    "softmax_entropy": (_softmax_entropy, INFERENCE_PROB_NAME),
    "accuracy": (accuracy, INFERENCE_PRED_NAME),
    "r2": (_r2, PredictionKey.SCORES),
    "predictions": (lambda predictions, targets, **weights: predictions, INFERENCE_PRED_NAME),
    "classification_log_loss": (_class_log_loss, INFERENCE_PROB_NAME),
    "precision": (_of_labels(counting.precision), INFERENCE_PRED_NAME),
    "precision_at_thresholds": (
        _of_chances(thresholds.precision_at_thresholds, thresholds=_THRESHOLDS),
        INFERENCE_PROB_NAME,
    ),
    "recall": (_of_labels(counting.recall), INFERENCE_PRED_NAME),
    "recall_at_thresholds": (
        _of_chances(thresholds.recall_at_thresholds, thresholds=_THRESHOLDS),
        INFERENCE_PROB_NAME,
    ),
    "top_5": (top_k_generator(5), INFERENCE_PROB_NAME),
}


def get_metric(metric_name: str) -> Callable[..., Any]:
    """Returns the function of a metric.

    Args:
        metric_name: str, such as "accuracy".

    Returns:
        callable of predictions, labels and, for most metrics, weights.

    Raises:
        KeyError: if there is no such metric.
    """
    return _METRICS[metric_name][0]


def get_prediction_key(metric_name: str) -> str:
    """Returns the key of the predictions that a metric uses.

    Args:
        metric_name: str, such as "accuracy".

    Returns:
        str.

    Raises:
        KeyError: if there is no such metric.
    """
    return _METRICS[metric_name][1]
