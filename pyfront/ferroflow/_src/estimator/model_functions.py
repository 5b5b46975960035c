"""Model functions: the check of their arguments, and their call with those that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.estimator.modes import argument_names
from ferroflow._src.estimator.spec import EstimatorSpec

_ARGUMENTS = frozenset(("features", "labels", "mode", "params", "config"))


def check_model_fn(model_fn: Callable[..., Any], params: Any) -> None:
    """Checks the arguments of a model function.

    Args:
        model_fn: callable that builds the model.
        params: the parameters that the estimator got, or None.

    Raises:
        ValueError: if the function lacks `features` or a needed `params`, or has an argument that no estimator gives.
    """
    taken = set(argument_names(model_fn))
    if "features" not in taken:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in taken:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to Estimator."
        )
    if params is None and "params" in taken:
        tf_logging.warning(
            "Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.", model_fn
        )
    others = sorted(taken - _ARGUMENTS)
    if others:
        raise ValueError(f"model_fn ({model_fn}) has following not expected args: {others}")


def call_model_fn(model_fn: Callable[..., Any], features: Any, labels: Any, **others: Any) -> EstimatorSpec:
    """Builds a model in the default graph.

    Args:
        model_fn: callable that builds the model.
        features: Tensor of any dtype and shape, or nest of them.
        labels: as `features`, or None.
        **others: the arguments `mode`, `params` and `config`, of which the function gets those that it takes.

    Returns:
        EstimatorSpec of the model.

    Raises:
        ValueError: if there are labels that the function does not take, or the result is no EstimatorSpec.
    """
    taken = argument_names(model_fn)
    if "labels" not in taken and labels is not None:
        raise ValueError("model_fn does not take labels, but input_fn returns labels.")
    given = {"labels": labels, **others}
    tf_logging.info("Calling model_fn.")
    spec = model_fn(features=features, **{name: value for name, value in given.items() if name in taken})
    tf_logging.info("Done calling model_fn.")
    if not isinstance(spec, EstimatorSpec):
        raise ValueError("model_fn should return an EstimatorSpec.")
    return spec
