"""`tf.estimator.MultiHead`: several heads whose losses add up."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import ListLike
from ferroflow._src.estimator.composed_head import ComposedHead
from ferroflow._src.estimator.export_outputs import ExportOutput
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.multi_head import checked_heads, labels_of, merged_outputs, no_step, split_logits
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.metric_means import Mean
from ferroflow._src.ops.math.arithmetic import add_n, multiply


class MultiHead(ComposedHead):
    """Several heads, each with logits and labels under its name, whose losses add up.

    Keys of predictions are pairs of a head's name and that of its prediction.

    Args:
        heads: list of heads with names.
        head_weights: list of float, the factor of each head's loss, or None.

    Raises:
        ValueError: if there are no heads, a head has no name, or there are not as many weights as heads.
    """

    _scope = "multi_head"

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
            head.loss(logits=parts[head.name], labels=labels_of(labels, head), features=features, mode=mode)
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
            own, given = parts[head.name], labels_of(labels, head)
            loss = head.loss(logits=own, labels=given, features=features)
            eval_metrics[f"loss/{head.name}"].update_state(loss)
            eval_metrics.update(head.update_metrics(head.metrics(), features, own, given))
        return dict(eval_metrics)

    def _given(self, logits: Any, labels: Any) -> dict[str, Any]:
        return self._parts(logits, labels)

    def _export_outputs(self, features: Any, given: Any, predictions: Any) -> dict[str, ExportOutput]:
        specs = [self._spec_of(head, features, ModeKeys.PREDICT, given, None) for head in self._heads]
        return merged_outputs([head.name for head in self._heads], specs)

    def _begin_training(self, features: Any, mode: str, given: Any, labels: Any) -> None:
        if mode != ModeKeys.TRAIN:
            raise ValueError(f"mode={mode} unrecognized")
        for head in self._heads:
            # The spec of a head writes its summaries.
            self._spec_of(head, features, mode, given, labels)

    def _spec_of(self, head: Any, features: Any, mode: str, given: Any, labels: Any) -> EstimatorSpec:
        """Returns the spec of one head, whose training has no step."""
        spec: EstimatorSpec = head.create_estimator_spec(
            features=features, mode=mode, logits=given[head.name], labels=labels_of(labels, head), train_op_fn=no_step
        )
        return spec

    def _key(self, key: str) -> str:
        return key
