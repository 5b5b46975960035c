"""Functions that make a new estimator, or optimizer, of one that is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.estimator.estimator import Estimator, with_model_fn
from ferroflow._src.estimator.modes import ModeKeys, argument_names
from ferroflow._src.estimator.spec import EstimatorSpec

_ARGUMENTS = ("predictions", "features", "labels", "config")


def add_metrics(estimator: Estimator, metric_fn: Callable[..., Any]) -> Estimator:
    """Returns an estimator whose evaluations have more metrics.

    Args:
        estimator: Estimator.
        metric_fn: callable of those of `predictions`, `features`, `labels` and `config` that it takes. It returns a
            dict from names to pairs of a metric's value and its update; a name that is there is replaced.

    Returns:
        Estimator with the same folder.

    Raises:
        ValueError: if `metric_fn` takes other arguments.

    Example:
        >>> columns = [tf.feature_column.numeric_column("x")]
        >>> estimator = tf.estimator.LinearRegressor(columns, model_dir="model")
        >>> def largest(predictions, labels):
        ...     return {"error": tf.metrics.mean_absolute_error(labels, predictions["predictions"])}
        >>> estimator = tf.estimator.add_metrics(estimator, largest)
        >>> input_fn = lambda: ({"x": tf.constant([[0.0], [0.0]])}, tf.constant([[2.0], [4.0]]))
        >>> print(estimator.evaluate(input_fn, steps=1)["error"])
        3.0
    """
    names = argument_names(metric_fn)
    invalid = sorted(set(names) - set(_ARGUMENTS))
    if invalid:
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {invalid}")

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        given = {"predictions": spec.predictions, "features": features, "labels": labels, "config": config}
        more = metric_fn(**{name: given[name] for name in names})
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **more})

    return with_model_fn(estimator, model_fn, True)
