"""Initializers of `tf.compat.v2`: those of version 1, whose dtype only a call sets, with other defaults."""

from __future__ import annotations

from typing import Any, Final

from ferroflow._src.base.typing import DTypeLike, FloatLike, ShapeLike, TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.random.sampling import random_normal, random_uniform, truncated_normal
from ferroflow._src.ops.random.stateless import (
    stateless_random_normal,
    stateless_random_uniform,
    stateless_truncated_normal,
)
from ferroflow._src.variables import initializers


class _WithoutDtype(initializers.Initializer):
    """A part of initializers whose configuration has no dtype."""

    def get_config(self) -> dict[str, Any]:
        return {key: value for key, value in super().get_config().items() if key != "dtype"}


def _uniform(shape: Any, minval: Any, maxval: Any, dtype: DTypeLike, seed: int | None = None) -> Tensor:
    if seed is None:
        return random_uniform(shape, minval, maxval, dtype)
    return stateless_random_uniform(shape, [seed, 0], minval, maxval, dtype)


def _normal(shape: Any, mean: Any, stddev: Any, dtype: DTypeLike, seed: int | None = None) -> Tensor:
    if seed is None:
        return random_normal(shape, mean, stddev, dtype)
    return stateless_random_normal(shape, [seed, 0], mean, stddev, dtype)


def _truncated_normal(shape: Any, mean: Any, stddev: Any, dtype: DTypeLike, seed: int | None = None) -> Tensor:
    if seed is None:
        return truncated_normal(shape, mean, stddev, dtype)
    return stateless_truncated_normal(shape, [seed, 0], mean, stddev, dtype)


class _Repeatable(_WithoutDtype, initializers.RandomInitializer):
    """A part of initializers whose numbers depend on the seed alone, if there is one."""

    _uniform = staticmethod(_uniform)
    _normal = staticmethod(_normal)
    _truncated_normal = staticmethod(_truncated_normal)


class Zeros(_WithoutDtype, initializers.Zeros):
    """Initializer with zeros."""

    def __init__(self) -> None:
        super().__init__()


class Ones(_WithoutDtype, initializers.Ones):
    """Initializer with ones."""

    def __init__(self) -> None:
        super().__init__()


class Constant(_WithoutDtype, initializers.Constant):
    """Initializer with a constant.

    Args:
        value: a number, list, tuple or array.
    """

    def __init__(self, value: TensorLike = 0) -> None:
        super().__init__(value)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, *others: Any, **options: Any) -> Tensor:
        # Without a dtype, the constant has the dtype of the value.
        kind = constant(self.value).dtype if dtype is None else dtype
        return super().__call__(shape, kind, *others, **options)


class RandomUniform(_Repeatable, initializers.RandomUniform):
    """Initializer with uniform random numbers.

    Args:
        minval: float, the least value.
        maxval: float, the bound that values stay below.
        seed: int, the op seed.
    """

    def __init__(self, minval: FloatLike = -0.05, maxval: FloatLike = 0.05, seed: int | None = None) -> None:
        super().__init__(minval, maxval, seed)


class RandomNormal(_Repeatable, initializers.RandomNormal):
    """Initializer with normal random numbers.

    Args:
        mean: float.
        stddev: float.
        seed: int, the op seed.
    """

    def __init__(self, mean: FloatLike = 0.0, stddev: FloatLike = 0.05, seed: int | None = None) -> None:
        super().__init__(mean, stddev, seed)


class TruncatedNormal(_Repeatable, initializers.TruncatedNormal):
    """Initializer with normal random numbers within two standard deviations.

    Args:
        mean: float.
        stddev: float, of the distribution before it is cut.
        seed: int, the op seed.
    """

    def __init__(self, mean: FloatLike = 0.0, stddev: FloatLike = 0.05, seed: int | None = None) -> None:
        super().__init__(mean, stddev, seed)


class VarianceScaling(_Repeatable, initializers.VarianceScaling):
    """Initializer whose variance depends on the shape.

    Args:
        scale: float, a factor of the variance.
        mode: "fan_in", "fan_out" or "fan_avg".
        distribution: "truncated_normal", "untruncated_normal" or "uniform".
        seed: int, the op seed.

    Raises:
        ValueError: if an argument is invalid.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        super().__init__(scale, mode, distribution, seed)


class Orthogonal(_Repeatable, initializers.Orthogonal):
    """Initializer with an orthogonal matrix.

    Args:
        gain: float, a factor of the matrix.
        seed: int, the op seed.
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(gain, seed)


class Identity(_WithoutDtype, initializers.Identity):
    """Initializer with an identity matrix.

    Args:
        gain: float, a factor of the matrix.
    """

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain)


class GlorotUniform(VarianceScaling):
    """Initializer with uniform random numbers, whose variance is that of Glorot and Bengio.

    Args:
        seed: int, the op seed.
    """

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed}


class GlorotNormal(VarianceScaling):
    """Initializer with normal random numbers, whose variance is that of Glorot and Bengio.

    Args:
        seed: int, the op seed.
    """

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed}


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer with normal random numbers of variance 2 / (number of inputs).

    Args:
        seed: int, the op seed.
    """
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer with uniform random numbers of variance 2 / (number of inputs).

    Args:
        seed: int, the op seed.
    """
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer with normal random numbers of variance 1 / (number of inputs).

    Args:
        seed: int, the op seed.
    """
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Returns an initializer with uniform random numbers of variance 1 / (number of inputs).

    Args:
        seed: int, the op seed.
    """
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


_CLASSES: Final = {
    "Constant": Constant,
    "GlorotNormal": GlorotNormal,
    "GlorotUniform": GlorotUniform,
    "Identity": Identity,
    "Initializer": initializers.Initializer,
    "Ones": Ones,
    "Orthogonal": Orthogonal,
    "RandomNormal": RandomNormal,
    "RandomUniform": RandomUniform,
    "TruncatedNormal": TruncatedNormal,
    "VarianceScaling": VarianceScaling,
    "Zeros": Zeros,
    "constant": Constant,
    "glorot_normal": GlorotNormal,
    "glorot_uniform": GlorotUniform,
    "he_normal": he_normal,
    "he_uniform": he_uniform,
    "identity": Identity,
    "lecun_normal": lecun_normal,
    "lecun_uniform": lecun_uniform,
    "ones": Ones,
    "orthogonal": Orthogonal,
    "zeros": Zeros,
}
PLACES: Final[dict[str, Any]] = {
    **{f"initializers.{name}": found for name, found in _CLASSES.items()},
    "constant_initializer": Constant,
    "ones_initializer": Ones,
    "random_normal_initializer": RandomNormal,
    "random_uniform_initializer": RandomUniform,
    "zeros_initializer": Zeros,
}
