"""The heads of `tf.estimator`, whose metrics are those of Keras."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ferroflow._src.base.typing import ListLike
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.estimator.classification_heads import binary_head_of, multi_class_head_of
from ferroflow._src.estimator.composed_head import ComposedHead
from ferroflow._src.estimator.export_outputs import ExportOutput
from ferroflow._src.estimator.head_checks import checked_logits
from ferroflow._src.estimator.heads import HeadOfLogits
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.multi_label_head import MultiLabelHeadOfLogits
from ferroflow._src.estimator.regression_heads import RegressionHeadOfLogits, logistic_losses, poisson_losses
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.metric_counts import AUC, Precision, Recall
from ferroflow._src.keras.metric_means import Accuracy, BinaryAccuracy, Mean
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.math.arithmetic import add_n, maximum
from ferroflow._src.ops.math.elementwise import exp
from ferroflow._src.ops.nn.activation import sigmoid

_MEAN = "sum_over_batch_size"
_REDUCTIONS = {"auto": Reduction.SUM_OVER_BATCH_SIZE, "sum": Reduction.SUM, _MEAN: Reduction.SUM_OVER_BATCH_SIZE}


def _reduction(loss_reduction: str) -> str:
    if loss_reduction not in _REDUCTIONS:
        raise ValueError(f"Invalid loss_reduction: {loss_reduction}. See `tf.losses.Reduction` for valid options.")
    return _REDUCTIONS[loss_reduction]


class _Batch(NamedTuple):
    predictions: dict[str, Tensor]
    labels: Tensor
    losses: Tensor
    weights: Any

    def mean_of(self, values: Any) -> tuple[Any, ...]:
        return (values, broadcast_weights(self.weights, values))


class _Measure(NamedTuple):
    """A metric: how it is made, and the arguments of its update for a batch."""

    make: Callable[[str], Any]
    arguments: Callable[[_Batch], tuple[Any, ...]]


class _LargerShare(Mean):
    """The accuracy of a model that always predicts the more frequent of two classes."""

    def result(self) -> Any:
        share = super().result()
        return maximum(share, 1.0 - share)


def _at_threshold(threshold: float, chances: str) -> dict[str, _Measure]:
    def arguments(batch: _Batch) -> tuple[Any, ...]:
        return batch.labels, batch.predictions[chances], batch.weights

    end = f"positive_threshold_{threshold:g}"
    return {
        f"accuracy/{end}": _Measure(lambda name: BinaryAccuracy(name, threshold=threshold), arguments),
        f"precision/{end}": _Measure(lambda name: Precision(threshold, name=name), arguments),
        f"recall/{end}": _Measure(lambda name: Recall(threshold, name=name), arguments),
    }


def _at_thresholds(thresholds: Iterable[float], chances: str) -> dict[str, _Measure]:
    found: dict[str, _Measure] = {}
    for threshold in thresholds:
        found.update(_at_threshold(threshold, chances))
    return found


def _areas(chances: Callable[[_Batch], tuple[Any, Any]], end: str = "") -> dict[str, _Measure]:
    def arguments(batch: _Batch) -> tuple[Any, ...]:
        labels, values = chances(batch)
        return labels, values, broadcast_weights(batch.weights, values)

    return {
        f"auc{end}": _Measure(lambda name: AUC(name=name), arguments),
        f"auc_precision_recall{end}": _Measure(lambda name: AUC(curve="PR", name=name), arguments),
    }


def _of_class(one: int, end: str) -> dict[str, _Measure]:
    part = (..., slice(one, one + 1))

    def chances(batch: _Batch) -> tuple[Any, Any]:
        return batch.labels[part], batch.predictions["probabilities"][part]

    average = _Measure(lambda name: Mean(name), lambda batch: batch.mean_of(chances(batch)[1]))
    return {f"probability_mean{end}": average, **_areas(chances, end)}


_AVERAGE_LOSS = {"average_loss": _Measure(lambda name: Mean(name), lambda batch: (batch.losses, batch.weights))}


class _WrappingHead(ComposedHead):
    """A head whose loss and predictions are those of a head of `tf.contrib.estimator`."""

    def __init__(self, inner: HeadOfLogits, loss_reduction: str) -> None:
        self._inner = inner
        self._loss_reduction = loss_reduction

    @property
    def name(self) -> str | None:
        return self._inner.name

    @property
    def logits_dimension(self) -> int:
        return self._inner.logits_dimension

    @property
    def loss_reduction(self) -> str:
        return self._loss_reduction

    def _measures(self) -> dict[str, _Measure]:
        return _AVERAGE_LOSS

    def loss(
        self, labels: Any, logits: Any, features: Any = None, mode: Any = None, regularization_losses: Any = None
    ) -> Tensor:
        with name_scope(None, "losses"):
            checked = checked_logits(logits, self.logits_dimension)
            loss: Tensor = self._inner.create_loss(features, mode, checked, labels).training_loss
            return loss if regularization_losses is None else loss + add_n(list(regularization_losses))

    def predictions(self, logits: Any, keys: Any = None) -> dict[str, Tensor]:
        """Returns the predictions by name.

        Args:
            logits: float Tensor of shape [batch, `logits_dimension`].
            keys: list of str, the names; None for all.

        Returns:
            dict of Tensors of any dtypes, of shape [batch, n].

        Raises:
            ValueError: if a key is not the name of a prediction.
        """
        logits = checked_logits(logits, self.logits_dimension)
        with name_scope(None, "predictions"):
            found = self._inner.predictions_of(logits)
        for key in keys or ():
            if key not in found:
                raise ValueError(
                    f"Prediction key must be in PredictionKeys, given: {key}.Valid prediction keys include "
                    f"{list(found)}."
                )
        return {key: found[key] for key in keys} if keys else found

    def metrics(self, regularization_losses: Any = None) -> dict[str, Any]:
        with name_scope(None, "metrics"):
            found = {self._key(key): measure.make(key) for key, measure in self._measures().items()}
            if regularization_losses is not None:
                found[self._key("regularization_loss")] = Mean("regularization_loss")
            return found

    def update_metrics(
        self, eval_metrics: Any, features: Any, logits: Any, labels: Any, regularization_losses: Any = None
    ) -> dict[str, Any]:
        predictions = self.predictions(logits)
        checked = checked_logits(logits, self.logits_dimension)
        spec = self._inner.create_loss(features, ModeKeys.EVAL, checked, labels)
        weights = convert_to_tensor(spec.weights)
        batch = _Batch(predictions, spec.processed_labels, spec.unreduced_loss, weights)
        for key, measure in self._measures().items():
            eval_metrics[self._key(key)].update_state(*measure.arguments(batch))
        if regularization_losses is not None:
            eval_metrics[self._key("regularization_loss")].update_state(add_n(list(regularization_losses)))
        return dict(eval_metrics)

    def _export_outputs(self, features: Any, given: Any, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        return self._inner.outputs_of(predictions)


class BinaryClassHead(_WrappingHead):
    """The head of a classifier of two classes, with one output.

    Args:
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.
        thresholds: iterable of float, each between 0 and 1, that metrics are also computed at, or None.
        label_vocabulary: list of str, the names of the classes where labels are names; None if they are numbers.
        loss_reduction: "sum" or "sum_over_batch_size": how the losses of a batch are combined.
        loss_fn: callable of `labels`, `logits` and, if it takes them, `features`, which returns float losses of shape
            [batch, 1]; None for the cross entropy of the sigmoid function.
        name: str, which ends the names of metrics and summaries, or None.

    Raises:
        ValueError: if an argument has a wrong value.

    Example:
        >>> head = tf.estimator.BinaryClassHead()
        >>> loss = head.loss(tf.constant([[1], [0]]), tf.zeros([2, 1]))
        >>> print(sess.run(loss).round(4))
        0.6931
    """

    def __init__(
        self,
        weight_column: object = None,
        thresholds: Iterable[float] | None = None,
        label_vocabulary: ListLike | None = None,
        loss_reduction: str = _MEAN,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        kind = _reduction(loss_reduction)
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            raise ValueError(f"label_vocabulary should be a list or a tuple. Given type: {type(label_vocabulary)}")
        inner = binary_head_of(weight_column, label_vocabulary, kind, thresholds, loss_fn, name)
        super().__init__(inner, loss_reduction)
        self._thresholds = inner.thresholds

    def _measures(self) -> dict[str, _Measure]:
        def classes(batch: _Batch) -> tuple[Any, ...]:
            return batch.labels, batch.predictions["class_ids"], batch.weights

        def labels(batch: _Batch) -> tuple[Any, ...]:
            return batch.mean_of(batch.labels)

        return {
            **_AVERAGE_LOSS,
            "accuracy": _Measure(lambda name: Accuracy(name), classes),
            "precision": _Measure(lambda name: Precision(name=name), classes),
            "recall": _Measure(lambda name: Recall(name=name), classes),
            "prediction/mean": _Measure(
                lambda name: Mean(name), lambda batch: batch.mean_of(batch.predictions["logistic"])
            ),
            "label/mean": _Measure(lambda name: Mean(name), labels),
            "accuracy_baseline": _Measure(lambda name: _LargerShare(name), labels),
            **_areas(lambda batch: (batch.labels, batch.predictions["logistic"])),
            **_at_thresholds(self._thresholds, "logistic"),
        }


class MultiClassHead(_WrappingHead):
    """The head of a classifier of three or more classes.

    Args:
        n_classes: int, the number of classes, 3 or more.
        weight_column: as `BinaryClassHead`.
        label_vocabulary: as `BinaryClassHead`.
        loss_reduction: as `BinaryClassHead`.
        loss_fn: as `BinaryClassHead`; None for the softmax cross entropy.
        name: as `BinaryClassHead`.

    Raises:
        ValueError: if an argument has a wrong value.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: object = None,
        label_vocabulary: ListLike | None = None,
        loss_reduction: str = _MEAN,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        kind = _reduction(loss_reduction)
        if isinstance(label_vocabulary, (list, tuple)) and len(label_vocabulary) != n_classes:
            raise ValueError(
                f'"label_vocabulary" does not have "n_classes" items. len(label_vocabulary)={len(label_vocabulary)}, '
                f"n_classes={n_classes}, label_vocabulary={label_vocabulary}"
            )
        super().__init__(
            multi_class_head_of(n_classes, weight_column, label_vocabulary, kind, loss_fn, name), loss_reduction
        )

    def _measures(self) -> dict[str, _Measure]:
        accuracy = _Measure(
            lambda name: Accuracy(name), lambda batch: (batch.labels, batch.predictions["class_ids"], batch.weights)
        )
        return {**_AVERAGE_LOSS, "accuracy": accuracy}


class RegressionHead(_WrappingHead):
    """The head of a regression.

    Args:
        label_dimension: int, the number of numbers of a label.
        weight_column: as `BinaryClassHead`; each number of a label may have a weight of its own.
        loss_reduction: as `BinaryClassHead`.
        loss_fn: as `BinaryClassHead`, with losses of shape [batch, `label_dimension`]; None for the squared error.
        inverse_link_fn: callable of the logits to the predictions; None if they are the same.
        name: as `BinaryClassHead`.

    Raises:
        ValueError: if an argument has a wrong value.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: object = None,
        loss_reduction: str = _MEAN,
        loss_fn: Callable[..., Any] | None = None,
        inverse_link_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        kind = _reduction(loss_reduction)
        super().__init__(
            RegressionHeadOfLogits(label_dimension, weight_column, kind, loss_fn, inverse_link_fn, name),
            loss_reduction,
        )

    def _measures(self) -> dict[str, _Measure]:
        return {
            **_AVERAGE_LOSS,
            "prediction/mean": _Measure(
                lambda name: Mean(name), lambda batch: batch.mean_of(batch.predictions["predictions"])
            ),
            "label/mean": _Measure(lambda name: Mean(name), lambda batch: batch.mean_of(batch.labels)),
        }


class PoissonRegressionHead(RegressionHead):
    """The head of a regression of counts, whose outputs are the logarithms of their means.

    Args:
        label_dimension: as `RegressionHead`.
        weight_column: as `RegressionHead`.
        loss_reduction: as `BinaryClassHead`.
        compute_full_loss: bool. If True, the loss has the term that depends on the labels alone.
        name: as `BinaryClassHead`.

    Raises:
        ValueError: if an argument has a wrong value.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: object = None,
        loss_reduction: str = _MEAN,
        compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:
        losses = poisson_losses(compute_full_loss)
        super().__init__(label_dimension, weight_column, loss_reduction, losses, exp, name)


class LogisticRegressionHead(RegressionHead):
    """The head of a regression of chances, whose outputs are log odds.

    Args:
        weight_column: as `BinaryClassHead`.
        loss_reduction: as `BinaryClassHead`.
        name: as `BinaryClassHead`.

    Raises:
        ValueError: if an argument has a wrong value.
    """

    def __init__(self, weight_column: object = None, loss_reduction: str = _MEAN, name: str | None = None) -> None:
        super().__init__(1, weight_column, loss_reduction, logistic_losses, sigmoid, name)


class MultiLabelHead(_WrappingHead):
    """The head of a classifier of examples that belong to any number of classes.

    Args:
        n_classes: int, the number of classes, 2 or more.
        weight_column: as `BinaryClassHead`.
        thresholds: as `BinaryClassHead`.
        label_vocabulary: list of str, the names of the classes; labels are then a SparseTensor of names. None if they
            are a SparseTensor of numbers, or an integer Tensor of zeros and ones.
        loss_reduction: as `BinaryClassHead`.
        loss_fn: as `BinaryClassHead`.
        classes_for_class_based_metrics: list of int or of str, the classes with metrics of their own, or None.
        name: as `BinaryClassHead`.

    Raises:
        ValueError: if an argument has a wrong value.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: object = None,
        thresholds: Iterable[float] | None = None,
        label_vocabulary: ListLike | None = None,
        loss_reduction: str = _MEAN,
        loss_fn: Callable[..., Any] | None = None,
        classes_for_class_based_metrics: ListLike | None = None,
        name: str | None = None,
    ) -> None:
        kind = _reduction(loss_reduction)
        inner = MultiLabelHeadOfLogits(
            n_classes, weight_column, thresholds, label_vocabulary, kind, loss_fn, classes_for_class_based_metrics, name
        )
        super().__init__(inner, loss_reduction)
        self._of_labels = inner

    def _measures(self) -> dict[str, _Measure]:
        found = {
            **_AVERAGE_LOSS,
            **_areas(lambda batch: (batch.labels, batch.predictions["probabilities"])),
            **_at_thresholds(self._of_labels.thresholds, "probabilities"),
        }
        for one in self._of_labels.measured:
            found.update(_of_class(one, self._of_labels.class_key(one)))
        return found
