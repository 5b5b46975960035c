"""Head of a classifier of examples that belong to any number of classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.estimator.classification_heads import named_scores, threshold_metrics
from ferroflow._src.estimator.export_outputs import ExportOutput, PredictOutput
from ferroflow._src.estimator.head_checks import checked_labels, checked_thresholds, in_range
from ferroflow._src.estimator.heads import CLASSIFY, DEFAULT, PREDICT, HeadOfLogits
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.classification import sigmoid_cross_entropy
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.metrics.averaging import mean
from ferroflow._src.metrics.thresholds import auc
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.checking import assert_integer, assert_less, assert_non_negative
from ferroflow._src.ops.lookup.vocabulary import index_table_from_tensor
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_mean
from ferroflow._src.ops.nn.activation import sigmoid
from ferroflow._src.ops.sparse.converting import sparse_to_indicator


def _class_ids(classes: Any, n_classes: int, vocabulary: Any) -> tuple[int, ...]:
    """Returns the numbers of classes that are given by number or by name."""
    given = tuple(classes or ())
    if given and isinstance(given[0], str):
        if not vocabulary:
            raise ValueError("label_vocabulary must be provided when classes_for_class_based_metrics are sting.")
        return tuple(vocabulary.index(name) for name in given)
    for one in given:
        if not 0 <= one < n_classes:
            raise ValueError(f"All classes_for_class_based_metrics must be in range [0, {n_classes - 1}]. Given: {one}")
    return given


class MultiLabelHeadOfLogits(HeadOfLogits):
    """One output for each class, the log odds that an example belongs to it.

    Args:
        n_classes: int, the number of classes, 2 or more.
        weight_column: as `HeadOfLogits`.
        thresholds: iterable of float, each between 0 and 1, that metrics are also computed at.
        label_vocabulary: list of str, the names of the classes where labels are names; None if they are numbers.
        loss_reduction: as `HeadOfLogits`.
        loss_fn: as `HeadOfLogits`.
        classes_for_class_based_metrics: list of int or of str, the classes with metrics of their own.
        name: as `HeadOfLogits`.

    Raises:
        ValueError: if there are fewer than two classes, or an argument does not fit the classes.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Iterable[float] | None = None,
        label_vocabulary: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Any = None,
        classes_for_class_based_metrics: Any = None,
        name: str | None = None,
    ) -> None:
        if n_classes is None or n_classes < 2:
            raise ValueError(f"n_classes must be > 1 for multi-class classification. Given: {n_classes}")
        self.thresholds = checked_thresholds(thresholds, "thresholds must be in (0, 1) range. Given: {one}")
        if label_vocabulary is not None:
            if not isinstance(label_vocabulary, (list, tuple)):
                raise ValueError(f"label_vocabulary must be a list or tuple. Given type: {type(label_vocabulary)}")
            if len(label_vocabulary) != n_classes:
                raise ValueError(
                    f"Length of label_vocabulary must be n_classes ({n_classes}). Given: {len(label_vocabulary)}"
                )
        super().__init__(n_classes, weight_column, loss_reduction, loss_fn, name)
        self._vocabulary = label_vocabulary
        self.measured = _class_ids(classes_for_class_based_metrics, n_classes, label_vocabulary)

    def predictions_of(self, logits: Tensor) -> dict[str, Tensor]:
        return {"logits": logits, "probabilities": sigmoid(logits, name="probabilities")}

    def outputs_of(self, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        names = list(self._vocabulary or map(str, range(self.logits_dimension)))
        output = named_scores(predictions["probabilities"], names)
        return {DEFAULT: output, CLASSIFY: output, PREDICT: PredictOutput(predictions)}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        n_classes = self.logits_dimension
        if isinstance(labels, SparseTensor):
            labels = cast(sparse_to_indicator(self._sparse_ids(labels), n_classes), dtypes.int64)
        elif labels is not None:
            text = "labels must be an integer indicator Tensor with values in [0, 1]"
            labels = in_range(convert_to_tensor(labels), 2, text)
        return checked_labels(labels, logits, n_classes)

    def _sparse_ids(self, labels: SparseTensor) -> SparseTensor:
        n_classes = self.logits_dimension
        if labels.dtype == dtypes.string:
            if self._vocabulary is None:
                raise ValueError("label_vocabulary must be provided when labels are string.")
            ids = index_table_from_tensor(tuple(self._vocabulary), name="class_id_lookup").lookup(labels.values)
        else:
            text = f"labels must be an integer SparseTensor with values in [0, {n_classes})"
            checks = [
                assert_integer(labels.values, message=text),
                assert_less(labels.values, convert_to_tensor(n_classes, dtype=labels.dtype), message=text),
                assert_non_negative(labels.values, message=text),
            ]
            with control_dependencies(checks):
                ids = identity(labels.values)
        return SparseTensor(labels.indices, ids, labels.dense_shape)

    def _losses(self, numbers: Tensor, logits: Tensor) -> Tensor:
        losses = sigmoid_cross_entropy(numbers, logits, reduction=Reduction.NONE)
        return reduce_mean(losses, axis=-1, keepdims=True)

    def _metrics(self, labels: Tensor, predictions: dict[str, Tensor], losses: Tensor, weights: Any) -> dict[str, Any]:
        chances = predictions["probabilities"]
        found = {
            **super()._metrics(labels, predictions, losses, weights),
            **self._areas(labels, chances, weights, ""),
            **threshold_metrics(labels, chances, weights, self.thresholds),
        }
        for one in self.measured:
            end = self.class_key(one)
            of_class, true = chances[..., one : one + 1], labels[..., one : one + 1]
            key = f"probability_mean{end}"
            found[key] = mean(of_class, weights=broadcast_weights(weights, of_class), name=key)
            found.update(self._areas(true, of_class, broadcast_weights(weights, of_class), end))
        return found

    def class_key(self, one: int) -> str:
        return f"/class{one}" if self._vocabulary is None else f"/{self._vocabulary[one]}"

    def _areas(self, labels: Tensor, chances: Tensor, weights: Any, end: str) -> dict[str, Any]:
        return {
            f"{key}{end}": auc(labels=labels, predictions=chances, weights=weights, curve=curve, name=f"{key}{end}")
            for key, curve in (("auc", "ROC"), ("auc_precision_recall", "PR"))
        }
