"""Things that models take by name: activations, initializers, regularizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import abs as absolute
from ferroflow._src.ops.math.elementwise import square
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.activation import elu, relu, selu, sigmoid, softplus, softsign, tanh
from ferroflow._src.ops.nn.softmax import softmax
from ferroflow._src.variables.initializers import (
    Constant,
    GlorotNormal,
    GlorotUniform,
    Identity,
    Ones,
    Orthogonal,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    VarianceScaling,
    Zeros,
)


def find(what: str, given: Any, known: Mapping[str, Any]) -> Any:
    """What a name stands for; a callable and None stand for themselves.

    Raises:
        ValueError: the name is not known, or it is something else.
    """
    if given is None or callable(given):
        return given
    if isinstance(given, str) and given in known:
        return known[given]
    raise ValueError(f"Unknown {what}: {given!r}. Give a callable, or one of {sorted(known)}.")


def linear(x: Any) -> Any:
    """`x`."""
    return x


def hard_sigmoid(x: Any) -> Any:
    """The logistic function by three straight lines: 0.2 x + 0.5 between 0 and 1."""
    return clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


_ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "elu": elu,
    "hard_sigmoid": hard_sigmoid,
    "linear": linear,
    "relu": relu,
    "selu": selu,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "softplus": softplus,
    "softsign": softsign,
    "tanh": tanh,
}


def activation(given: Any) -> Callable[..., Any]:
    """An activation by its name; None for the linear one.

    Raises:
        ValueError: the name is not known.
    """
    found = find("activation", given, _ACTIVATIONS)
    return linear if found is None else found


def he_normal(seed: int | None = None) -> Any:
    """He's normal initializer: a truncated normal of variance 2 / inputs."""
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="normal", seed=seed)


def he_uniform(seed: int | None = None) -> Any:
    """He's uniform initializer: a uniform of variance 2 / inputs."""
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="uniform", seed=seed)


def lecun_normal(seed: int | None = None) -> Any:
    """LeCun's normal initializer: a truncated normal of variance 1 / inputs."""
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="normal", seed=seed)


def lecun_uniform(seed: int | None = None) -> Any:
    """LeCun's uniform initializer: a uniform of variance 1 / inputs."""
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="uniform", seed=seed)


class KerasRandomNormal(RandomNormal):
    """A normal initializer whose standard deviation is 0.05 by default."""

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None, dtype: Any = "float32"
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


class KerasTruncatedNormal(TruncatedNormal):
    """A truncated normal initializer whose standard deviation is 0.05 by default."""

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None, dtype: Any = "float32"
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


class KerasRandomUniform(RandomUniform):
    """A uniform initializer between -0.05 and 0.05 by default."""

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None, dtype: Any = "float32"
    ) -> None:
        super().__init__(minval, maxval, seed, dtype)


_INITIALIZERS: dict[str, Callable[..., Any]] = {
    "constant": Constant,
    "glorot_normal": GlorotNormal,
    "glorot_uniform": GlorotUniform,
    "he_normal": he_normal,
    "he_uniform": he_uniform,
    "identity": Identity,
    "lecun_normal": lecun_normal,
    "lecun_uniform": lecun_uniform,
    "normal": KerasRandomNormal,
    "one": Ones,
    "ones": Ones,
    "orthogonal": Orthogonal,
    "random_normal": KerasRandomNormal,
    "random_uniform": KerasRandomUniform,
    "truncated_normal": KerasTruncatedNormal,
    "uniform": KerasRandomUniform,
    "zero": Zeros,
    "zeros": Zeros,
}


def initializer(given: Any) -> Any:
    """An initializer by its name; None for none.

    Raises:
        ValueError: the name is not known.
    """
    found = find("initializer", given, _INITIALIZERS)
    return found() if isinstance(given, str) else found


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> Callable[[Any], Tensor]:
    """A regularizer: `l1` times the sum of absolute values and `l2` times the sum of squares."""

    def regularizer(x: Any) -> Tensor:
        terms = [scale * reduce_sum(f(x)) for scale, f in ((l1, absolute), (l2, square)) if scale]
        total: Tensor = sum(terms[1:], terms[0])
        return total

    return regularizer


def l1(l: float = 0.01) -> Callable[[Any], Tensor]:  # noqa: E741  # Keras's name
    """A regularizer: `l` times the sum of absolute values."""
    return l1_l2(l, 0.0)


def l2(l: float = 0.01) -> Callable[[Any], Tensor]:  # noqa: E741  # Keras's name
    """A regularizer: `l` times the sum of squares."""
    return l1_l2(0.0, l)


def regularizer(given: Any) -> Any:
    """A regularizer by its name; None for none.

    Raises:
        ValueError: the name is not known.
    """
    return find("regularizer", given, {"l1": l1(), "l1_l2": l1_l2(), "l2": l2()})
