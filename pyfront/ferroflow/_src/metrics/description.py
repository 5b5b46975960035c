"""Documentation that metrics share: their arguments and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ferroflow._src.base.docstrings import document

_Metric = TypeVar("_Metric", bound=Callable[..., Any])

_ARGUMENTS = {
    "labels": "Tensor of the dtype and shape of `predictions`; a last dimension of size 1 may be there or not.",
    "predictions": "Tensor of a number dtype, of any shape.",
    "values": "Tensor of a real number dtype, of any shape.",
    "thresholds": "list of float, in [0, 1].",
    "num_classes": "int.",
    "num_thresholds": "int, over how many thresholds, spread evenly over [0, 1], it is computed.",
    "weights": "Tensor of shape [], or of the weighted values' rank, each dimension 1 or equal to theirs; None for 1.",
    "metrics_collections": "list of str, or str, keys of the collections that the value is put into, or None.",
    "updates_collections": "list of str, or str, keys of the collections that the update is put into, or None.",
    "name": "str, name of the variable scope.",
}
_RETURNS = """Returns:
    (value, update), of {result}. The update adds the batch to the metric's variables, which are in
    `GraphKeys.LOCAL_VARIABLES` and `GraphKeys.METRIC_VARIABLES`, and gives the value with the batch; the value
    alone adds nothing.

Raises:
    ValueError: if the shapes are known to be incompatible{more}.
"""


def described(
    result: str = "Tensors of float32, of shape []", fails: str = "", **arguments: str
) -> Callable[[_Metric], _Metric]:
    """Completes the docstring of a metric with its arguments, its results and its errors.

    Args:
        result: str, what dtype and shape the results have.
        fails: str, for what else than shapes a ValueError is raised.
        **arguments: str, what an argument is where it is not what it is in other metrics.

    Returns:
        A decorator.
    """
    known = {**_ARGUMENTS, **arguments}

    def decorate(metric: _Metric) -> _Metric:
        code = metric.__code__
        lines = [f"    {name}: {known[name]}" for name in code.co_varnames[: code.co_argcount]]
        ending = _RETURNS.format(result=result, more=f", or {fails}" if fails else "")
        document(metric, metric.__doc__, "\n".join(["Args:", *lines]), ending)
        return metric

    return decorate
