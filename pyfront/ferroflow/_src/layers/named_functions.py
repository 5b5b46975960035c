"""Activations and initializers that layers take by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.nn import activation
from ferroflow._src.ops.nn.softmax import softmax
from ferroflow._src.variables import initializers


def _hard_sigmoid(x: Any) -> Any:
    return clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


_ACTIVATIONS: dict[str, Callable[..., Any] | None] = {
    "elu": activation.elu,
    "hard_sigmoid": _hard_sigmoid,
    "linear": None,
    "relu": activation.relu,
    "selu": activation.selu,
    "sigmoid": activation.sigmoid,
    "softmax": softmax,
    "softplus": activation.softplus,
    "softsign": activation.softsign,
    "tanh": activation.tanh,
}

_INITIALIZERS: dict[str, Callable[..., Any]] = {
    "constant": initializers.Constant,
    "glorot_normal": initializers.GlorotNormal,
    "glorot_uniform": initializers.GlorotUniform,
    "he_normal": initializers.he_normal,
    "he_uniform": initializers.he_uniform,
    "identity": initializers.Identity,
    "lecun_normal": initializers.lecun_normal,
    "lecun_uniform": initializers.lecun_uniform,
    "ones": initializers.Ones,
    "orthogonal": initializers.Orthogonal,
    "random_normal": initializers.RandomNormal,
    "random_uniform": initializers.RandomUniform,
    "truncated_normal": initializers.TruncatedNormal,
    "variance_scaling": initializers.VarianceScaling,
    "zeros": initializers.Zeros,
}


def _named(kind: str, functions: Mapping[str, Any], name: str) -> Any:
    if name not in functions:
        raise ValueError(f"Unknown {kind}:{name}. Known are {', '.join(sorted(functions))}.")
    return functions[name]


def activation_of(given: Any) -> Callable[..., Any] | None:
    """Returns an activation: what is given, or that of a name, or None.

    Raises:
        ValueError: if the name is unknown.
        TypeError: if the argument is not callable.
    """
    function: Callable[..., Any] | None
    if isinstance(given, str):
        function = _named("activation function", _ACTIVATIONS, given)
        return function
    if given is not None and not callable(given):
        raise TypeError(f"Could not interpret activation function identifier: {given}")
    function = given
    return function


def initializer_of(given: Any) -> Any:
    """Returns an initializer: what is given, or a new one of a name.

    Raises:
        ValueError: if the name is unknown.
    """
    return _named("initializer", _INITIALIZERS, given)() if isinstance(given, str) else given
