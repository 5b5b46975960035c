"""Heads of `tf.contrib.learn`: the end of a model, from its logits to predictions, loss, training and metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike
from ferroflow._src.contrib.layers.model_layers import linear
from ferroflow._src.contrib.learn import head_losses as losses, head_metrics as metrics
from ferroflow._src.contrib.learn.head_metrics import MetricKey
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps, PredictionKey, ProblemType
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics import averaging
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.vocabulary import index_table_from_tensor, index_to_string_table_from_tensor
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater
from ferroflow._src.ops.math.elementwise import exp, sigmoid
from ferroflow._src.ops.math.reduction import argmax
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.ops.nn.softmax import softmax
from ferroflow._src.ops.sparse.converting import sparse_to_indicator
from ferroflow._src.ops.string.encoding import as_string
from ferroflow._src.summary.values import scalar
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "BinaryHead",
    "Head",
    "LogitsHead",
    "RegressionHead",
    "SvmHead",
    "binary_svm_head",
    "multi_class_head",
    "multi_label_head",
    "poisson_regression_head",
    "regression_head",
]


class Head(ABC):
    """The end of a model: it makes predictions, loss, training step and metrics from logits."""

    @property
    @abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits, an int."""

    @abstractmethod
    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[..., Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Adds predictions, loss, training step and metrics to the graph.

        Args:
            features: dict from str to Tensor of any dtype and shape.
            mode: str, of `ModeKeys`.
            labels: Tensor, or dict from str to Tensor, of any dtype, of shape [batch, ...].
            train_op_fn: function of the loss that returns the Operation of a step; needed for training.
            logits: Tensor of float32, of shape [batch, logits_dimension]; None where `logits_input` is given.
            logits_input: Tensor of float32, of shape [batch, size], from which a layer makes the logits.
            scope: str or VariableScope, the scope of the operations; None for the head's own.

        Returns:
            ModelFnOps.

        Raises:
            ValueError: if `mode` is unknown, both or neither of `logits` and `logits_input` are given, or training has
                no `train_op_fn`.
        """


def check_mode(mode: str) -> None:
    """Raises a ValueError for a mode that is not in `ModeKeys`."""
    if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
        raise ValueError(f"mode={mode} unrecognized.")


def checked_train_op_fn(train_op_fn: Callable[..., Any] | None) -> Callable[..., Any]:
    """Returns the function; raises a ValueError if it is None."""
    if train_op_fn is None:
        raise ValueError("train_op_fn can not be None in TRAIN mode")
    return train_op_fn


def summarize_loss(loss: Any, head_name: str | None) -> None:
    """Adds the summary of a head's loss."""
    with name_scope(""):
        scalar(_named(MetricKey.LOSS, head_name), making.identity(loss))


def _named(key: str, head_name: str | None) -> str:
    return f"{key}/{head_name}" if head_name else key


class LogitsHead(Head):
    """A head of one label, which may be given logits, or the layer before them.

    Subclasses define predictions and metrics; the rest is the same for all of them.

    Attributes:
        loss_type: str, the loss by the name that stochastic dual coordinate ascent has for it, or None.
    """

    loss_type: str | None = None

    def __init__(
        self,
        default_scope: str,
        problem_type: int,
        logits_dimension: int,
        loss_fn: losses.LossFunction,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
    ) -> None:
        if logits_dimension is None or logits_dimension < 1:
            raise ValueError(f"Invalid logits_dimension {logits_dimension}.")
        self._default_scope, self._problem_type, self._size = default_scope, problem_type, logits_dimension
        self._loss_fn, self._has_centered_bias = loss_fn, enable_centered_bias
        self._label_name, self._weight_column_name, self._head_name = label_name, weight_column_name, head_name

    @property
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits, an int."""
        return self._size

    @property
    def label_name(self) -> str | None:
        """The key of the label in a dict of labels, a str, or None."""
        return self._label_name

    @property
    def weight_column_name(self) -> str | None:
        """The feature with the examples' weights, a str, or None."""
        return self._weight_column_name

    @property
    def head_name(self) -> str | None:
        """The name of the head, a str, or None."""
        return self._head_name

    @abstractmethod
    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        """Returns the predictions by their keys."""

    @abstractmethod
    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        """Returns the metrics except the loss by their names."""

    def _alternatives(self, predictions: dict[str, Any]) -> dict[Any, Any]:
        """Returns what an exported model gives, by the head's name."""
        return {self._head_name: (self._problem_type, predictions)}

    def _labels(self, labels: Any) -> Any:
        """Returns the labels that loss and metrics take."""
        if isinstance(labels, SparseTensor):
            raise ValueError("SparseTensor is not supported.")
        return labels

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[..., Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """Adds predictions, loss, training step and metrics to the graph, as `Head` describes it."""
        values = [*features.values(), *_tensors(labels), logits, logits_input]
        with variable_scope(scope, self._head_name or self._default_scope, values):
            if mode == ModeKeys.INFER or labels is None:
                labels = None
            else:
                own = labels[self._label_name] if isinstance(labels, dict) else labels
                labels = self._labels(convert_to_tensor_or_sparse_tensor(own))
            logits = self._logits(logits, logits_input)
            check_mode(mode)
            bias = None
            if self._has_centered_bias:
                bias = losses.centered_bias(self._size, self._head_name)
                logits = bias_add(logits, bias)
            with name_scope(None, "predictions", [logits]):
                predictions = self._predictions(logits)
            loss = train_op = found = None
            if labels is not None:
                weights = losses.weights_of(features, self._weight_column_name)
                loss, reported = self._loss_fn(labels, logits, weights)
                summarize_loss(reported, self._head_name)
                if mode == ModeKeys.TRAIN:
                    train_op = self._train_op(loss, labels, checked_train_op_fn(train_op_fn), bias, logits, weights)
                with name_scope("metrics", values=[reported, *_tensors(labels), weights, *predictions.values()]):
                    found = {_named(MetricKey.LOSS, self._head_name): averaging.mean(reported)}
                    for key, metric in self._metrics(predictions, labels, weights).items():
                        found[_named(key, self._head_name)] = metric
            return ModelFnOps(
                mode=mode,
                predictions=predictions,
                loss=loss,
                train_op=train_op,
                eval_metric_ops=found,
                output_alternatives=self._alternatives(predictions),
            )

    def _logits(self, logits: Any, logits_input: Any) -> Tensor:
        if logits is None:
            if logits_input is None:
                raise ValueError("Neither logits nor logits_input supplied.")
            made: Tensor = linear(logits_input, self._size, scope="logits")
            return made
        if logits_input is not None:
            raise ValueError("Both logits and logits_input supplied.")
        given: Tensor = convert_to_tensor(logits, name="logits")
        if given.get_shape().ndims is not None:
            given.get_shape()[-1].assert_is_compatible_with(self._size)
        return given

    def _train_op(
        self, loss: Any, labels: Any, train_op_fn: Callable[..., Any], bias: Any, logits: Any, weights: Any
    ) -> Any:
        batch_size = shaping.shape(logits)[0]
        steps = []
        if bias is not None:
            steps = [losses.centered_bias_step(bias, batch_size, labels, self._loss_fn, weights)]
        with name_scope(None, "train_op", [loss]):
            step = train_op_fn(loss)
            return group(step, *steps) if steps else step


def _tensors(labels: Any) -> list[Any]:
    return list(labels.values()) if isinstance(labels, dict) else [labels]


class RegressionHead(LogitsHead):
    """A head of numbers."""

    loss_type = "squared_loss"

    def __init__(self, link_fn: Callable[..., Any], size: int, loss_fn: losses.LossFunction, *others: Any) -> None:
        super().__init__("regression_head", ProblemType.LINEAR_REGRESSION, size, loss_fn, *others)
        self._link_fn = link_fn

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        key = PredictionKey.SCORES
        if self._size == 1:
            logits = shaping.squeeze(logits, axis=[1], name=key)
        return {key: self._link_fn(logits)}

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        return {}


class _ClassesHead(LogitsHead):
    """A head whose exported classes are texts, beside the probabilities."""

    _label_keys: ListLike | None = None

    def _alternatives(self, predictions: dict[str, Any]) -> dict[Any, Any]:
        probabilities = predictions[PredictionKey.PROBABILITIES]
        with name_scope(None, "_classification_output_alternatives", [probabilities]):
            batch_size = shaping.shape(probabilities)[0]
            if self._label_keys:
                row: Any = shaping.expand_dims(list(self._label_keys), axis=0)
                classes = shaping.tile(row, [batch_size, 1], name="classes_tensor")
            else:
                row = shaping.expand_dims(making.range(shaping.shape(probabilities)[1]), axis=0)
                classes = as_string(shaping.tile(row, [batch_size, 1]), name="classes_tensor")
        exported = {PredictionKey.PROBABILITIES: probabilities, PredictionKey.CLASSES: classes}
        return {self._head_name: (self._problem_type, exported)}


def _pair_of_logits(logits: Tensor) -> Tensor:
    return concat([making.zeros_like(logits), logits], 1)


class BinaryHead(_ClassesHead):
    """A head of two classes, with one logit."""

    loss_type = "logistic_loss"

    def __init__(self, thresholds: Any, loss_fn: losses.LossFunction | None, *others: Any) -> None:
        kind, loss = ProblemType.LOGISTIC_REGRESSION, loss_fn or losses.two_class_losses
        super().__init__("binary_logistic_head", kind, 1, loss, *others)
        self._thresholds = tuple(thresholds or (0.5,))

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        pair = _pair_of_logits(logits)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.LOGISTIC: sigmoid(logits, name=PredictionKey.LOGISTIC),
            PredictionKey.PROBABILITIES: softmax(pair, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: argmax(pair, 1, name=PredictionKey.CLASSES),
        }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        classes, positive = predictions[PredictionKey.CLASSES], predictions[PredictionKey.LOGISTIC]
        found = {
            MetricKey.ACCURACY: averaging.accuracy(labels, classes, weights),
            MetricKey.PREDICTION_MEAN: metrics.mean_of_class(positive, weights),
            MetricKey.LABEL_MEAN: metrics.mean_of_class(labels, weights),
            MetricKey.ACCURACY_BASELINE: metrics.mean_of_class(labels, weights),
            MetricKey.AUC: metrics.area(positive, labels, weights),
            MetricKey.AUC_PR: metrics.area(positive, labels, weights, curve="PR"),
        }
        for threshold in self._thresholds:
            found.update(metrics.at_threshold(positive, labels, weights, threshold))
        return found


def _checked_classes(class_ids: Any, n_classes: int) -> tuple[int, ...]:
    found = tuple(class_ids or ())
    for class_id in found:
        if class_id < 0 or class_id >= n_classes:
            raise ValueError(f"Class ID {class_id} not in [0, {n_classes}).")
    return found


class _MultiClassHead(_ClassesHead):
    def __init__(
        self, n_classes: int, metric_class_ids: Any, label_keys: ListLike | None, loss_fn: Any, *others: Any
    ) -> None:
        chosen = loss_fn or losses.class_losses

        def loss(labels: Any, logits: Any, weights: Any = None) -> tuple[Any, Any]:
            return chosen(labels["label_ids"], logits, weights)

        super().__init__("multi_class_head", ProblemType.CLASSIFICATION, n_classes, loss, *others)
        self._class_ids = _checked_classes(metric_class_ids, n_classes)
        if label_keys and len(label_keys) != n_classes:
            raise ValueError("Length of label_keys must equal n_classes.")
        self._label_keys = label_keys

    def _labels(self, labels: Any) -> Any:
        given = super()._labels(labels)
        if not self._label_keys:
            return {"labels": given, "label_ids": given}
        table = index_table_from_tensor(list(self._label_keys), name="label_id_lookup")
        return {"labels": given, "label_ids": table.lookup(given)}

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        classes: Any = argmax(logits, 1, name=PredictionKey.CLASSES)
        if self._label_keys:
            table = index_to_string_table_from_tensor(list(self._label_keys), name="class_string_lookup")
            classes = table.lookup(classes)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: softmax(logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: classes,
        }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        classes = predictions[PredictionKey.CLASSES]
        found = {MetricKey.ACCURACY: averaging.accuracy(labels["labels"], classes, weights)}
        for i in () if self._label_keys else self._class_ids:
            found[MetricKey.CLASS_PREDICTION_MEAN % i] = metrics.class_share(classes, weights, i)
            found[MetricKey.CLASS_LABEL_MEAN % i] = metrics.class_share(labels["label_ids"], weights, i)
            for key, of in (
                (MetricKey.CLASS_PROBABILITY_MEAN, PredictionKey.PROBABILITIES),
                (MetricKey.CLASS_LOGITS_MEAN, PredictionKey.LOGITS),
            ):
                found[key % i] = metrics.mean_of_class(predictions[of], weights, i)
        return found


class SvmHead(LogitsHead):
    """A head of two classes with one logit, which are apart by a margin."""

    loss_type = "hinge_loss"

    def __init__(self, *others: Any) -> None:
        kind = ProblemType.LOGISTIC_REGRESSION
        super().__init__("binary_svm_head", kind, 1, losses.hinge_losses, *others)

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        classes = argmax(_pair_of_logits(logits), 1, name=PredictionKey.CLASSES)
        return {PredictionKey.LOGITS: logits, PredictionKey.CLASSES: classes}

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        return {MetricKey.ACCURACY: averaging.accuracy(labels, predictions[PredictionKey.CLASSES], weights)}


class _MultiLabelHead(_ClassesHead):
    def __init__(self, n_classes: int, metric_class_ids: Any, loss_fn: Any, *others: Any) -> None:
        loss = loss_fn or losses.label_losses
        super().__init__("multi_label_head", ProblemType.CLASSIFICATION, n_classes, loss, *others)
        self._class_ids = _checked_classes(metric_class_ids, n_classes)

    def _labels(self, labels: Any) -> Any:
        if isinstance(labels, SparseTensor):
            return cast(sparse_to_indicator(labels, self._size), dtypes.int64)
        return labels

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: sigmoid(logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: cast(greater(logits, 0), dtypes.int64, name=PredictionKey.CLASSES),
        }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        keys: Sequence[str] = (PredictionKey.CLASSES, PredictionKey.PROBABILITIES, PredictionKey.LOGITS)
        classes, probabilities, logits = (predictions[key] for key in keys)
        found = {
            MetricKey.ACCURACY: averaging.accuracy(labels, classes, weights),
            MetricKey.AUC: metrics.area(probabilities, labels, weights),
            MetricKey.AUC_PR: metrics.area(probabilities, labels, weights, curve="PR"),
        }
        for i in self._class_ids:
            found.update(metrics.of_class(classes, labels, probabilities, logits, weights, i))
        return found


def regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    link_fn: Callable[..., Any] | None = None,
) -> Head:
    """Returns the head of a regression, whose loss is the squared error.

    Args:
        label_name: str, the key of the label in a dict of labels; None for the only one.
        weight_column_name: str, the feature with the examples' weights, or None.
        label_dimension: int, how many numbers a label has.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        head_name: str, which ends the names of metrics and summaries, or None.
        link_fn: function of the logits that returns the predictions; None if they are the same.

    Returns:
        Head.

    Raises:
        ValueError: if `label_dimension` is below 1.
    """
    others = (label_name, weight_column_name, enable_centered_bias, head_name)
    return RegressionHead(link_fn or making.identity, label_dimension, losses.squared_losses, *others)


def poisson_regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> Head:
    """Returns the head of a regression of counts, whose logits are the logarithms of their means.

    Args:
        label_name: str, the key of the label in a dict of labels; None for the only one.
        weight_column_name: str, the feature with the examples' weights, or None.
        label_dimension: int, how many numbers a label has.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        head_name: str, which ends the names of metrics and summaries, or None.

    Returns:
        Head.

    Raises:
        ValueError: if `label_dimension` is below 1.
    """
    others = (label_name, weight_column_name, enable_centered_bias, head_name)
    return RegressionHead(exp, label_dimension, losses.poisson_losses, *others)


def multi_class_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: ListLike | None = None,
    metric_class_ids: ListLike | None = None,
    loss_fn: Callable[..., Any] | None = None,
    label_keys: ListLike | None = None,
) -> Head:
    """Returns the head of a classifier, each example of which has one class.

    Args:
        n_classes: int, the number of classes; labels are 0 to `n_classes` - 1.
        label_name: str, the key of the label in a dict of labels; None for the only one.
        weight_column_name: str, the feature with the examples' weights, or None.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        head_name: str, which ends the names of metrics and summaries, or None.
        thresholds: list of float, the probabilities at which metrics of two classes are computed; None for 0.5.
        metric_class_ids: list of int, classes with metrics of their own, for more than two classes.
        loss_fn: function of `labels`, `logits` and `weights` that returns a loss of shape []; None for the
            cross entropy.
        label_keys: list of str, the names of the classes, for more than two classes; labels are then names.

    Returns:
        Head.

    Raises:
        ValueError: if an argument has a wrong value, or does not work with two classes.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    own = losses.with_own_loss(loss_fn) if loss_fn else None
    others = (label_name, weight_column_name, enable_centered_bias, head_name)
    if n_classes > 2:
        return _MultiClassHead(n_classes, metric_class_ids, label_keys, own, *others)
    if metric_class_ids:
        raise ValueError("metric_class_ids invalid for n_classes==2.")
    if label_keys:
        raise ValueError("label_keys is not supported for n_classes=2.")
    return BinaryHead(thresholds, own, *others)


def binary_svm_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: ListLike | None = None,
) -> Head:
    """Returns the head of a support vector machine for two classes, whose loss is the hinge loss.

    Args:
        label_name: str, the key of the label in a dict of labels; None for the only one.
        weight_column_name: str, the feature with the examples' weights, or None.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        head_name: str, which ends the names of metrics and summaries, or None.
        thresholds: list of float, accepted and not used, as in TensorFlow.

    Returns:
        Head.
    """
    return SvmHead(label_name, weight_column_name, enable_centered_bias, head_name)


def multi_label_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: ListLike | None = None,
    metric_class_ids: ListLike | None = None,
    loss_fn: Callable[..., Any] | None = None,
) -> Head:
    """Returns the head of a classifier, each example of which has any number of classes.

    Args:
        n_classes: int, the number of classes. Labels are a Tensor of zeros and ones, of shape [batch, n_classes], or
            a SparseTensor of classes.
        label_name: str, the key of the label in a dict of labels; None for the only one.
        weight_column_name: str, the feature with the examples' weights, or None.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        head_name: str, which ends the names of metrics and summaries, or None.
        thresholds: list of float, accepted and not used, as in TensorFlow.
        metric_class_ids: list of int, classes with metrics of their own.
        loss_fn: function of `labels`, `logits` and `weights` that returns a loss of shape []; None for the
            cross entropy.

    Returns:
        Head.

    Raises:
        ValueError: if an argument has a wrong value.
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    own = losses.with_own_loss(loss_fn) if loss_fn else None
    others = (label_name, weight_column_name, enable_centered_bias, head_name)
    return _MultiLabelHead(n_classes, metric_class_ids, own, *others)
