"""`HeadOfLogits`: the end of a model, with its loss, its predictions and its metrics."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, NamedTuple

from ferroflow._src.estimator.export_outputs import ExportOutput
from ferroflow._src.estimator.head_checks import (
    called_loss_fn,
    checked_logits,
    checked_loss_fn,
    checked_reduction,
    checked_weights,
)
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_collection, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.weighting import Reduction, compute_weighted_loss
from ferroflow._src.metrics.averaging import mean
from ferroflow._src.ops.array import making
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.summary.values import scalar
from ferroflow._src.training.global_step import get_global_step

DEFAULT, CLASSIFY, REGRESS, PREDICT = "serving_default", "classification", "regression", "predict"


class LossSpec(NamedTuple):
    """Losses of a batch, by a head.

    Attributes:
        training_loss: float32 Tensor of shape [], the weighted loss to train with.
        unreduced_loss: float32 Tensor of shape [batch, n], the losses of the examples.
        weights: float32 Tensor of shape [batch, n], the weights of the examples, or 1.0.
        processed_labels: Tensor of shape [batch, n], the labels as numbers.
    """

    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


class BaseHead(abc.ABC):
    """Interface of heads for estimators; programs may define their own."""

    @property
    @abc.abstractmethod
    def name(self) -> str | None:
        """The name of the head, or None."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The number of outputs of an example."""

    @abc.abstractmethod
    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """Returns the losses of a batch.

        Args:
            features: dict of Tensors of any dtypes and shapes, among them that of the weights.
            mode: one of `ModeKeys`.
            logits: float Tensor of shape [batch, `logits_dimension`].
            labels: Tensor of any dtype, of shape [batch] or [batch, n].

        Returns:
            LossSpec.

        Raises:
            ValueError: if labels or weights have a wrong shape or dtype.
        """

    @abc.abstractmethod
    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Any = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        """Returns the EstimatorSpec of a model in one mode.

        Args:
            features: dict of Tensors of any dtypes and shapes, among them that of the weights.
            mode: one of `ModeKeys`.
            logits: float Tensor of shape [batch, `logits_dimension`].
            labels: Tensor of any dtype, of shape [batch] or [batch, n]; None to predict.
            optimizer: Optimizer; to train, either this or `train_op_fn`.
            train_op_fn: callable of the loss to the Operation of a training step.
            regularization_losses: list of float Tensors of shape [] that are added to the loss, or None.

        Returns:
            EstimatorSpec.

        Raises:
            ValueError: if labels, weights or logits have a wrong shape or dtype; to train, also if not exactly one of
                `optimizer` and `train_op_fn` is given.
        """


class HeadOfLogits(BaseHead):
    """The end of a model: its loss, its predictions and its metrics, from the outputs of its last layer.

    Args:
        dimension: int, the number of outputs of an example.
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.
        loss_reduction: one of `tf.losses.Reduction` but NONE, how the losses of a batch become one.
        loss_fn: callable of `labels`, `logits` and, if it takes them, `features`, which computes the losses of the
            examples; None for the usual ones.
        name: str, the name scope of the head, which also ends the names of its metrics and summaries; or None.

    Raises:
        ValueError: if `loss_reduction` is not one of the listed values, or `loss_fn` takes other arguments.
    """

    # The losses that an example has, and if each may have a weight of its own.
    _n_losses = 1
    _weighs_logits = False

    def __init__(
        self, dimension: int, weight_column: Any, loss_reduction: str, loss_fn: Any = None, name: str | None = None
    ) -> None:
        self._logits_dimension = dimension
        self._weight_column = weight_column
        self._loss_reduction = checked_reduction(loss_reduction)
        self._loss_fn = checked_loss_fn(loss_fn)
        self._name = name

    @property
    def name(self) -> str | None:
        return self._name

    @property
    def logits_dimension(self) -> int:
        return self._logits_dimension

    @abc.abstractmethod
    def predictions_of(self, logits: Tensor) -> dict[str, Tensor]:
        """Returns the predictions by name."""

    @abc.abstractmethod
    def outputs_of(self, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        """Returns the outputs to export by the names of their signatures."""

    @abc.abstractmethod
    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        """Returns the labels as numbers, checked."""

    @abc.abstractmethod
    def _losses(self, numbers: Tensor, logits: Tensor) -> Tensor:
        """Returns the losses of the examples, of shape [batch, n]."""

    def _metrics(self, labels: Tensor, predictions: dict[str, Tensor], losses: Tensor, weights: Any) -> dict[str, Any]:
        """Returns the metrics by name, each a pair of its value and its update."""
        return {"average_loss": mean(losses, weights=weights, name="average_loss")}

    def _key(self, key: str) -> str:
        return f"{key}/{self._name}" if self._name else key

    def _losses_and_weights(self, features: Any, logits: Tensor, numbers: Tensor) -> tuple[Tensor, Any]:
        if self._loss_fn is None:
            losses = self._losses(numbers, logits)
        else:
            losses = called_loss_fn(self._loss_fn, numbers, logits, features or {}, self._n_losses)
        return losses, checked_weights(self._weight_column, features, logits, self._weighs_logits)

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        logits = convert_to_tensor(logits)
        numbers = self._numbers(labels, logits)
        losses, weights = self._losses_and_weights(features, logits, numbers)
        loss = compute_weighted_loss(losses, weights=weights, reduction=self._loss_reduction)
        return LossSpec(loss, losses, weights, numbers)

    def create_estimator_spec(
        self,
        features: Mapping[str, Any],
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Any = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        with name_scope(self._name, "head"):
            logits = checked_logits(logits, self.logits_dimension)
            with name_scope(None, "predictions", [logits]):
                predictions = self.predictions_of(logits)
            if mode == ModeKeys.PREDICT:
                outputs = self.outputs_of(predictions)
                return EstimatorSpec(mode=mode, predictions=predictions, export_outputs=outputs)
            of_training, losses, weights, numbers = self.create_loss(features, mode, logits, labels)
            penalty = add_n(list(regularization_losses)) if regularization_losses else None
            loss = of_training if penalty is None else add_n([of_training, penalty])
            if mode == ModeKeys.EVAL:
                with name_scope(None, "metrics"):
                    metrics = self._metrics(numbers, predictions, losses, weights)
                    if penalty is not None:
                        metrics["regularization_loss"] = mean(penalty, name="regularization_loss")
                metrics = {self._key(key): pair for key, pair in metrics.items()}
                return EstimatorSpec(mode=mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
            step = _with_updates(train_op_of(loss, optimizer, train_op_fn))
            shown = {"loss": loss}
            if self._loss_reduction == Reduction.SUM:
                shown["average_loss"] = of_training / reduce_sum(weights * making.ones_like(losses))
            if penalty is not None:
                shown["regularization_loss"] = penalty
        with name_scope(""):
            for key, value in shown.items():
                scalar(self._key(key), value)
        return EstimatorSpec(mode=mode, predictions=predictions, loss=loss, train_op=step)


def _with_updates(train_op: Any) -> Any:
    """Returns a training step that also updates the moving averages of layers."""
    updates = get_collection(GraphKeys.UPDATE_OPS)
    return group(train_op, *updates) if updates else train_op


def train_op_of(loss: Tensor, optimizer: Any, train_op_fn: Any) -> Any:
    """Returns a step of an optimizer that counts as a global step, or that of a function.

    Args:
        loss: float Tensor of shape [].
        optimizer: Optimizer, or None.
        train_op_fn: callable of the loss to an Operation, or None.

    Returns:
        Operation.

    Raises:
        ValueError: if not exactly one of the two is given.
    """
    if optimizer is not None:
        if train_op_fn is not None:
            raise ValueError("train_op_fn and optimizer cannot both be set.")
        return optimizer.minimize(loss, global_step=get_global_step())
    if train_op_fn is None:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    return train_op_fn(loss)
