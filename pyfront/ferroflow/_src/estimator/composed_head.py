"""`tf.estimator.Head`, and the EstimatorSpec that a head composes of its loss, predictions and metrics."""

from __future__ import annotations

import abc
from typing import Any

from ferroflow._src.estimator.export_outputs import ExportOutput
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.keras.optimizer_base import Optimizer
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.summary.values import scalar


class Head(abc.ABC):
    """The end of a model: its loss, its predictions and its metrics, from the outputs of its last layer.

    A subclass defines the members below, and `create_estimator_spec`.
    """

    @property
    @abc.abstractmethod
    def name(self) -> str | None:
        """The name of the head, or None."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The number of outputs of an example."""

    @property
    @abc.abstractmethod
    def loss_reduction(self) -> str:
        """The way in which the losses of a batch become one: "sum" or "sum_over_batch_size"."""

    @abc.abstractmethod
    def loss(
        self, labels: Any, logits: Any, features: Any = None, mode: Any = None, regularization_losses: Any = None
    ) -> Tensor:
        """Returns the loss of a batch.

        Args:
            labels: Tensor of any dtype, of shape [batch] or [batch, n].
            logits: float Tensor of shape [batch, `logits_dimension`].
            features: dict of Tensors of any dtypes and shapes, among them that of the weights.
            mode: one of `ModeKeys`.
            regularization_losses: list of float Tensors of shape [] that are added, or None.

        Returns:
            float32 Tensor of shape [].
        """

    @abc.abstractmethod
    def predictions(self, logits: Any, keys: Any = None) -> dict[str, Tensor]:
        """Returns the predictions by name.

        Args:
            logits: float Tensor of shape [batch, `logits_dimension`].
            keys: list of str, the names; None for all.

        Returns:
            dict of Tensors of shape [batch, n].
        """

    @abc.abstractmethod
    def metrics(self, regularization_losses: Any = None) -> dict[str, Any]:
        """Returns new metrics by name.

        Args:
            regularization_losses: list of float Tensors of shape [], or None.

        Returns:
            dict of `tf.keras.metrics.Metric`.
        """

    @abc.abstractmethod
    def update_metrics(
        self, eval_metrics: Any, features: Any, logits: Any, labels: Any, regularization_losses: Any = None
    ) -> dict[str, Any]:
        """Adds a batch to metrics.

        Args:
            eval_metrics: dict of the metrics that `metrics` returned.
            features: dict of Tensors of any dtypes and shapes, among them that of the weights.
            logits: float Tensor of shape [batch, `logits_dimension`].
            labels: Tensor of any dtype, of shape [batch] or [batch, n].
            regularization_losses: list of float Tensors of shape [], or None.

        Returns:
            dict of the metrics.
        """

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Any = None,
        train_op_fn: Any = None,
        update_ops: Any = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        """Returns the EstimatorSpec of a model in one mode.

        Args:
            features: dict of Tensors of any dtypes and shapes, among them that of the weights.
            mode: one of `ModeKeys`.
            logits: float Tensor of shape [batch, `logits_dimension`].
            labels: Tensor of any dtype, of shape [batch] or [batch, n]; None to predict.
            optimizer: optimizer of `tf.keras.optimizers`; to train, either this or `train_op_fn`.
            trainable_variables: list of Variables of float dtypes, which the optimizer updates.
            train_op_fn: callable of the loss to the Operation of a training step.
            update_ops: list of Operations that run with each step, or None.
            regularization_losses: list of float Tensors of shape [] that are added to the loss, or None.

        Returns:
            EstimatorSpec.

        Raises:
            NotImplementedError: if a subclass does not define it.
        """
        raise NotImplementedError("Subclasses of Head must implement `create_estimator_spec()`.")


class ComposedHead(Head):
    """A head whose EstimatorSpec is made of its loss, its predictions and its metrics."""

    _scope = "head"

    def _given(self, logits: Any, labels: Any) -> Any:
        """Returns the logits, checked together with the labels, as the methods below take them."""
        del labels
        return logits

    @abc.abstractmethod
    def _export_outputs(self, features: Any, given: Any, predictions: dict[Any, Tensor]) -> dict[str, ExportOutput]:
        """Returns the outputs to export by the names of their signatures."""

    def _begin_training(self, features: Any, mode: str, given: Any, labels: Any) -> None:
        """Does what a training needs before its step."""

    def _key(self, key: str) -> str:
        return f"{key}/{self.name}" if self.name else key

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Any = None,
        train_op_fn: Any = None,
        update_ops: Any = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        with name_scope(self.name, self._scope):
            given = self._given(logits, labels)
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                outputs = self._export_outputs(features, given, predictions)
                return EstimatorSpec(mode, predictions, export_outputs=outputs)
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.update_metrics(
                    self.metrics(regularization_losses), features, logits, labels, regularization_losses
                )
                return EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
            self._begin_training(features, mode, given, labels)
            step = keras_train_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        with name_scope(""):
            scalar(self._key("loss"), loss)
            if regularization_losses is not None:
                scalar(self._key("regularization_loss"), add_n(list(regularization_losses)))
        return EstimatorSpec(mode, predictions, loss, step)


def keras_train_op(loss: Tensor, optimizer: Any, variables: Any, train_op_fn: Any, update_ops: Any) -> Operation:
    """Returns a step of an optimizer of Keras, or of a function; raises ValueError if not exactly one is given."""
    if update_ops is not None and not isinstance(update_ops, (list, tuple)):
        raise ValueError(f"update_ops should be a list or a tuple. Given type: {type(update_ops)}.")
    with name_scope(""), name_scope("training"):
        if optimizer is not None:
            if train_op_fn is not None:
                raise ValueError("train_op_fn and optimizer cannot both be set.")
            if not isinstance(optimizer, Optimizer):
                raise ValueError(
                    f"The given optimizer is not a tf.keras.optimizers.Optimizer instance. Given: {optimizer}"
                )
            if variables is None:
                raise ValueError(f"trainable_variables cannot be None. Given {variables}")
            if not isinstance(variables, (list, tuple)):
                raise ValueError(f"trainable_variables should be a list or a tuple. Given type: {type(variables)}.")
            moves = optimizer.get_updates(loss, list(variables))
            step: Any = group(*[getattr(move, "op", move) for move in moves])
        elif train_op_fn is not None:
            step = train_op_fn(loss)
        else:
            raise ValueError("train_op_fn and optimizer cannot both be None.")
        found: Operation = step if update_ops is None else group(step, *update_ops)
        return found
