"""Heads: the loss, predictions and metrics of a model's last layer."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike
from ferroflow._src.estimator.export_outputs import ClassificationOutput, ExportOutput, PredictOutput, RegressionOutput
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.feature_column.column import TransformedFeatures, dense_tensor
from ferroflow._src.feature_column.numeric import NumericColumn, numeric_column
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, get_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.classification import sparse_softmax_cross_entropy
from ferroflow._src.losses.regression import mean_squared_error
from ferroflow._src.losses.weighting import Reduction, compute_weighted_loss
from ferroflow._src.metrics.averaging import accuracy, mean
from ferroflow._src.metrics.counting import precision, recall
from ferroflow._src.metrics.thresholds import auc
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.checking import assert_equal, assert_less_equal, assert_non_negative
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.lookup.vocabulary import index_table_from_tensor, index_to_string_table_from_tensor
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import argmax, reduce_sum
from ferroflow._src.ops.nn.activation import sigmoid
from ferroflow._src.ops.nn.softmax import sigmoid_cross_entropy_with_logits, softmax
from ferroflow._src.ops.string.encoding import as_string
from ferroflow._src.summary.values import scalar
from ferroflow._src.training.global_step import get_global_step

_DEFAULT, _CLASSIFY, _REGRESS, _PREDICT = "serving_default", "classification", "regression", "predict"


class Head(abc.ABC):
    """The end of a model: its loss, its predictions and its metrics, from the outputs of its last layer.

    Args:
        dimension: int, the number of outputs of an example.
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.
        loss_reduction: one of `tf.losses.Reduction` but NONE, how the losses of a batch become one.

    Raises:
        ValueError: if `reduction` is not one of the listed values.
    """

    def __init__(self, dimension: int, weight_column: Any, loss_reduction: str) -> None:
        if loss_reduction not in Reduction.all() or loss_reduction == Reduction.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self.logits_dimension = dimension
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction

    @abc.abstractmethod
    def _predictions(self, logits: Tensor) -> dict[str, Tensor]:
        """Returns the predictions by name."""

    @abc.abstractmethod
    def _export_outputs(self, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        """Returns the outputs to export by the names of their signatures."""

    @abc.abstractmethod
    def _losses(self, labels: Any, logits: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the labels as numbers, and the losses of the examples."""

    def _metrics(self, labels: Tensor, predictions: dict[str, Tensor], losses: Tensor, weights: Any) -> dict[str, Any]:
        """Returns the metrics by name, each a pair of its value and its update."""
        return {"average_loss": mean(losses, weights=weights, name="average_loss")}

    def create_estimator_spec(
        self, features: Mapping[str, Any], mode: str, logits: Any, labels: Any = None, train_op_fn: Any = None
    ) -> EstimatorSpec:
        """Returns the EstimatorSpec of a model in one mode.

        Args:
            features: dict of Tensors, among them that of the weights.
            mode: one of `ModeKeys`.
            logits: Tensor of shape [batch, `logits_dimension`].
            labels: Tensor of shape [batch] or [batch, n]; None to predict.
            train_op_fn: callable of the loss to the Operation of a training step; needed to train.

        Returns:
            EstimatorSpec.

        Raises:
            ValueError: if labels, weights or logits have a wrong shape or dtype.
        """
        with name_scope(None, "head"):
            logits = _checked_logits(logits, self.logits_dimension)
            with name_scope(None, "predictions", [logits]):
                predictions = self._predictions(logits)
            if mode == ModeKeys.PREDICT:
                outputs = self._export_outputs(predictions)
                return EstimatorSpec(mode=mode, predictions=predictions, export_outputs=outputs)
            numbers, losses = self._losses(labels, logits)
            weights = self._weights(features, logits)
            loss = compute_weighted_loss(losses, weights=weights, reduction=self._loss_reduction)
            if mode == ModeKeys.EVAL:
                with name_scope(None, "metrics"):
                    metrics = self._metrics(numbers, predictions, losses, weights)
                return EstimatorSpec(mode=mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
            train_op = _with_updates(train_op_fn(loss))
            average = None
            if self._loss_reduction == Reduction.SUM:
                average = loss / reduce_sum(weights * making.ones_like(losses))
        with name_scope(""):
            scalar("loss", loss)
            if average is not None:
                scalar("average_loss", average)
        return EstimatorSpec(mode=mode, predictions=predictions, loss=loss, train_op=train_op)

    def _weights(self, features: Mapping[str, Any], logits: Tensor) -> Any:
        column = self._weight_column
        if column is None:
            return 1.0
        if isinstance(column, str):
            column = numeric_column(column)
        if not isinstance(column, NumericColumn):
            raise TypeError(f"Weight column must be either a string or _NumericColumn. Given type: {type(column)}.")
        with name_scope(None, "weights"):
            weights = dense_tensor(column, TransformedFeatures(features))
            expected = joining.concat([shaping.shape(logits)[:-1], [1]], 0)
            check = assert_equal(
                expected,
                shaping.shape(weights),
                message="weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]",
            )
            with control_dependencies([check]):
                return making.identity(weights)


def _with_updates(train_op: Any) -> Any:
    """Returns a training step that also updates the moving averages of layers."""
    updates = get_collection(GraphKeys.UPDATE_OPS)
    return group(train_op, *updates) if updates else train_op


def _checked_logits(logits: Any, dimension: int) -> Tensor:
    logits = cast(logits, dtypes.float32)
    shape = logits.get_shape()
    if shape.ndims is not None and (shape.ndims < 2 or shape[-1].value not in (None, dimension)):
        raise ValueError(f"logits shape must be [D0, D1, ... DN, logits_dimension], got {shape}.")
    checked: Tensor = logits
    return checked


def _checked_labels(labels: Any, logits: Tensor, dimension: int) -> Tensor:
    """Returns labels of shape [batch, `dimension`]."""
    if labels is None:
        raise ValueError(
            "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your data "
            "contain your label feature. Check that your input_fn properly parses and returns labels."
        )
    with name_scope(None, "labels", [labels, logits]) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            raise ValueError(
                f"SparseTensor labels are not supported. labels must be a Tensor of shape [batch_size, {dimension}]. "
                "Suggested Fix: In your input_fn, use tf.sparse_tensor_to_dense() to turn labels into a Tensor."
            )
        rank = labels.get_shape().ndims
        if rank is not None and rank == (logits.get_shape().ndims or 0) - 1:
            labels = shaping.expand_dims(labels, -1)
        if rank is not None and labels.get_shape()[-1].value not in (None, dimension):
            raise ValueError(
                f"Mismatched label shape. Expected labels dimension={dimension}.  Received "
                f"{labels.get_shape()[-1].value}. Suggested Fix: If your classifier expects one-hot encoding label, "
                "check your n_classes argument to the estimator and/or the shape of your label. Otherwise, check the "
                "shape of your label."
            )
        expected = joining.concat([shaping.shape(logits)[:-1], [dimension]], 0)
        check = assert_equal(
            expected,
            shaping.shape(labels),
            message=f"labels shape must be [D0, D1, ... DN, {dimension}]. Suggested Fix: check your n_classes argument "
            "to the estimator and/or the shape of your label.",
        )
        with control_dependencies([check]):
            return making.identity(labels, name=scope)


def _in_range(labels: Tensor, n_classes: int) -> Tensor:
    with name_scope(None, "assert_range", [labels]):
        most = convert_to_tensor(n_classes - 1, dtype=labels.dtype)
        checks = [
            assert_less_equal(labels, most, message="Labels must <= n_classes - 1"),
            assert_non_negative(labels, message="Labels must >= 0"),
        ]
        with control_dependencies(checks):
            return making.identity(labels)


class _ClassificationHead(Head):
    """Base of the classification heads: the names of the classes."""

    def __init__(
        self, dimension: int, n_classes: int, weight_column: Any, vocabulary: Any, loss_reduction: str
    ) -> None:
        if vocabulary is not None and not isinstance(vocabulary, (list, tuple)):
            raise ValueError(f"label_vocabulary should be a list or a tuple. Given type: {type(vocabulary)}")
        super().__init__(dimension, weight_column, loss_reduction)
        self._n_classes = n_classes
        self._vocabulary = None if vocabulary is None else tuple(vocabulary)

    def _classes(self, scores: Tensor) -> dict[str, Tensor]:
        """Returns the class of the largest score, as a number and by name."""
        ids = shaping.expand_dims(argmax(scores, axis=-1, name="class_ids"), axis=-1)
        if self._vocabulary:
            table = index_to_string_table_from_tensor(list(self._vocabulary), name="class_string_lookup")
            found = {"class_ids": ids, "classes": table.lookup(ids)}
        else:
            found = {"class_ids": ids, "classes": as_string(ids, name="str_classes")}
        numbers = making.range(self._n_classes)
        names = convert_to_tensor(list(self._vocabulary)) if self._vocabulary else as_string(numbers)
        multiples = [shaping.shape(scores)[0], 1]
        for key, values in (("all_class_ids", numbers), ("all_classes", names)):
            found[key] = shaping.tile(shaping.expand_dims(values, 0), multiples)
        return found

    def _export_outputs(self, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        probabilities = predictions["probabilities"]
        names = list(self._vocabulary or map(str, range(self._n_classes)))
        classes = shaping.tile([names], joining.stack([shaping.shape(probabilities)[0], 1]))
        output = ClassificationOutput(scores=probabilities, classes=classes)
        return {_DEFAULT: output, _CLASSIFY: output, _PREDICT: PredictOutput(predictions)}

    def _label_ids(self, labels: Any, logits: Tensor) -> Tensor:
        given = _checked_labels(labels, logits, 1)
        if self._vocabulary is None:
            return given
        if given.dtype != dtypes.string:
            raise ValueError(f"Labels dtype should be string if there is a vocabulary. Instead got {given.dtype}")
        ids: Tensor = index_table_from_tensor(self._vocabulary, name="class_id_lookup").lookup(given)
        return ids


class _MultiClassHead(_ClassificationHead):
    """One output for each class; the softmax function makes them probabilities."""

    def _predictions(self, logits: Tensor) -> dict[str, Tensor]:
        return {"logits": logits, "probabilities": softmax(logits, name="probabilities"), **self._classes(logits)}

    def _losses(self, labels: Any, logits: Tensor) -> tuple[Tensor, Tensor]:
        ids = self._label_ids(labels, logits)
        if not ids.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer. Instead got {ids.dtype}.")
        ids = _in_range(ids, self._n_classes)
        losses = sparse_softmax_cross_entropy(labels=ids, logits=logits, reduction=Reduction.NONE)
        return ids, shaping.expand_dims(losses, axis=-1)

    def _metrics(self, labels: Tensor, predictions: dict[str, Tensor], losses: Tensor, weights: Any) -> dict[str, Any]:
        ids = predictions["class_ids"]
        return {
            **super()._metrics(labels, predictions, losses, weights),
            "accuracy": accuracy(labels=labels, predictions=ids, weights=weights, name="accuracy"),
        }


class _BinaryHead(_ClassificationHead):
    """One output, the log odds of the second of two classes."""

    def _predictions(self, logits: Tensor) -> dict[str, Tensor]:
        of_both = joining.concat([making.zeros_like(logits), logits], -1, name="two_class_logits")
        return {
            "logits": logits,
            "logistic": sigmoid(logits, name="logistic"),
            "probabilities": softmax(of_both, name="probabilities"),
            **self._classes(of_both),
        }

    def _export_outputs(self, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        return {**super()._export_outputs(predictions), _REGRESS: RegressionOutput(predictions["logistic"])}

    def _losses(self, labels: Any, logits: Tensor) -> tuple[Tensor, Tensor]:
        numbers = _in_range(cast(self._label_ids(labels, logits), dtypes.float32), 2)
        return numbers, sigmoid_cross_entropy_with_logits(labels=numbers, logits=logits)

    def _metrics(self, labels: Tensor, predictions: dict[str, Tensor], losses: Tensor, weights: Any) -> dict[str, Any]:
        ids, chances = predictions["class_ids"], predictions["logistic"]
        given = mean(labels, weights=weights, name="label/mean")
        with name_scope(None, "accuracy_baseline"):
            baseline = tuple(
                maximum(x, 1.0 - x, name=name) for x, name in zip(given, ("value", "update_op"), strict=True)
            )
        return {
            **super()._metrics(labels, predictions, losses, weights),
            "accuracy": accuracy(labels=labels, predictions=ids, weights=weights, name="accuracy"),
            "precision": precision(labels=labels, predictions=ids, weights=weights, name="precision"),
            "recall": recall(labels=labels, predictions=ids, weights=weights, name="recall"),
            "prediction/mean": mean(chances, weights=weights, name="prediction/mean"),
            "label/mean": given,
            "accuracy_baseline": baseline,
            "auc": auc(labels=labels, predictions=chances, weights=weights, name="auc"),
            "auc_precision_recall": auc(
                labels=labels, predictions=chances, weights=weights, curve="PR", name="auc_precision_recall"
            ),
        }


class _RegressionHead(Head):
    """Outputs that are the predictions, with the squared error as loss."""

    def _predictions(self, logits: Tensor) -> dict[str, Tensor]:
        return {"predictions": logits}

    def _export_outputs(self, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        output = RegressionOutput(predictions["predictions"])
        return {_DEFAULT: output, _REGRESS: output, _PREDICT: PredictOutput(predictions)}

    def _losses(self, labels: Any, logits: Tensor) -> tuple[Tensor, Tensor]:
        numbers = cast(_checked_labels(labels, logits, self.logits_dimension), dtypes.float32)
        return numbers, mean_squared_error(labels=numbers, predictions=logits, reduction=Reduction.NONE)

    def _metrics(self, labels: Tensor, predictions: dict[str, Tensor], losses: Tensor, weights: Any) -> dict[str, Any]:
        found = predictions["predictions"]
        return {
            **super()._metrics(labels, predictions, losses, weights),
            "prediction/mean": mean(found, weights=weights, name="prediction/mean"),
            "label/mean": mean(labels, weights=weights, name="label/mean"),
        }


def classification_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: ListLike | None = None,
    loss_reduction: str = Reduction.SUM,
) -> Head:
    """Returns the head of a classifier.

    Args:
        n_classes: int, the number of classes, 2 or more.
        weight_column: as `Head`.
        label_vocabulary: list of str, the names of the classes where labels are names; None if they are numbers.
        loss_reduction: as `Head`.

    Returns:
        Head, of one output for two classes, of one for each for more.

    Raises:
        ValueError: if there are fewer than two classes, the names are not a list, or `reduction` is not one of the
            listed values.
    """
    if n_classes < 2:
        raise ValueError(f"n_classes must be > 1: {n_classes}.")
    if n_classes == 2:
        return _BinaryHead(1, 2, weight_column, label_vocabulary, loss_reduction)
    return _MultiClassHead(n_classes, n_classes, weight_column, label_vocabulary, loss_reduction)


def regression_head(label_dimension: int = 1, weight_column: Any = None, loss_reduction: str = Reduction.SUM) -> Head:
    """Returns the head of a regression.

    Args:
        label_dimension: int, the number of numbers of a label.
        weight_column: as `Head`.
        loss_reduction: as `Head`.

    Returns:
        Head.

    Raises:
        ValueError: if the number is not positive, or `reduction` is not one of the listed values.
    """
    if label_dimension < 1:
        raise ValueError(f"Invalid label_dimension {label_dimension}.")
    return _RegressionHead(label_dimension, weight_column, loss_reduction)


def train_op(optimizer: Any, loss: Tensor) -> Any:
    """Returns one step of an optimizer that counts as a global step."""
    return optimizer.minimize(loss, global_step=get_global_step())
