"""Things that models take by name: activations, initializers, regularizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base.dtypes import float32
from ferroflow._src.base.typing import DTypeLike, NestedTensors
from ferroflow._src.keras import activations
from ferroflow._src.keras.configurations import serialized
from ferroflow._src.keras.constraint_classes import MaxNorm, MinMaxNorm, NonNeg, RadialConstraint, UnitNorm
from ferroflow._src.keras.custom_objects import arguments_in, get_custom_objects
from ferroflow._src.ops.math.elementwise import abs as absolute, square
from ferroflow._src.ops.math.reduction import reduce_sum
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
    """Returns the object with a name; returns callables and None unchanged.

    Raises:
        ValueError: if the name is unknown, or the value is neither a name nor an object of the kind.
    """
    if given is None or callable(given):
        return given
    if isinstance(given, str) and given in get_custom_objects():
        found = get_custom_objects()[given]
        return found() if isinstance(found, type) else found
    if isinstance(given, str) and given in known:
        return known[given]
    if isinstance(given, Mapping) and given.get("class_name") in get_custom_objects():
        _check_description(given)
        kind, config = get_custom_objects()[given["class_name"]], arguments_in(given)
        return kind.from_config(config) if hasattr(kind, "from_config") else kind(**config)
    space = " " if what == "optimizer" else ""
    raise ValueError(f"Unknown {what}:{space}{given}. Give a callable, or one of {sorted(known)}.")


def _check_description(given: Mapping[str, Any]) -> None:
    if not {"class_name", "config"} <= given.keys():
        raise ValueError(f"Improper config format: {given}")


def _of_config(what: str, config: dict[str, Any], classes: Mapping[str, Callable[..., Any]]) -> Any:
    """Returns the object that a dict of class name and arguments describes."""
    _check_description(config)
    name = str(config["class_name"])
    if name in get_custom_objects():
        return get_custom_objects()[name](**arguments_in(config))
    if name not in classes:
        raise ValueError(f"Unknown {what}: {name!r}. Known are {sorted(classes)}.")
    return classes[name](**arguments_in(config))


_ACTIVATIONS: dict[str, Callable[..., Any]] = {name: getattr(activations, name) for name in activations.__all__}


def activation(identifier: Any) -> Callable[..., Any]:
    """Finds an activation by its name.

    Args:
        identifier: str, the name; a callable stands for itself, and None for the linear one.

    Returns:
        callable of a Tensor.

    Raises:
        ValueError: if the name is unknown.
    """
    found = find("activation function", identifier, _ACTIVATIONS)
    return activations.linear if found is None else found


def serialize_activation(activation: Any) -> str:
    """Returns the name of an activation.

    Args:
        activation: function of a Tensor of a float dtype, of any shape.

    Returns:
        str.

    Raises:
        NotImplementedError: if the activation has no name.
    """
    return str(serialized(activation))


def deserialize_activation(name: str, custom_objects: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """Finds an activation by its name.

    Args:
        name: str.
        custom_objects: dict of functions of the program by their names, or None.

    Returns:
        callable of a Tensor.

    Raises:
        ValueError: if the name is unknown, or `name` is a dict that describes no object.
    """
    if isinstance(name, Mapping):
        _check_description(name)
    return activation(name) if name not in (custom_objects or {}) else dict(custom_objects or {})[name]


def he_normal(seed: int | None = None) -> Any:
    """Returns He's normal initializer: a truncated normal of variance 2 / inputs.

    Args:
        seed: int, of the random numbers; None for one that the graph makes.

    Returns:
        initializer.
    """
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="normal", seed=seed)


def he_uniform(seed: int | None = None) -> Any:
    """Returns He's uniform initializer: a uniform of variance 2 / inputs.

    Args:
        seed: int, of the random numbers; None for one that the graph makes.

    Returns:
        initializer.
    """
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="uniform", seed=seed)


def lecun_normal(seed: int | None = None) -> Any:
    """Returns LeCun's normal initializer: a truncated normal of variance 1 / inputs.

    Args:
        seed: int, of the random numbers; None for one that the graph makes.

    Returns:
        initializer.
    """
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="normal", seed=seed)


def lecun_uniform(seed: int | None = None) -> Any:
    """Returns LeCun's uniform initializer: a uniform of variance 1 / inputs.

    Args:
        seed: int, of the random numbers; None for one that the graph makes.

    Returns:
        initializer.
    """
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="uniform", seed=seed)


class KerasRandomNormal(RandomNormal):
    """A normal initializer whose standard deviation is 0.05 by default.

    Args:
        mean: float, the mean.
        stddev: float, the standard deviation.
        seed: int, of the random numbers; None for one that the graph makes.
        dtype: DType of the values.
    """

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None, dtype: DTypeLike = float32
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


class KerasTruncatedNormal(TruncatedNormal):
    """A truncated normal initializer whose standard deviation is 0.05 by default.

    Args:
        mean: float, the mean.
        stddev: float, the standard deviation.
        seed: int, of the random numbers; None for one that the graph makes.
        dtype: DType of the values.
    """

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None, dtype: DTypeLike = float32
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


class KerasRandomUniform(RandomUniform):
    """A uniform initializer between -0.05 and 0.05 by default.

    Args:
        minval: float, the lower end.
        maxval: float, the upper end.
        seed: int, of the random numbers; None for one that the graph makes.
        dtype: DType of the values.
    """

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None, dtype: DTypeLike = float32
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


_INITIALIZER_CLASSES: dict[str, Callable[..., Any]] = {
    "Constant": Constant,
    "GlorotNormal": GlorotNormal,
    "GlorotUniform": GlorotUniform,
    "Identity": Identity,
    "Ones": Ones,
    "Orthogonal": Orthogonal,
    "RandomNormal": KerasRandomNormal,
    "RandomUniform": KerasRandomUniform,
    "TruncatedNormal": KerasTruncatedNormal,
    "VarianceScaling": VarianceScaling,
    "Zeros": Zeros,
}


def initializer(identifier: Any) -> Any:
    """Finds an initializer by its name.

    Args:
        identifier: str, the name; dict of its class and its arguments; an initializer and None stand for themselves.

    Returns:
        initializer, or None.

    Raises:
        ValueError: if the name is unknown.
    """
    if isinstance(identifier, dict):
        return _of_config("initializer", identifier, _INITIALIZER_CLASSES)
    found = find("initializer", identifier, _INITIALIZERS)
    return found() if isinstance(identifier, str) else found


class Regularizer:
    """Base of the regularizers, which compute a loss from weights; a subclass defines `__call__`."""

    def __call__(self, x: NestedTensors) -> Any:
        """Returns the loss.

        Args:
            x: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of its dtype, of shape [].
        """
        return 0.0

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a regularizer from the result of `get_config`.

        Args:
            config: dict of arguments.

        Returns:
            Regularizer of this class.
        """
        return cls(**config)


class L1L2(Regularizer):
    """Regularizer: `l1` times the sum of absolute values plus `l2` times the sum of squares.

    Args:
        l1: float, the factor of the absolute values.
        l2: float, the factor of the squares.
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = float(l1), float(l2)

    def __call__(self, x: Any) -> Any:
        """Returns the loss.

        Args:
            x: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of its dtype, of shape []; 0 if both factors are.
        """
        terms = [scale * reduce_sum(f(x)) for scale, f in ((self.l1, absolute), (self.l2, square)) if scale]
        # TF 1.x: the terms are added to zero, which gives the operation `add`.
        return sum(terms, 0.0)

    def get_config(self) -> dict[str, float]:
        """Returns the arguments that make an equal one."""
        return {"l1": self.l1, "l2": self.l2}


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """Makes a regularizer: `l1` times the sum of absolute values and `l2` times the sum of squares.

    Args:
        l1: float, the factor of the absolute values.
        l2: float, the factor of the squares.

    Returns:
        callable of a weight, which gives a Tensor of its dtype, of shape [].
    """
    return L1L2(l1, l2)


def l1(l: float = 0.01) -> L1L2:  # noqa: E741  # Keras's name
    """Makes a regularizer: `l` times the sum of absolute values.

    Args:
        l: float, the factor.

    Returns:
        callable of a weight, which gives a Tensor of its dtype, of shape [].
    """
    return l1_l2(l, 0.0)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741  # Keras's name
    """Makes a regularizer: `l` times the sum of squares.

    Args:
        l: float, the factor.

    Returns:
        callable of a weight, which gives a Tensor of its dtype, of shape [].
    """
    return l1_l2(0.0, l)


def regularizer(identifier: Any) -> Any:
    """Returns a regularizer by its name, or None.

    Args:
        identifier: str, the name; dict of its class and its arguments; a callable and None stand for themselves.

    Returns:
        callable of a weight, or None.

    Raises:
        ValueError: if the name is unknown.
    """
    if isinstance(identifier, dict):
        # TensorFlow 2 names those of one factor on their own; the arguments are the same.
        return _of_config("regularizer", identifier, {"L1": L1L2, "L1L2": L1L2, "L2": L1L2})
    return find("regularizer", identifier, {"l1": l1(), "l1_l2": l1_l2(), "l2": l2()})


_CONSTRAINTS: dict[str, Callable[..., Any]] = {
    "MaxNorm": MaxNorm,
    "MinMaxNorm": MinMaxNorm,
    "NonNeg": NonNeg,
    "RadialConstraint": RadialConstraint,
    "UnitNorm": UnitNorm,
    "max_norm": MaxNorm,
    "min_max_norm": MinMaxNorm,
    "non_neg": NonNeg,
    "radial_constraint": RadialConstraint,
    "unit_norm": UnitNorm,
}


def constraint(identifier: Any) -> Any:
    """Finds a constraint by its name.

    Args:
        identifier: str, the name; dict of its class and its arguments; a callable and None stand for themselves.

    Returns:
        callable of a weight, or None.

    Raises:
        ValueError: if the name is unknown.
    """
    if isinstance(identifier, dict):
        return _of_config("constraint", identifier, _CONSTRAINTS)
    found = find("constraint", identifier, _CONSTRAINTS)
    return found() if isinstance(identifier, str) else found


_ACTIVATION_ARGUMENTS = ("activation", "recurrent_activation")


def resolved(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments, with names of activations, initializers and regularizers replaced by the objects."""
    found = dict(kwargs)
    for name, value in kwargs.items():
        if name.endswith("_initializer"):
            found[name] = initializer(value)
        elif name.endswith("_regularizer"):
            found[name] = regularizer(value)
        elif name.endswith("_constraint"):
            found[name] = constraint(value)
        elif name in _ACTIVATION_ARGUMENTS:
            found[name] = activation(value)
    return found
