"""Metrics of `tf.contrib.learn` with the keys of the values that they compare."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from ferroflow._src.base import tf_logging

__all__ = ["MetricSpec"]

# The arguments of metric functions that get predictions, labels and weights; the first name is the usual one.
_NAMES: Final = {
    "predictions": ("predictions", "prediction", "logits", "logit"),
    "labels": ("labels", "label", "targets", "target"),
    "weights": ("weights", "weight"),
}


def _arguments(function: Callable[..., Any]) -> list[str]:
    if isinstance(function, functools.partial):
        return [name for name in _arguments(function.func) if name not in function.keywords]
    return inspect.getfullargspec(function).args


def _name_of(function: Any) -> str:
    inner = getattr(function, "func", function)
    name: str = getattr(function, "__name__", getattr(inner, "__name__", str(function)))
    return name


def _argument(kind: str, function: Callable[..., Any], is_required: bool) -> str | None:
    """Returns the argument of a function for one of `_NAMES`, or None."""
    names, taken = _NAMES[kind], _arguments(function)
    found = [name for name in names if name in taken]
    if len(found) > 1:
        raise ValueError(f"Ambiguous arguments {found}, must provide only one of {names}.")
    if not found and is_required:
        raise ValueError(f"{names} missing from {_name_of(function)}({taken}).")
    if found and found[0] != kind:
        tf_logging.warning("%s takes %s under the name %s.", _name_of(function), kind, found[0])
    return found[0] if found else None


class MetricSpec:
    """A metric with the keys of the values that it compares.

    Args:
        metric_fn: function that returns a pair of a value and an update. It takes `predictions` (or `prediction`,
            `logits`, `logit`), `labels` (or `label`, `targets`, `target`) and `weights` (or `weight`). Predictions
            go to the first other argument, if there is none of their names.
        prediction_key: str, key of the predictions; None where they are one Tensor.
        label_key: str, key of the labels; None where they are one Tensor.
        weight_key: str, key of the weights in the features, or None.

    Raises:
        ValueError: if the function takes two names of one value, or lacks the argument of a given key.
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        self._function = metric_fn
        self._labels = _argument("labels", metric_fn, label_key is not None)
        self._predictions = _argument("predictions", metric_fn, False)
        self._weights = _argument("weights", metric_fn, weight_key is not None)
        self._prediction_key, self._label_key, self._weight_key = prediction_key, label_key, weight_key

    @property
    def prediction_key(self) -> str | None:
        """The key of the predictions, a str or None."""
        return self._prediction_key

    @property
    def label_key(self) -> str | None:
        """The key of the labels, a str or None."""
        return self._label_key

    @property
    def weight_key(self) -> str | None:
        """The key of the weights, a str or None."""
        return self._weight_key

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """The function of `labels`, `predictions` and `weights`, by these names."""
        return self._call

    def _call(self, labels: Any = None, predictions: Any = None, weights: Any = None) -> Any:
        named: dict[str, Any] = {} if weights is None or self._weights is None else {self._weights: weights}
        values = [] if self._predictions else [predictions]
        if self._predictions:
            named[self._predictions] = predictions
        if self._labels and values and self._labels == _arguments(self._function)[0]:
            values.insert(0, labels)
        elif self._labels:
            named[self._labels] = labels
        return self._function(*values, **named)

    def __str__(self) -> str:
        """Returns the name of the function and the keys, a str."""
        return (
            f"MetricSpec(metric_fn={_name_of(self._function)}, prediction_key={self.prediction_key}, "
            f"label_key={self.label_key}, weight_key={self.weight_key})"
        )

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Adds the metric to the graph.

        Args:
            inputs: dict from str to Tensor of any dtype and shape: the features.
            labels: Tensor, or dict from str to Tensor, of any dtype and shape.
            predictions: Tensor, or dict from str to Tensor, of any dtype and shape.

        Returns:
            The pair of a value and an update that `metric_fn` returns.

        Raises:
            ValueError: if a key is missing and there are several Tensors, or given for a single Tensor.
            KeyError: if a key is not found.
        """
        prediction = _chosen(predictions, self.prediction_key, "prediction")
        label = _chosen(labels, self.label_key, "label")
        return self._call(label, prediction, None if self.weight_key is None else inputs[self.weight_key])


def _chosen(values: Any, key: str | None, kind: str) -> Any:
    if key is None:
        if not isinstance(values, Mapping):
            return values
        if len(values) != 1:
            raise ValueError(
                f"MetricSpec without specified {kind}_key requires {kind}s tensor or single element dict, "
                f"got {sorted(map(str, values))}"
            )
        return next(iter(values.values()))
    if not isinstance(values, Mapping):
        raise ValueError(f"MetricSpec with {kind}_key specified requires {kind}s dict, got {values}.")
    if key not in values:
        raise KeyError(f"Key {key!r} missing from {sorted(map(str, values))}.")
    return values[key]
