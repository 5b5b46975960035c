"""Heads of `tf.contrib.learn` that combine others, or only add a loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.typing import ListLike
from ferroflow._src.contrib.learn.heads import Head, check_mode, checked_train_op_fn, summarize_loss
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.arithmetic import add_n, multiply
from ferroflow._src.variables.scope import variable_scope

__all__ = ["loss_only_head", "multi_head", "no_op_train_fn"]


@deprecated("lambda loss: tf.no_op()")
def no_op_train_fn(loss: Any) -> Operation:
    """Returns an operation that does nothing, as the training step of a head whose loss is minimized elsewhere.

    Args:
        loss: Tensor of float32, of shape [], not used.

    Returns:
        Operation.
    """
    return no_op()


class _LossOnlyHead(Head):
    """A head without labels and predictions, which adds a loss."""

    def __init__(self, loss_fn: Callable[[], Any], head_name: str | None = None) -> None:
        self._loss_fn = loss_fn
        self.head_name = head_name or "loss_only_head"

    @property
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits: 0."""
        return 0

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
        """Adds the loss to the graph, and for training the step."""
        check_mode(mode)
        loss = train_op = None
        if mode != ModeKeys.INFER:
            with variable_scope(scope, self.head_name):
                loss = self._loss_fn()
                if isinstance(loss, list):
                    loss = add_n(loss)
                summarize_loss(loss, self.head_name)
                if mode == ModeKeys.TRAIN:
                    step = checked_train_op_fn(train_op_fn)
                    with name_scope(None, "train_op", [loss]):
                        train_op = step(loss)
        return ModelFnOps(mode=mode, loss=loss, train_op=train_op, predictions={}, eval_metric_ops={})


class _MultiHead(Head):
    """A head of several heads, whose losses add up."""

    def __init__(self, heads: Iterable[Any], loss_weights: ListLike | None) -> None:
        self._heads = list(heads)
        if any(not head.head_name for head in self._heads):
            raise ValueError("Members of MultiHead must have names.")
        self._loss_weights = loss_weights

    @property
    def logits_dimension(self) -> int:
        """The sum of the heads' dimensions, an int."""
        return sum(head.logits_dimension for head in self._heads)

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
        """Adds all heads to the graph; predictions have pairs of head and key as keys."""
        check_mode(mode)
        made = []
        for head, own in zip(self._heads, self._divided(logits), strict=True):
            given = {"logits_input": logits_input} if logits is None else {"logits": own}
            ops = head.create_model_fn_ops(
                features=features, mode=mode, labels=labels, train_op_fn=lambda _: no_op(), scope=scope, **given
            )
            made.append((head, ops))
        if mode == ModeKeys.INFER:
            predicting = [(head, ops) for head, ops in made if not isinstance(head, _LossOnlyHead)]
            return ModelFnOps(
                mode=mode,
                predictions=_by_head(predicting),
                output_alternatives={
                    head.head_name: ops.output_alternatives[head.head_name] for head, ops in predicting
                },
            )
        if mode == ModeKeys.TRAIN:
            train_op_fn = checked_train_op_fn(train_op_fn)
        loss = self._total([ops.loss for _, ops in made])
        metrics = {key: metric for _, ops in made for key, metric in (ops.eval_metric_ops or {}).items()}
        if mode == ModeKeys.EVAL or train_op_fn is None:
            return ModelFnOps(mode=mode, predictions=_by_head(made), loss=loss, eval_metric_ops=metrics)
        step = group(train_op_fn(loss), *(ops.train_op for _, ops in made))
        return ModelFnOps(mode=mode, loss=loss, train_op=step, eval_metric_ops=metrics)

    def _divided(self, logits: Any) -> list[Any]:
        """Returns each head's part of the logits."""
        if logits is None:
            return [None] * len(self._heads)
        if isinstance(logits, dict):
            return [None if isinstance(head, _LossOnlyHead) else logits[head.head_name] for head in self._heads]
        parts, begin = [], 0
        for head in self._heads:
            parts.append(slice_of(logits, [0, begin], [-1, head.logits_dimension]))
            begin += head.logits_dimension
        return parts

    def _total(self, losses: list[Any]) -> Tensor:
        if self._loss_weights:
            losses = [multiply(loss, weight) for loss, weight in zip(losses, self._loss_weights, strict=True)]
        return add_n(losses)


def _by_head(made: list[tuple[Any, ModelFnOps]]) -> dict[Any, Any]:
    return {(head.head_name, key): value for head, ops in made for key, value in ops.predictions.items()}


def loss_only_head(loss_fn: Callable[[], Any], head_name: str | None = None) -> Head:
    """Returns a head that adds a loss, such as that of a regularization.

    Args:
        loss_fn: function of no arguments that returns a float32 Tensor of shape [], or a list of them to add up.
        head_name: str, the name of the scope; None for "loss_only_head".

    Returns:
        Head.
    """
    return _LossOnlyHead(loss_fn, head_name)


def multi_head(heads: Iterable[Head], loss_weights: ListLike | None = None) -> Head:
    """Returns the head of several heads, whose losses add up.

    Args:
        heads: list of Heads with names.
        loss_weights: list of float, the factor of each head's loss, or None.

    Returns:
        Head, whose predictions have pairs of head and key as keys.

    Raises:
        ValueError: if a head has no name, or there are not as many weights as heads.
    """
    members = list(heads)
    if loss_weights and len(loss_weights) != len(members):
        raise ValueError("heads and loss_weights must have same size")
    return _MultiHead(members, loss_weights)
