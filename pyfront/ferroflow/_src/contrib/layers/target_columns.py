"""`tf.contrib.layers`' heads of 2016: the loss, the predictions and the metrics of one label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics import averaging, thresholds as at_thresholds
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.arithmetic import div
from ferroflow._src.ops.math.cast import cast, to_float
from ferroflow._src.ops.math.comparison import greater_equal, less_equal
from ferroflow._src.ops.math.elementwise import sigmoid, square
from ferroflow._src.ops.math.reduction import argmax, reduce_mean, reduce_sum
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.softmax import (
    sigmoid_cross_entropy_with_logits,
    softmax,
    sparse_softmax_cross_entropy_with_logits,
)

_HEADS = "tf.estimator's canned estimators"
_Metric = Callable[..., Any]
_Losses = Callable[[Tensor, Any], Tensor]


class ProblemType:
    """The kinds of problems that heads have."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


class TargetColumn:
    """One head of a model: what its logits stand for and how they are judged.

    Attributes:
        label_name: str, the key of the label in a dict of labels; None for the only one.
        weight_column_name: str, the feature that has the weights of examples, or None.
        num_label_columns: int, the number of logits for one example.
        problem_type: int, one of `ProblemType`.
    """

    def __init__(
        self,
        loss_fn: _Losses,
        num_label_columns: int,
        label_name: str | None,
        weight_column_name: str | None,
        problem_type: int,
    ) -> None:
        self._loss_fn = loss_fn
        self.num_label_columns = num_label_columns
        self.label_name = label_name
        self.weight_column_name = weight_column_name
        self.problem_type = problem_type

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """Returns the predictions that the logits stand for.

        Args:
            logits: float Tensor `[batch, num_label_columns]`.
            proba: If True, the result holds probabilities where the head has them.
        """
        raise NotImplementedError

    def get_eval_ops(
        self, features: Mapping[str, Any], logits: Tensor, labels: Any, metrics: Mapping[Any, _Metric] | None = None
    ) -> dict[Any, Any]:
        """Returns the metrics by name, each a pair of the value and the operation that updates it.

        Args:
            features: dict from names to Tensors.
            logits: float Tensor `[batch, num_label_columns]`.
            labels: Tensor of the labels.
            metrics: dict from names to functions of predictions, labels and weights.
        """
        raise NotImplementedError

    def get_weight_tensor(self, features: Mapping[str, Any]) -> Tensor | None:
        """Returns the weights of the examples, a float32 Tensor `[batch]`, or None.

        Args:
            features: dict from names to Tensors.
        """
        if not self.weight_column_name:
            return None
        return shaping.reshape(to_float(features[self.weight_column_name]), (-1,))

    def _losses(self, logits: Tensor, target: Any) -> Tensor:
        own = target[self.label_name] if isinstance(target, dict) else target
        return self._loss_fn(logits, own)

    def training_loss(
        self, logits: Tensor, target: Any, features: Mapping[str, Any], name: str = "training_loss"
    ) -> Tensor:
        """Returns the loss to minimize: the mean of the weighted losses, a float32 scalar.

        Args:
            logits: float Tensor `[batch, num_label_columns]`.
            target: Tensor of the labels, or a dict of them by name.
            features: dict from names to Tensors.
            name: str, the operation's name.
        """
        losses, weights = self._losses(logits, target), self.get_weight_tensor(features)
        if weights is not None:
            losses = shaping.reshape(losses, (-1,)) * weights
        return reduce_mean(losses, name=name)

    def loss(self, logits: Tensor, target: Any, features: Mapping[str, Any]) -> Tensor:
        """Returns the loss to report: the sum of the weighted losses over that of the weights, a float32 scalar.

        Args:
            logits: float Tensor `[batch, num_label_columns]`.
            target: Tensor of the labels, or a dict of them by name.
            features: dict from names to Tensors.
        """
        losses, weights = self._losses(logits, target), self.get_weight_tensor(features)
        if weights is None:
            return reduce_mean(losses, name="loss")
        return div(reduce_sum(shaping.reshape(losses, (-1,)) * weights), reduce_sum(weights), name="loss")

    def _evaluated(
        self, features: Mapping[str, Any], predictions: Tensor, labels: Any, metrics: Mapping[Any, _Metric]
    ) -> dict[Any, Any]:
        weights = self.get_weight_tensor(features)
        options = {} if weights is None else {"weights": weights}
        own = cast(labels, predictions.dtype)
        return {name: metric(predictions, own, **options) for name, metric in metrics.items()}


class _Regression(TargetColumn):
    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        return shaping.squeeze(logits, axis=[1]) if self.num_label_columns == 1 else logits

    def get_eval_ops(
        self, features: Mapping[str, Any], logits: Tensor, labels: Any, metrics: Mapping[Any, _Metric] | None = None
    ) -> dict[Any, Any]:
        result: dict[Any, Any] = {"loss": averaging.mean(self.loss(logits, labels, features))}
        if metrics:
            result.update(self._evaluated(features, self.logits_to_predictions(logits), labels, metrics))
        return result


class _Classification(TargetColumn):
    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        if self.num_label_columns == 1:
            logits = concat([making.zeros_like(logits), logits], 1)
        return softmax(logits) if proba else argmax(logits, 1)

    def get_eval_ops(
        self, features: Mapping[str, Any], logits: Tensor, labels: Any, metrics: Mapping[Any, _Metric] | None = None
    ) -> dict[Any, Any]:
        result: dict[Any, Any] = {"loss": averaging.mean(self.loss(logits, labels, features))}
        if self.num_label_columns == 1:
            predictions, numbers = sigmoid(logits), to_float(labels)
            for name, metric in _binary_metrics([0.5]).items():
                result[name] = metric(predictions, numbers)
        kinds: dict[str, dict[str, _Metric]] = {"classes": {}, "probabilities": {}}
        for key, metric in (metrics if metrics is not None else {("accuracy", "classes"): _accuracy}).items():
            own, kind = _name_and_kind(key)
            kinds[kind][own] = metric
        for kind, chosen in kinds.items():
            if chosen:
                predictions = self.logits_to_predictions(logits, proba=kind == "probabilities")
                result.update(self._evaluated(features, predictions, labels, chosen))
        return result


class _Svm(_Classification):
    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        if proba:
            raise ValueError("logits to probabilities is not supported for _BinarySvmTargetColumn")
        return super().logits_to_predictions(logits)


def _name_and_kind(name: Any) -> tuple[str, str]:
    """Returns the name of a metric, and whether it takes classes or probabilities."""
    if isinstance(name, str):
        return name, "classes"
    if not isinstance(name, tuple):
        raise ValueError(f"Ignoring metric {name}. Its name is not in the correct form.")
    if len(name) != 2:
        raise ValueError(f"Ignoring metric {name}. It returned a tuple with len {len(name)}, expected 2.")
    if name[1] not in ("classes", "probabilities"):
        raise ValueError(
            f"Ignoring metric {name}. The 2nd element of its name should be either 'classes' or 'probabilities'."
        )
    return name


def _accuracy(predictions: Tensor, labels: Any, weights: Any = None) -> Any:
    return averaging.accuracy(labels, predictions, weights)


def _floats(weights: Any) -> Any:
    return None if weights is None else to_float(weights)


def _mean_label(predictions: Tensor, labels: Any, weights: Any = None) -> Any:
    del predictions
    return averaging.mean(labels, weights)


def _mean_prediction(predictions: Tensor, labels: Any, weights: Any = None) -> Any:
    del labels
    return averaging.mean(predictions, weights)


def _area(predictions: Tensor, labels: Any, weights: Any = None) -> Any:
    return at_thresholds.auc(labels, predictions, _floats(weights))


def _accuracy_at(threshold: float) -> _Metric:
    def metric(predictions: Tensor, labels: Any, weights: Any = None) -> Any:
        return averaging.accuracy(labels, to_float(greater_equal(predictions, threshold)), weights)

    return metric


def _part_at(part: _Metric, threshold: float) -> _Metric:
    def metric(predictions: Tensor, labels: Any, weights: Any = None) -> Any:
        value, update = part(labels, predictions, [threshold], _floats(weights))
        return shaping.squeeze(value), update

    return metric


def _binary_metrics(thresholds: Sequence[float]) -> dict[str, _Metric]:
    metrics: dict[str, _Metric] = {
        "labels/prediction_mean": _mean_prediction,
        "labels/actual_target_mean": _mean_label,
        "accuracy/baseline_target_mean": _mean_label,
        "auc": _area,
    }
    for threshold in thresholds:
        metrics[f"accuracy/threshold_{threshold:f}_mean"] = _accuracy_at(threshold)
        metrics[f"precision/positive_threshold_{threshold:f}_mean"] = _part_at(
            at_thresholds.precision_at_thresholds, threshold
        )
        metrics[f"recall/positive_threshold_{threshold:f}_mean"] = _part_at(
            at_thresholds.recall_at_thresholds, threshold
        )
    return metrics


@deprecated(_HEADS)
def get_default_binary_metrics_for_eval(thresholds: Sequence[float]) -> dict[str, _Metric]:
    """Returns metrics of logistic regression: functions of predictions, labels and weights, by name.

    Args:
        thresholds: list of floats, the probabilities above which an example counts as positive.
    """
    return _binary_metrics(thresholds)


def _as_column(target: Any) -> Any:
    return shaping.expand_dims(target, 1) if len(target.shape) == 1 else target


def _squared_errors(logits: Tensor, target: Any) -> Tensor:
    target = _as_column(target)
    logits.shape.assert_is_compatible_with(target.shape)
    return square(logits - to_float(target))


def _two_class_losses(logits: Tensor, target: Any) -> Tensor:
    return sigmoid_cross_entropy_with_logits(labels=to_float(_as_column(target)), logits=logits)


def _class_losses(logits: Tensor, target: Any) -> Tensor:
    if not target.dtype.is_integer:
        raise ValueError(f"Target's dtype should be integer. Instead got {target.dtype}.")
    classes = shaping.squeeze(target, axis=[1]) if len(target.shape) == 2 else target
    return sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits)


def _hinge(logits: Tensor, target: Any) -> Tensor:
    message = "target's shape should be either [batch_size, 1] or [batch_size]"
    with control_dependencies([Assert(less_equal(shaping.rank(target), 2), [message])]):
        signs = 2.0 * to_float(shaping.reshape(target, [shaping.shape(target)[0], 1])) - 1.0
    return relu(1.0 - signs * logits)


def regression(label_name: str | None = None, weight_column_name: str | None = None, size: int = 1) -> TargetColumn:
    """Returns the head of a linear regression of labels of `size` numbers."""
    return _Regression(_squared_errors, size, label_name, weight_column_name, ProblemType.LINEAR_REGRESSION)


def classification(
    n_classes: int, label_name: str | None = None, weight_column_name: str | None = None
) -> TargetColumn:
    """Returns the head of a classification; raises a ValueError for fewer than two classes."""
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    losses, columns = (_two_class_losses, 1) if n_classes == 2 else (_class_losses, n_classes)
    return _Classification(losses, columns, label_name, weight_column_name, ProblemType.CLASSIFICATION)


@deprecated(_HEADS)
def regression_target(
    label_name: str | None = None, weight_column_name: str | None = None, label_dimension: int = 1
) -> TargetColumn:
    """Returns the head of a linear regression, whose loss is the squared error.

    Args:
        label_name: str, the key of the label in a dict of labels; None for the only one.
        weight_column_name: str, the feature that has the weights of examples, or None.
        label_dimension: int, the number of labels for one example.

    Returns:
        TargetColumn.
    """
    return regression(label_name, weight_column_name, label_dimension)


@deprecated(_HEADS)
def multi_class_target(
    n_classes: int, label_name: str | None = None, weight_column_name: str | None = None
) -> TargetColumn:
    """Returns the head of a classification, whose loss is the cross entropy.

    Args:
        n_classes: int, the number of classes.
        label_name: str, the key of the label in a dict of labels; None for the only one.
        weight_column_name: str, the feature that has the weights of examples, or None.

    Returns:
        TargetColumn.

    Raises:
        ValueError: if `n_classes` is below 2.
    """
    return classification(n_classes, label_name, weight_column_name)


@deprecated(_HEADS)
def binary_svm_target(label_name: str | None = None, weight_column_name: str | None = None) -> TargetColumn:
    """Returns the head of a support vector machine for two classes, whose loss is the hinge loss.

    Args:
        label_name: str, the key of the label in a dict of labels; None for the only one.
        weight_column_name: str, the feature that has the weights of examples, or None.
    """
    return _Svm(_hinge, 1, label_name, weight_column_name, ProblemType.CLASSIFICATION)
