"""Metrics that layers and models add by `add_metric`, or have as attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.framework.handles import Tensor

# The function that makes a metric of means from its name; the module of that metric registers it.
_mean_maker: list[Callable[[str], Any]] = []


def register_mean(make: Callable[[str], Any]) -> None:
    """Sets the function that makes a metric of the means of values.

    Args:
        make: callable of a name.
    """
    _mean_maker[:] = [make]


def is_metric(value: Any) -> bool:
    """Returns True for a metric with a state."""
    return hasattr(value, "update_state") and hasattr(value, "reset_states")


def metrics_of(owner: Any) -> list[Any]:
    """Returns the metrics that are attributes of a layer or model, then those that it added."""
    attributes = vars(owner)
    own = [value for value in attributes.values() if is_metric(value)]
    return own + [metric for metric in attributes.get("_added_metrics", ()) if all(metric is not one for one in own)]


def result_of(metric: Any) -> Tensor | None:
    """Returns the value of a metric's last call, after its update; None if it has not been called."""
    result: Tensor | None = vars(metric).get("_call_result")
    return result


class AddsMetrics:
    """Base of layers and models that add metrics.

    The list of added metrics is no part of checkpoints, and their variables are no weights, as in TensorFlow 1.15.
    """

    # True for models of inputs and outputs, whose metrics are tensors of the graph.
    _is_graph_network = False

    def add_metric(self, value: Any, aggregation: str | None = None, name: str | None = None) -> None:
        """Adds a metric, which `fit` and `evaluate` compute and show.

        Args:
            value: Tensor of a number dtype, of any shape: the values; or the result of a call of a
                `tf.keras.metrics.Metric`.
            aggregation: "mean" for the mean of values over batches; None for the result of a metric.
            name: str, name of the metric; None for that of the metric whose result is given.

        Raises:
            ValueError: if `aggregation` or `value` is not one of these, there is no name, or the name stands for
                several metrics.
        """
        if aggregation not in (None, "mean"):
            raise ValueError(
                "We currently support only `mean` sample-wise metric aggregation. You provided "
                f"aggregation=`{aggregation}`"
            )
        metric = getattr(value, "_metric_obj", None)
        if metric is None and name is None:
            raise ValueError(
                "Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), "
                "name='mean_activation', aggregation='mean')`"
            )
        if not isinstance(value, Tensor):
            raise ValueError(f"Expected a symbolic Tensor for the metric value, received: {value}")
        if metric is not None and self._is_graph_network:
            raise ValueError(
                "Using the result of calling a `Metric` object when calling `add_metric` on a Functional Model is not "
                "supported. Please pass the Tensor to monitor directly."
            )
        name = name if metric is None else metric.name
        known = _existing(self, name)
        if aggregation is not None:
            (known or self._with_metric(_mean_maker[0](str(name))))(value)
        elif known is None and metric is not None:
            self._with_metric(metric)
        elif known is None:
            raise ValueError(
                "We do not support adding an aggregated metric result tensor that is not the output of a "
                "`tf.keras.metrics.Metric` metric instance. Pass the result of such an instance, or the values with "
                "`aggregation='mean'`, as in: `self.add_metric(tf.reduce_sum(inputs), name='mean_activation', "
                "aggregation='mean')`"
            )

    def _with_metric(self, metric: Any) -> Any:
        vars(self).setdefault("_added_metrics", []).append(metric)
        return metric


def _existing(owner: Any, name: str | None) -> Any:
    """Returns the metric of a name; None if there is none.

    Raises:
        ValueError: if there are several.
    """
    found = [metric for metric in metrics_of(owner) if metric.name == name]
    if len(found) > 1:
        raise ValueError(
            "Please provide different names for the metrics you have added. "
            f'We found {len(found)} metrics with the name: "{name}"'
        )
    return found[0] if found else None
