"""Parts of a compiled model: its losses, its metrics, and the placeholders of labels and weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import losses as losses_by_name, metrics as metrics_by_name
from ferroflow._src.keras.by_name import get_loss, get_metric
from ferroflow._src.keras.loss_classes import Loss, LossOfFunction, compute_weighted_loss
from ferroflow._src.keras.metric_base import Metric
from ferroflow._src.keras.metric_means import Mean, MeanOfFunction
from ferroflow._src.layers.layer import rename
from ferroflow._src.metrics.accumulation import match_weights
from ferroflow._src.ops.array.making import placeholder, placeholder_with_default
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_mean


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
        weights: list of each output's sample weights, Tensor, or None if its labels are not fed.
        modes: list of each output's `sample_weight_mode`.
        fed: list of the numbers of the outputs whose labels are fed.
        total_loss: Tensor of shape [].
        names: list of str, the names of the loss and the metrics.
        stateful: list of the metrics.
        unweighted: dict of the outputs' numbers to the reasons why their losses take no weights of examples or steps.
        loss_means: list of the metrics of the outputs' losses, if there are several outputs.
        tensors: list of Tensor, of shape [], the metrics without the loss.

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
        self.functions = _loss_functions(loss, names)
        self.modes = [None] * len(names) if sample_weight_mode is None else by_output(sample_weight_mode, names, True)
        unknown = [mode for mode in self.modes if mode not in (None, "temporal")]
        if unknown:
            raise ValueError(f'sample_weight_mode should be None or "temporal", but is {unknown[0]!r}')
        self.targets: list[Any] = []
        self.weights: list[Any] = []
        self.fed: list[int] = []
        unset = target_tensors is None or (isinstance(target_tensors, list) and not target_tensors)
        self._prepare_targets([None] * len(names) if unset else by_output(target_tensors, names, False))
        self.names, self.tensors = ["loss"], list[Tensor]()
        self.stateful: list[Metric] = []
        self.loss_means: list[Metric] = []
        self.unweighted: dict[int, str] = {}
        scales = [1.0] * len(names) if loss_weights is None else by_output(loss_weights, names, False)
        with name_scope("loss"):
            self.total_loss = self._total([1.0 if x is None else x for x in scales], added_losses)
        with name_scope("metrics"):
            self._add_metrics(_metrics_by_output(metrics, names), _metrics_by_output(weighted_metrics, names))

    def _prepare_targets(self, given: Sequence[Any]) -> None:
        for i, (name, output, function) in enumerate(
            zip(self._output_names, self._outputs, self.functions, strict=True)
        ):
            target, weight = given[i], None
            is_fed = function is not None and (target is None or target.op.type == "Placeholder")
            if function is None:
                target = None
            elif target is None:
                is_sparse = _plain(function) is losses_by_name.sparse_categorical_crossentropy
                shape = output.get_shape().as_list()
                shape = [*shape[:-1], 1] if is_sparse else [None] * len(shape)
                target = placeholder(output.dtype, shape=shape, name=f"{name}_target")
            if is_fed:
                self.fed.append(i)
                rank = 2 if self.modes[i] == "temporal" else 1
                one = np.ones([1] * rank, output.dtype.as_numpy_dtype)
                weight = placeholder_with_default(one, shape=[None] * rank, name=f"{name}_sample_weights")
            self.targets.append(target)
            self.weights.append(weight)

    def _total(self, scales: Sequence[Any], added: Sequence[Any]) -> Any:
        total: Any = None
        for i, (name, function) in enumerate(zip(self._output_names, self.functions, strict=True)):
            if function is None:
                continue
            with name_scope(f"{name}_loss"):
                of_output = self._objective(function, i)
            if len(self._outputs) > 1:
                self.names.append(f"{name}_loss")
                self.loss_means.append(Mean(self.names[-1]))
                self.tensors.append(self.loss_means[-1](of_output))
            total = scales[i] * of_output if total is None else total + scales[i] * of_output
        if total is None and not added:
            raise ValueError("The model cannot be compiled because it has no loss to optimize.")
        for term in added:
            total = term if total is None else total + term
        return total

    def _add_metrics(self, plain: Sequence[Any], weighted: Sequence[Any]) -> None:
        for i, (output, function) in enumerate(zip(self._outputs, self.functions, strict=True)):
            if function is None:
                continue
            for prefix, weights, metrics in (("", None, plain[i]), ("weighted_", self.weights[i], weighted[i])):
                for metric in metrics:
                    title, compute = _metric_of(metric, function, output)
                    self._name_metric(prefix + title, i)
                    made = compute if isinstance(compute, Metric) else MeanOfFunction(compute, self.names[-1])
                    rename(made, self.names[-1])
                    with name_scope(made.name):
                        self._add_stateful(made, i, weights)

    def _add_stateful(self, metric: Metric, i: int, weights: Any) -> None:
        self.tensors.append(metric(self.targets[i], self._outputs[i], self._with_mask(weights, i)))
        self.stateful.append(metric)

    def _name_metric(self, title: str, output: int) -> None:
        base = f"{self._output_names[output]}_{title}" if len(self._outputs) > 1 else title
        name, count = base, 0
        while name in self.names:
            count += 1
            name = f"{base}_{count}"
        self.names.append(name)

    def _objective(self, function: Any, i: int) -> Tensor:
        """Returns the loss of an output: steps that do not count have the weight 0."""
        loss = function if isinstance(function, Loss) else LossOfFunction(function)
        values = convert_to_tensor(loss.call(self.targets[i], self._outputs[i]))
        weights, rank = self.weights[i], values.get_shape().ndims or 0
        if weights is not None and rank > weights.get_shape().ndims + 1:
            self.unweighted[i] = (
                "weights can not be broadcast to values. "
                f"values.rank={rank}. weights.rank={weights.get_shape().ndims}. "
                f"values.shape={values.get_shape()}. weights.shape={weights.get_shape()}."
            )
            weights = None
        total = compute_weighted_loss(values, self._with_mask(weights, i), loss.reduction)
        return total if total.get_shape().ndims == 0 else reduce_mean(total)

    def _with_mask(self, weights: Any, i: int) -> Any:
        """Returns weights that are 0 where an output does not count."""
        mask = self._masks[i]
        if mask is None:
            return weights
        counts = cast(mask, self._outputs[i].dtype)
        return counts if weights is None else counts * cast(match_weights(counts, weights), counts.dtype)


def _plain(loss: Any) -> Any:
    """Returns the function of labels and predictions behind a loss that is an object."""
    return loss.plain if isinstance(loss, LossOfFunction) else loss


def by_output(given: Any, names: Sequence[str], repeats: bool) -> list[Any]:
    """Returns the values for outputs, in their order."""
    if isinstance(given, dict):
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise ValueError(f"Unknown outputs: {unknown}. The outputs are {list(names)}.")
        return [given.get(name) for name in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(f"The model has {len(names)} outputs, {list(names)}, but {len(given)} were given: {given}")
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
    return [get_loss(x) for x in by_output(loss, names, True)]


def _metrics_by_output(metrics: Any, names: Sequence[str]) -> list[list[Any]]:
    if isinstance(metrics, dict) or (isinstance(metrics, (list, tuple)) and any(isinstance(x, list) for x in metrics)):
        found = [[] if given is None else given for given in by_output(metrics, names, True)]
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
