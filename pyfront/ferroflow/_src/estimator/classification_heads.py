"""Heads of classifiers: one class of two, or one of several."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.array_conversion import exceeds_int32
from ferroflow._src.base.typing import ListLike
from ferroflow._src.estimator.export_outputs import ClassificationOutput, ExportOutput, PredictOutput, RegressionOutput
from ferroflow._src.estimator.head_checks import checked_labels, checked_thresholds, in_range
from ferroflow._src.estimator.heads import CLASSIFY, DEFAULT, PREDICT, REGRESS, HeadOfLogits
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.classification import sparse_softmax_cross_entropy
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.metrics.averaging import accuracy, mean
from ferroflow._src.metrics.counting import precision, recall
from ferroflow._src.metrics.thresholds import auc, precision_at_thresholds, recall_at_thresholds
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.lookup.vocabulary import index_table_from_tensor, index_to_string_table_from_tensor
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater_equal
from ferroflow._src.ops.math.reduction import argmax
from ferroflow._src.ops.nn.activation import sigmoid
from ferroflow._src.ops.nn.softmax import sigmoid_cross_entropy_with_logits, softmax
from ferroflow._src.ops.string.encoding import as_string


def named_scores(scores: Tensor, names: list[str]) -> ClassificationOutput:
    """Returns the output of scores of shape [batch, n] with the names of the classes."""
    return ClassificationOutput(
        scores=scores, classes=shaping.tile([names], joining.stack([shaping.shape(scores)[0], 1]))
    )


def threshold_metrics(labels: Tensor, chances: Tensor, weights: Any, thresholds: tuple[float, ...]) -> dict[str, Any]:
    """Returns the accuracy, the precision and the recall where chances above each threshold count as true."""
    found: dict[str, Any] = {}
    for threshold in thresholds:
        end = f"positive_threshold_{threshold:g}"
        above = cast(greater_equal(chances, threshold), dtypes.float32)
        found[f"accuracy/{end}"] = accuracy(labels=labels, predictions=above, weights=weights, name=f"accuracy/{end}")
        for kind, metric in (("precision", precision_at_thresholds), ("recall", recall_at_thresholds)):
            pair = metric(labels, chances, (threshold,), weights=weights, name=f"{kind}/{end}")
            found[f"{kind}/{end}"] = tuple(shaping.squeeze(part) for part in pair)
    return found


class ClassificationHead(HeadOfLogits):
    """Base of the classification heads: the names of the classes."""

    def __init__(
        self,
        dimension: int,
        n_classes: int,
        weight_column: Any,
        vocabulary: Any,
        loss_reduction: str,
        loss_fn: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(dimension, weight_column, loss_reduction, loss_fn, name)
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

    def outputs_of(self, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        output = named_scores(predictions["probabilities"], list(self._vocabulary or map(str, range(self._n_classes))))
        return {DEFAULT: output, CLASSIFY: output, PREDICT: PredictOutput(predictions)}

    def _label_ids(self, labels: Any, logits: Tensor) -> Tensor:
        given = checked_labels(labels, logits, 1)
        if self._vocabulary is None:
            return given
        if given.dtype != dtypes.string:
            raise ValueError(f"Labels dtype should be string if there is a vocabulary. Instead got {given.dtype}")
        ids: Tensor = index_table_from_tensor(self._vocabulary, name="class_id_lookup").lookup(given)
        return ids


class MultiClassHeadOfLogits(ClassificationHead):
    """One output for each class; the softmax function makes them probabilities."""

    def predictions_of(self, logits: Tensor) -> dict[str, Tensor]:
        return {"logits": logits, "probabilities": softmax(logits, name="probabilities"), **self._classes(logits)}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        ids = self._label_ids(labels, logits)
        if not ids.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer. Instead got {ids.dtype}.")
        return in_range(ids, self._n_classes)

    def _losses(self, numbers: Tensor, logits: Tensor) -> Tensor:
        losses = sparse_softmax_cross_entropy(labels=numbers, logits=logits, reduction=Reduction.NONE)
        expanded: Tensor = shaping.expand_dims(losses, axis=-1)
        return expanded

    def _metrics(self, labels: Tensor, predictions: dict[str, Tensor], losses: Tensor, weights: Any) -> dict[str, Any]:
        ids = predictions["class_ids"]
        return {
            **super()._metrics(labels, predictions, losses, weights),
            "accuracy": accuracy(labels=labels, predictions=ids, weights=weights, name="accuracy"),
        }


class BinaryHeadOfLogits(ClassificationHead):
    """One output, the log odds of the second of two classes."""

    thresholds: tuple[float, ...] = ()

    def predictions_of(self, logits: Tensor) -> dict[str, Tensor]:
        of_both = joining.concat([making.zeros_like(logits), logits], -1, name="two_class_logits")
        return {
            "logits": logits,
            "logistic": sigmoid(logits, name="logistic"),
            "probabilities": softmax(of_both, name="probabilities"),
            **self._classes(of_both),
        }

    def outputs_of(self, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        return {**super().outputs_of(predictions), REGRESS: RegressionOutput(predictions["logistic"])}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        return in_range(cast(self._label_ids(labels, logits), dtypes.float32), 2)

    def _losses(self, numbers: Tensor, logits: Tensor) -> Tensor:
        return sigmoid_cross_entropy_with_logits(labels=numbers, logits=logits)

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
            **threshold_metrics(labels, chances, weights, self.thresholds),
        }


def _check_vocabulary(vocabulary: Any, error: type[Exception], text: str) -> None:
    if vocabulary is not None and not isinstance(vocabulary, (list, tuple)):
        raise error(f"{text}. Given type: {type(vocabulary)}")


def _check_count(n_classes: Any) -> None:
    if n_classes is None:
        raise ValueError("n_classes cannot be None")
    if not isinstance(n_classes, int | np.integer) or exceeds_int32(n_classes):
        raise TypeError(f"n_classes must be an integer of 32 bits: {n_classes!r}.")


def multi_class_head_of(
    n_classes: int,
    weight_column: Any,
    label_vocabulary: Any,
    loss_reduction: str,
    loss_fn: Any = None,
    name: str | None = None,
) -> MultiClassHeadOfLogits:
    """Returns the head of a classifier of three or more classes; raises ValueError if there are fewer."""
    _check_vocabulary(label_vocabulary, ValueError, "label_vocabulary should be a list or a tuple")
    _check_count(n_classes)
    if n_classes <= 2:
        raise ValueError(f"n_classes must be > 2: {n_classes}.")
    return MultiClassHeadOfLogits(n_classes, n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def binary_head_of(
    weight_column: Any,
    label_vocabulary: Any,
    loss_reduction: str,
    thresholds: Any = None,
    loss_fn: Any = None,
    name: str | None = None,
) -> BinaryHeadOfLogits:
    """Returns the head of a classifier of two classes; raises ValueError for a threshold beyond 0 to 1."""
    _check_vocabulary(label_vocabulary, TypeError, "label_vocabulary should be a list or tuple")
    between = checked_thresholds(thresholds, "thresholds not in (0, 1): {all}.")
    head = BinaryHeadOfLogits(1, 2, weight_column, label_vocabulary, loss_reduction, loss_fn, name)
    head.thresholds = between
    return head


def classification_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: ListLike | None = None,
    loss_reduction: str = Reduction.SUM,
) -> HeadOfLogits:
    """Returns the head of a classifier.

    Args:
        n_classes: int, the number of classes, 2 or more.
        weight_column: as `HeadOfLogits`.
        label_vocabulary: list of str, the names of the classes where labels are names; None if they are numbers.
        loss_reduction: as `HeadOfLogits`.

    Returns:
        HeadOfLogits, of one output for two classes, of one for each for more.

    Raises:
        ValueError: if there are fewer than two classes, the names are not a list, or `loss_reduction` is not one of
            the listed values.
    """
    _check_vocabulary(label_vocabulary, ValueError, "label_vocabulary should be a list or a tuple")
    if n_classes == 2:
        return binary_head_of(weight_column, label_vocabulary, loss_reduction)
    _check_count(n_classes)
    if n_classes < 2:
        raise ValueError(f"n_classes must be > 1: {n_classes}.")
    return multi_class_head_of(n_classes, weight_column, label_vocabulary, loss_reduction)
