"""`LogisticRegressor`: an estimator of probabilities, with the metrics of two classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.head_metrics import MetricKey
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps, ProblemType
from ferroflow._src.contrib.learn.run_config import RunConfig
from ferroflow._src.metrics import averaging, thresholds as at_thresholds
from ferroflow._src.metrics.counting import precision, recall
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater_equal

__all__ = ["LogisticRegressor"]


def _metrics(labels: Any, predictions: Any, thresholds: ListLike) -> dict[str, Any]:
    if isinstance(labels, Mapping) and len(labels) == 1:
        (labels,) = labels.values()
    found = {
        MetricKey.PREDICTION_MEAN: averaging.mean(predictions),
        MetricKey.LABEL_MEAN: averaging.mean(labels),
        MetricKey.ACCURACY_BASELINE: averaging.mean(labels),
        MetricKey.AUC: at_thresholds.auc(labels, predictions),
    }
    for threshold in thresholds:
        name = f"predictions_at_threshold_{threshold:f}"
        positive = cast(greater_equal(predictions, threshold), dtypes.float32, name=name)
        found[MetricKey.ACCURACY_MEAN % threshold] = averaging.accuracy(labels, positive)
        found[MetricKey.PRECISION_MEAN % threshold] = precision(labels, positive)
        found[MetricKey.RECALL_MEAN % threshold] = recall(labels, positive)
    return found


def LogisticRegressor(  # noqa: N802  # TF's spelling
    model_fn: Callable[..., Any],
    thresholds: ListLike | None = None,
    model_dir: str | None = None,
    config: RunConfig | None = None,
    feature_engineering_fn: Callable[..., Any] | None = None,
) -> Estimator:
    """Returns an estimator of probabilities, whose evaluation has the metrics of two classes.

    Args:
        model_fn: callable of features, labels and mode that returns predictions, loss and train_op. Predictions are
            probabilities, a float32 Tensor of the shape of the labels.
        thresholds: list of float, the probabilities at which metrics are computed; None for 0.5.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns those for `model_fn`.

    Returns:
        Estimator.
    """

    def with_metrics(features: Any, labels: Any, mode: str, params: Mapping[str, Any]) -> ModelFnOps:
        predictions, loss, train_op = model_fn(features, labels, mode)
        found = None
        if mode == ModeKeys.EVAL:
            found = _metrics(labels, predictions, params["thresholds"] or [0.5])
        exported = {"head": (ProblemType.LOGISTIC_REGRESSION, {"predictions": predictions})}
        return ModelFnOps(mode, predictions, loss, train_op, found, exported)

    params = {"thresholds": thresholds}
    return Estimator(with_metrics, model_dir, config, params, feature_engineering_fn)
