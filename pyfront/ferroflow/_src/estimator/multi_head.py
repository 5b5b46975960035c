"""Head of several heads, whose losses add up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.estimator.export_outputs import ExportOutput, PredictOutput
from ferroflow._src.estimator.heads import DEFAULT, PREDICT, BaseHead, LossSpec, train_op_of
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.metrics.averaging import mean
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math.arithmetic import add_n, multiply
from ferroflow._src.summary.values import scalar


def no_step(loss: Tensor) -> Operation:
    """Returns no step, for heads that only compute losses."""
    del loss
    return no_op()


def labels_of(labels: Any, head: Any) -> Any:
    """Returns a head's labels; None where there are none, which the head refuses where it needs them."""
    return None if labels is None else labels[head.name]


def split_logits(logits: Any, heads: Iterable[Any]) -> dict[str, Any]:
    """Returns the logits of each head by its name, from a dict or from one tensor that joins them.

    Args:
        logits: float Tensor of shape [batch, n], or dict of them.
        heads: iterable of heads with names.

    Returns:
        dict of float Tensors of shape [batch, `logits_dimension`].

    Raises:
        ValueError: if the tensor has another number of outputs than the heads together.
    """
    if isinstance(logits, dict):
        return logits
    heads = tuple(heads)
    with name_scope(None, "split_logits"):
        logits = convert_to_tensor(logits)
        sizes = [head.logits_dimension for head in heads]
        shape = logits.get_shape().as_list()
        if shape[-1] not in (None, sum(sizes)):
            raise ValueError(
                f"Could not split logits of shape {shape!r} among the heads with individual logits dimensions: "
                f"{sizes!r}. The last dimension of the logits tensor should equal {sum(sizes)} but is {shape[-1]}."
            )
        found, start = {}, 0
        for head, size in zip(heads, sizes, strict=True):
            found[head.name] = logits[..., start : start + size]
            start += size
        return found


def checked_heads(heads: Any, head_weights: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Returns heads and their weights as tuples; raises ValueError if they do not fit, or a head has no name."""
    if head_weights and len(head_weights) != len(heads):
        raise ValueError(
            "heads and head_weights must have the same size. "
            f"Given len(heads): {len(heads)}. Given len(head_weights): {len(head_weights)}."
        )
    if not heads:
        raise ValueError(f"Must specify heads. Given: {heads}")
    for head in heads:
        if not head.name:
            raise ValueError(f"All given heads must have name specified. Given: {head}")
    return tuple(heads), tuple(head_weights or ())


def merged_outputs(names: list[str], specs: list[EstimatorSpec]) -> dict[str, ExportOutput]:
    """Returns the outputs to export of several heads; the first head's default is the default of all.

    Args:
        names: list of str, the heads' names.
        specs: list of EstimatorSpec, one for each head.

    Returns:
        dict of ExportOutput by the names of signatures.

    Raises:
        ValueError: if the first head has several outputs and no default.
    """
    first = specs[0].export_outputs
    if DEFAULT not in first:
        raise ValueError(
            f"{names[0]} did not specify default export_outputs. Given: {first} Suggested fix: Use one of the heads "
            f"in tf.contrib.estimator, or include key {DEFAULT} in export_outputs."
        )
    outputs = {DEFAULT: first[DEFAULT]}
    joined: dict[str, Any] = {}
    for name, spec in zip(names, specs, strict=True):
        for key, output in spec.export_outputs.items():
            outputs[name if key == DEFAULT else f"{name}/{key}"] = output
            if key == PREDICT and isinstance(output, PredictOutput):
                joined.update({f"{name}/{inner}": value for inner, value in output.outputs.items()})
    outputs[PREDICT] = PredictOutput(joined)
    return outputs


class MultiHeadOfLogits(BaseHead):
    """Several heads, each with logits and labels under its name, whose losses add up.

    Args:
        heads: list of heads with names.
        head_weights: list of float, the factor of each head's loss, or None.

    Raises:
        ValueError: if there are no heads, a head has no name, or there are not as many weights as heads.
    """

    def __init__(self, heads: Any, head_weights: Any = None) -> None:
        self._heads, self._head_weights = checked_heads(heads, head_weights)

    @property
    def name(self) -> str:
        """The names of the heads, with "_" between them."""
        return "_".join(self._names())

    @property
    def logits_dimension(self) -> int:
        """The number of outputs of an example, for all heads."""
        return sum(head.logits_dimension for head in self._heads)

    def _names(self) -> list[str]:
        return [head.name for head in self._heads]

    def _weighted(self, values: list[Any]) -> list[Any]:
        if not self._head_weights:
            return values
        return [multiply(value, weight) for value, weight in zip(values, self._head_weights, strict=True)]

    def _merged(self, losses: list[Any]) -> Tensor:
        with name_scope("merge_losses"):
            return add_n(self._weighted(losses))

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """Returns the losses of a batch: the sum to train with, and dicts by the heads' names.

        Args:
            features: dict of Tensors of any dtypes and shapes, among them those of weights.
            mode: one of `ModeKeys`.
            logits: float Tensor of shape [batch, `logits_dimension`], or dict of those of the heads.
            labels: dict of Tensors of any dtypes, of shape [batch] or [batch, n].

        Returns:
            LossSpec.
        """
        parts = split_logits(logits, self._heads)
        specs = [head.create_loss(features, mode, parts[head.name], labels_of(labels, head)) for head in self._heads]
        names = self._names()
        return LossSpec(
            self._merged([spec.training_loss for spec in specs]),
            dict(zip(names, self._weighted([spec.unreduced_loss for spec in specs]), strict=True)),
            dict(zip(names, self._weighted([spec.weights for spec in specs]), strict=True)),
            dict(zip(names, [spec.processed_labels for spec in specs], strict=True)),
        )

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
        """Returns the EstimatorSpec of a model in one mode; keys of predictions are pairs of head and name.

        Args:
            features: dict of Tensors of any dtypes and shapes, among them those of weights.
            mode: one of `ModeKeys`.
            logits: float Tensor of shape [batch, `logits_dimension`], or dict of those of the heads.
            labels: dict of Tensors of any dtypes, of shape [batch] or [batch, n]; None to predict.
            optimizer: Optimizer; to train, either this or `train_op_fn`.
            train_op_fn: callable of the loss to the Operation of a training step.
            regularization_losses: list of float Tensors of shape [] that are added to the loss, or None.

        Returns:
            EstimatorSpec.

        Raises:
            ValueError: if labels are no dict, or the mode is unknown; also on the same conditions as `HeadOfLogits`.
        """
        parts = split_logits(logits, self._heads)
        if labels is not None and not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT):
            raise ValueError(f"mode={mode} unrecognized")
        specs = [
            head.create_estimator_spec(
                features=features,
                mode=mode,
                logits=parts[head.name],
                labels=labels_of(labels or None, head),
                train_op_fn=no_step,
            )
            for head in self._heads
        ]
        names = self._names()
        predictions: Any = {
            (name, key): value
            for name, spec in zip(names, specs, strict=True)
            for key, value in spec.predictions.items()
        }
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions=predictions, export_outputs=merged_outputs(names, specs))
        metrics: dict[str, Any] = {}
        if mode == ModeKeys.EVAL:
            with name_scope("merge_eval"):
                for name, spec in zip(names, specs, strict=True):
                    metrics[f"loss/{name}"] = mean(spec.loss, name=f"loss/{name}")
                    metrics.update(spec.eval_metric_ops)
        loss = self._merged([spec.loss for spec in specs])
        if regularization_losses:
            loss = add_n([loss, *regularization_losses])
        if mode == ModeKeys.EVAL:
            return EstimatorSpec(mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
        step = train_op_of(loss, optimizer, train_op_fn)
        with name_scope(""):
            scalar("loss", loss)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=step)
