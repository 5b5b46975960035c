"""Parts of a compiled model: its losses, its metrics, and the placeholders of labels and weights."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import metrics as metrics_by_name
from ferroflow._src.keras.by_name import get_loss, get_metric
from ferroflow._src.keras.loss_classes import Loss, LossOfFunction, compute_weighted_loss, reduced
from ferroflow._src.keras.metric_base import Metric
from ferroflow._src.keras.metric_means import Mean, MeanOfFunction
from ferroflow._src.keras.settings import floatx
from ferroflow._src.layers.layer import rename
from ferroflow._src.metrics.accumulation import match_weights
from ferroflow._src.ops.array.making import placeholder, placeholder_with_default
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.ops.math.cast import cast


class Compilation:
    """The losses and metrics of a network's outputs.

    Args:
        outputs: list of Tensor.
        names: list of str, the outputs' names.
        masks: list of Tensors of bool, of shape [batch, steps], the steps of each output that count, or None for all.
        added_losses: list of Tensor, of shape []: added to the loss.
        loss: as `Model.compile`.
        metrics: as `Model.compile`.
        loss_weights: as `Model.compile`.
        sample_weight_mode: as `Model.compile`.
        weighted_metrics: as `Model.compile`.
        target_tensors: as `Model.compile`.

    Attributes:
        functions: list of each output's loss function, or None.
        targets: list of each output's labels, Tensor, or None if it has no loss.
        modes: list of each output's `sample_weight_mode`.
        fed: list of the numbers of the outputs whose labels are fed.
        names: list of str, the names of the loss and the metrics.
        stateful: list of the metrics.
        loss_means: list of the metrics of the outputs' losses, if there are several outputs.

    Raises:
        ValueError: if a name is unknown, there are more or fewer losses than outputs, or there is nothing to minimize.
    """

    def __init__(
        self,
        outputs: Sequence[Tensor],
        names: Sequence[str],
        masks: Sequence[Tensor | None],
        added_losses: Sequence[Any],
        loss: Any,
        metrics: Any,
        loss_weights: Any,
        sample_weight_mode: Any,
        weighted_metrics: Any,
        target_tensors: Any,
    ) -> None:
        self._outputs, self._output_names, self._masks = outputs, names, masks
        self._added_losses = added_losses
        self.functions = _loss_functions(loss, names)
        self.modes = (
            [None] * len(names)
            if sample_weight_mode is None
            else by_output(sample_weight_mode, names, True, "sample_weight_mode")
        )
        unknown = [mode for mode in self.modes if mode not in (None, "temporal")]
        if unknown:
            raise ValueError(f'sample_weight_mode should be None or "temporal", but is {unknown[0]!r}')
        self.targets: list[Any] = []
        self.fed: list[int] = []
        unset = target_tensors is None or (isinstance(target_tensors, list) and not target_tensors)
        self._prepare_targets(
            [None] * len(names) if unset else by_output(target_tensors, names, False, "target_tensors")
        )
        scales = [1.0] * len(names) if loss_weights is None else by_output(loss_weights, names, False, "loss_weights")
        self._scales = [1.0 if x is None else x for x in scales]
        self.names = ["loss"]
        self.loss_means: list[Metric] = []
        # For each output its metrics, and those that use weights.
        self._metrics: list[tuple[list[Metric], list[Metric]]] = []
        self._make_metrics(_metrics_by_output(metrics, names), _metrics_by_output(weighted_metrics, names))
        self.stateful = [metric for both in self._metrics for of_output in both for metric in of_output]
        self._results = self._computed(0, [None] * len(names))
        # The losses and weighted metrics without and with weights, which are made when they are first needed.
        self._variants: dict[bool, Weighing] = {}
        self.use_weights(any(mode is not None for mode in self.modes))

    def use_weights(self, weighted: bool) -> Weighing:
        """Makes the total loss and the weighted metrics depend on weights, or not.

        Args:
            weighted: bool. If True, the weights of examples or steps are fed.

        Returns:
            Weighing.

        Raises:
            ValueError: if the weights cannot be broadcast to a loss.
        """
        if weighted not in self._variants:
            self._variants[weighted] = self._weighing(weighted)
        self._now = self._variants[weighted]
        return self._now

    @property
    def weights(self) -> list[Any]:
        """For each output its sample weights, a Tensor, or None without weights."""
        return self._now.weights

    @property
    def total_loss(self) -> Any:
        """The Tensor, of shape [], that is minimized."""
        return self._now.total_loss

    @property
    def tensors(self) -> list[Tensor]:
        """The values of the metrics, Tensors of shape [], in the order of `names` without the loss."""
        return self._now.tensors

    def _prepare_targets(self, given: Sequence[Any]) -> None:
        for i, (name, output, function) in enumerate(
            zip(self._output_names, self._outputs, self.functions, strict=True)
        ):
            target = given[i]
            if function is None:
                target = None
            elif target is None:
                target = placeholder(
                    output.dtype, shape=[None] * (output.get_shape().ndims or 0), name=f"{name}_target"
                )
            if target is not None and target.op.type == "Placeholder":
                self.fed.append(i)
            self.targets.append(target)

    def _make_metrics(self, plain: Sequence[Any], weighted: Sequence[Any]) -> None:
        several = len(self._outputs) > 1
        losses = [f"{name}_loss" for name, f in zip(self._output_names, self.functions, strict=True) if f is not None]
        if several:
            self.names.extend(losses)
        made = [
            [
                [self._metric(metric, i) for metric in given[i]] if function is not None else []
                for given in (plain, weighted)
            ]
            for i, function in enumerate(self.functions)
        ]
        for i, (plain_ones, weighted_ones) in enumerate(made):
            for prefix, titled in (("", plain_ones), ("weighted_", weighted_ones)):
                for title, metric in titled:
                    self._name_metric(prefix + title, i)
                    rename(metric, self.names[-1])
            self._metrics.append(([metric for _, metric in plain_ones], [metric for _, metric in weighted_ones]))
        self.loss_means = [Mean(name) for name in losses] if several else []

    def _metric(self, given: Any, i: int) -> tuple[str, Metric]:
        title, compute = _metric_of(given, self.functions[i], self._outputs[i])
        return title, compute if isinstance(compute, Metric) else MeanOfFunction(compute, title)

    def _computed(self, kind: int, weights: Sequence[Any]) -> dict[Metric, Tensor]:
        """Returns the values of the metrics of a kind: 0 for those without weights, 1 for the others."""
        found = {}
        with name_scope("metrics"):
            for i, metrics in enumerate(self._metrics):
                for metric in metrics[kind]:
                    with name_scope(metric.name):
                        found[metric] = metric(self.targets[i], self._outputs[i], self._with_mask(weights[i], i))
        return found

    def _weighing(self, weighted: bool) -> Weighing:
        weights = [
            self._placeholder_of_weights(i) if weighted and i in self.fed else None for i in range(len(self.targets))
        ]
        results = {**self._results, **self._computed(1, weights)}
        means: list[Tensor] = []
        with name_scope("loss"):
            total = self._total(weights, means)
        return Weighing(weights, total, [*means, *(results[metric] for metric in self.stateful)])

    def _placeholder_of_weights(self, i: int) -> Tensor:
        rank = 2 if self.modes[i] == "temporal" else 1
        one = constant(np.ones([1] * rank), floatx())
        return placeholder_with_default(one, shape=[None] * rank, name=f"{self._output_names[i]}_sample_weights")

    def _total(self, weights: Sequence[Any], means: list[Tensor]) -> Any:
        total: Any = None
        made_means = iter(self.loss_means)
        for i, (name, function) in enumerate(zip(self._output_names, self.functions, strict=True)):
            if function is None:
                continue
            with name_scope(f"{name}_loss"):
                of_output = self._objective(function, i, weights[i])
            if self.loss_means:
                means.append(next(made_means)(of_output))
            total = self._scales[i] * of_output if total is None else total + self._scales[i] * of_output
        if total is None and not self._added_losses:
            raise ValueError("The model cannot be compiled because it has no loss to optimize.")
        if self._added_losses:
            added = add_n(self._added_losses)
            total = 0.0 + added if total is None else total + added
        return total

    def _name_metric(self, title: str, output: int) -> None:
        base = f"{self._output_names[output]}_{title}" if len(self._outputs) > 1 else title
        name, count = base, 0
        while name in self.names:
            count += 1
            name = f"{base}_{count}"
        self.names.append(name)

    def _objective(self, function: Any, i: int, weights: Any) -> Tensor:
        """Returns the loss of an output: steps that do not count have the weight 0."""
        loss = function if isinstance(function, Loss) else LossOfFunction(function)
        weights = self._with_mask(weights, i)
        losses = loss.call(self.targets[i], self._outputs[i])
        return reduced(compute_weighted_loss(losses, weights, "none"), loss.reduction)

    def _with_mask(self, weights: Any, i: int) -> Any:
        """Returns weights that are 0 where an output does not count."""
        mask = self._masks[i]
        if mask is None:
            return weights
        counts = cast(mask, self._outputs[i].dtype)
        return counts if weights is None else match_weights(counts, weights) * counts


@dataclasses.dataclass(frozen=True)
class Weighing:
    """The losses and metrics of a model with weights of examples or steps, or without.

    Args:
        weights: list of each output's weights, Tensor, or None.
        total_loss: Tensor of shape [].
        tensors: list of Tensor, of shape [], the metrics without the loss.
    """

    weights: list[Any]
    total_loss: Any
    tensors: list[Tensor]


def _plain(loss: Any) -> Any:
    """Returns the function of labels and predictions behind a loss that is an object."""
    return loss.plain if isinstance(loss, LossOfFunction) else loss


def by_output(given: Any, names: Sequence[str], repeats: bool, what: str) -> list[Any]:
    """Returns the values for outputs, in their order.

    Args:
        given: list of values, dict of them by name, or one value.
        names: the outputs' names.
        repeats: bool. If True, one value is that of all outputs.
        what: str, the name for messages.

    Raises:
        ValueError: if a name is unknown, or the number of values is wrong.
    """
    if isinstance(given, dict):
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise ValueError(
                f"Unknown entries in {what} dictionary: {unknown}. Only expected following keys: {list(names)}"
            )
        return [given.get(name) for name in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(
                f"When passing a list as {what}, it should have one entry per model "
                f"output{'s' if what == 'loss' else ''}. The model has {len(names)} outputs, but you passed "
                f"{what}={list(given)}"
            )
        return list(given)
    if not repeats and len(names) > 1:
        raise ValueError(f"The model has {len(names)} outputs, {list(names)}; give a list or a dict, not {given}")
    return [given] * len(names)


def _loss_functions(loss: Any, names: Sequence[str]) -> list[Any]:
    if isinstance(loss, dict):
        for name in names:
            if name not in loss:
                tf_logging.warning(
                    'Output "%s" missing from loss dictionary: it has no loss, and takes no labels.', name
                )
    return [get_loss(x) for x in by_output(loss, names, True, "loss")]


def _metrics_by_output(metrics: Any, names: Sequence[str]) -> list[list[Any]]:
    if isinstance(metrics, dict) or (isinstance(metrics, (list, tuple)) and any(isinstance(x, list) for x in metrics)):
        found = [[] if given is None else given for given in by_output(metrics, names, True, "metrics")]
    elif metrics is None or isinstance(metrics, (list, tuple)):
        found = [metrics or []] * len(names)
    else:
        raise TypeError(f"Type of `metrics` argument not understood. Expected a list or dictionary, found: {metrics}")
    return [list(x) if isinstance(x, (list, tuple)) else [x] for x in found]


def _metric_of(given: Any, loss: Any, output: Tensor) -> tuple[str, Callable[..., Any]]:
    """Returns a metric's name and function."""
    width = output.get_shape()[-1].value
    if given is None:
        raise ValueError("Could not interpret metric function identifier: None")
    if given in ("accuracy", "acc"):
        return "acc", metrics_by_name.accuracy_for(_plain(loss), width)
    if given in ("crossentropy", "ce"):
        return "ce", metrics_by_name.crossentropy_for(_plain(loss), width)
    function = get_metric(given)
    return str(getattr(function, "name", None) or getattr(function, "__name__", type(function).__name__)), function
