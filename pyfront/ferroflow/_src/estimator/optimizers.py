"""The optimizers that estimators accept by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.training.adagrad import AdagradOptimizer
from ferroflow._src.training.adam import AdamOptimizer
from ferroflow._src.training.ftrl import FtrlOptimizer
from ferroflow._src.training.gradient_descent import GradientDescentOptimizer
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.training.rms_prop import RMSPropOptimizer

_OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}


def optimizer_of(given: Any, learning_rate: float) -> Any:
    """Returns an optimizer, or that of a name with a learning rate, or what a callable gives.

    Args:
        given: Optimizer, str or callable without arguments.
        learning_rate: float, for one that is given by its name.

    Raises:
        ValueError: if the name is unknown, or `given` is neither a name, an optimizer nor a callable.
    """
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise ValueError(f"Unsupported optimizer name: {given}. Supported names are: {tuple(sorted(_OPTIMIZERS))}")
        return _OPTIMIZERS[given](learning_rate=learning_rate)
    if callable(given):
        given = given()
    if not isinstance(given, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {given}")
    return given


def get_optimizer_instance(opt: Any, learning_rate: float | None = None) -> Any:
    """Returns an optimizer, or that of a name with a learning rate.

    Args:
        opt: Optimizer, str or callable without arguments.
        learning_rate: float, for one that is given by its name.

    Raises:
        ValueError: if the name is unknown or has no learning rate, or `opt` is neither a name nor an optimizer.
    """
    if isinstance(opt, str) and opt in _OPTIMIZERS and not learning_rate:
        raise ValueError("learning_rate must be specified when opt is string.")
    return optimizer_of(opt, learning_rate or 0.0)
