"""`tf.estimator.MultiHead`: several heads whose losses add up."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import ListLike
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.multi_head import checked_heads, merged_outputs, split_logits
from ferroflow._src.estimator.public_heads import Head, keras_train_op
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.keras.metric_means import Mean
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math.arithmetic import add_n, multiply
from ferroflow._src.summary.values import scalar


def _no_step(loss: Tensor) -> Operation:
    del loss
    return no_op()


class MultiHead(Head):
    """Several heads, each with logits and labels under its name, whose losses add up.

    Args:
        heads: list of heads with names.
        head_weights: list of float, the factor of each head's loss, or None.

    Raises:
        ValueError: if there are no heads, a head has no name, or there are not as many weights as heads.
    """

    def __init__(self, heads: Any, head_weights: ListLike | None = None) -> None:
        self._heads, self._head_weights = checked_heads(heads, head_weights)

    @property
    def name(self) -> str:
        return "_".join(head.name for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        return sum(head.logits_dimension for head in self._heads)

    @property
    def loss_reduction(self) -> str:
        """The way in which the losses of a batch become one, the same for all heads.

        Raises:
            ValueError: if the heads have different ones.
        """
        kinds = [head.loss_reduction for head in self._heads]
        if len(set(kinds)) > 1:
            raise ValueError(f"The loss_reduction must be the same for different heads. Given: {kinds}")
        return str(kinds[0])

    def _parts(self, logits: Any, labels: Any = None) -> dict[str, Any]:
        """Returns the logits by head, and checks that there are logits and labels of all."""
        if labels is not None and not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        for what, given in (("logits", logits), ("labels", labels)):
            missing = [head.name for head in self._heads if isinstance(given, dict) and head.name not in given]
            if missing:
                raise ValueError(f"{what} has missing values for head(s): {missing}")
        return split_logits(logits, self._heads)

    def loss(
        self, labels: Any, logits: Any, features: Any = None, mode: Any = None, regularization_losses: Any = None
    ) -> Tensor:
        parts = self._parts(logits, labels)
        losses = [
            head.loss(logits=parts[head.name], labels=labels[head.name], features=features, mode=mode)
            for head in self._heads
        ]
        with name_scope("merge_losses"):
            if self._head_weights:
                losses = [multiply(loss, weight) for loss, weight in zip(losses, self._head_weights, strict=True)]
            return add_n([*losses, *(regularization_losses or ())])

    def predictions(self, logits: Any, keys: Any = None) -> dict[Any, Tensor]:
        parts = self._parts(logits)
        with name_scope("merge_pred"):
            return {
                (head.name, key): value
                for head in self._heads
                for key, value in head.predictions(logits=parts[head.name]).items()
            }

    def metrics(self, regularization_losses: Any = None) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if regularization_losses is not None:
            found[f"regularization_loss/{self.name}"] = Mean("regularization_loss")
        with name_scope("merge_eval"):
            for head in self._heads:
                found[f"loss/{head.name}"] = Mean(f"loss/{head.name}")
        return found

    def update_metrics(
        self, eval_metrics: Any, features: Any, logits: Any, labels: Any, regularization_losses: Any = None
    ) -> dict[str, Any]:
        parts = self._parts(logits, labels)
        if regularization_losses is not None:
            eval_metrics[f"regularization_loss/{self.name}"].update_state(add_n(list(regularization_losses)))
        for head in self._heads:
            own, given = parts[head.name], labels[head.name]
            loss = head.loss(logits=own, labels=given, features=features)
            eval_metrics[f"loss/{head.name}"].update_state(loss)
            eval_metrics.update(head.update_metrics(head.metrics(), features, own, given))
        return dict(eval_metrics)

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
        """Returns the EstimatorSpec of a model in one mode; keys of predictions are pairs of head and name.

        Args:
            features: dict of Tensors of any dtypes and shapes, among them those of weights.
            mode: one of `ModeKeys`.
            logits: float Tensor of shape [batch, `logits_dimension`], or dict of those of the heads.
            labels: dict of Tensors of any dtypes, of shape [batch] or [batch, n]; None to predict.
            optimizer: optimizer of `tf.keras.optimizers`; to train, either this or `train_op_fn`.
            trainable_variables: list of Variables of float dtypes, which the optimizer updates.
            train_op_fn: callable of the loss to the Operation of a training step.
            update_ops: list of Operations that run with each step, or None.
            regularization_losses: list of float Tensors of shape [] that are added to the loss, or None.

        Returns:
            EstimatorSpec.

        Raises:
            ValueError: if the mode is unknown, or logits or labels of a head are missing; to train, also if not exactly
                one of `optimizer` and `train_op_fn` is given.
        """
        with name_scope(self.name, "multi_head"):
            parts = self._parts(logits, labels)
            predictions: Any = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                specs = [
                    head.create_estimator_spec(
                        features=features, mode=mode, logits=parts[head.name], train_op_fn=_no_step
                    )
                    for head in self._heads
                ]
                outputs = merged_outputs([head.name for head in self._heads], specs)
                return EstimatorSpec(mode, predictions, export_outputs=outputs)
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.update_metrics(
                    self.metrics(regularization_losses), features, logits, labels, regularization_losses
                )
                return EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
            if mode != ModeKeys.TRAIN:
                raise ValueError(f"mode={mode} unrecognized")
            for head in self._heads:
                # The spec of a head writes its summaries.
                head.create_estimator_spec(
                    features=features,
                    mode=mode,
                    logits=parts[head.name],
                    labels=labels[head.name],
                    train_op_fn=_no_step,
                )
            step = keras_train_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        with name_scope(""):
            scalar("loss", loss)
            if regularization_losses is not None:
                scalar("regularization_loss", add_n(list(regularization_losses)))
        return EstimatorSpec(mode, predictions, loss, step)
