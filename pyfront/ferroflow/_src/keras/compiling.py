"""What a model is compiled to: its losses, its metrics, and the placeholders of labels and weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.keras import metrics as metrics_by_name
from ferroflow._src.keras.base_layer import mask_of
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import not_equal
from ferroflow._src.ops.math.reduction import reduce_mean


def by_output(given: Any, names: list[str], repeats: bool) -> list[Any]:
    """What is given for outputs, in their order."""
    if isinstance(given, dict):
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise ValueError(f"Unknown outputs: {unknown}. The outputs are {names}.")
        return [given.get(name) for name in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(f"The model has {len(names)} outputs, {names}, but {len(given)} were given: {given}")
        return list(given)
    return [given] * len(names) if repeats else [given]


def metric_of(given: Any, loss: Any, output: Tensor) -> tuple[str, Callable[..., Any]]:
    """A metric's name and function."""
    if given in ("accuracy", "acc"):
        return "acc", metrics_by_name.accuracy_for(loss, output.get_shape()[-1].value)
    function = metrics_by_name.get(given)
    return function.__name__, function


def masked(losses: Any, output: Tensor) -> Any:
    """The losses of the steps that count, scaled so that their mean is that of these steps."""
    mask = mask_of(output)
    if mask is None or (losses.get_shape().ndims or 0) < 2:
        return losses
    counts = cast(mask, losses.dtype)
    return losses * counts / reduce_mean(counts)


def weighted(losses: Any, weights: Any) -> Any:
    """The mean of the examples' losses times their weights, over the examples whose weight is not 0."""
    extra = list(range(1, losses.get_shape().ndims or 1))
    of_examples = reduce_mean(losses, axis=extra) if extra else losses
    return reduce_mean(of_examples * weights / reduce_mean(cast(not_equal(weights, 0), weights.dtype)))
