"""Distributions of a location and a scale: Cauchy, logistic, half-normal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions import special_math
from ferroflow._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from ferroflow._src.distributions.scalar_distribution import ScalarDistribution
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.elementwise import abs as absolute, atan, log, log1p, sigmoid, sqrt, square, tan
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.random.sampling import random_normal, random_uniform


class LocationScale(ScalarDistribution):
    """A distribution of `loc + scale * z`, z of a fixed distribution."""

    _BROADCAST = ("loc", "scale")

    def _make(self, loc: Any, scale: Any, validate_args: bool, allow_nan_stats: bool, name: str, given: Any) -> None:
        with name_scope(name, values=[loc, scale]) as scope:
            with control_dependencies([checking.assert_positive(scale)] if validate_args else []):
                self._loc = making.identity(loc, name="loc")
                self._scale = making.identity(scale, name="scale")
            checking.assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """The locations, a Tensor of `dtype`."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scales, a Tensor of `dtype`."""
        return self._scale

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _mode(self) -> Any:
        return self.loc + making.zeros_like(self.scale)


class Cauchy(LocationScale):
    """The Cauchy distribution, of density `1 / (pi * scale * (1 + ((x - loc) / scale) ** 2))`.

    Args:
        loc: Tensor of a float dtype: the modes.
        scale: Tensor of the dtype of `loc`, that broadcasts with it, above 0.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, mean and standard deviation, which are not defined, are NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Cauchy",
    ) -> None:
        self._make(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        return self._quantile(random_uniform(shape=shape, minval=0.0, maxval=1.0, dtype=self.dtype, seed=seed))

    def _quantile(self, value: Any) -> Any:
        return self.loc + self.scale * tan(math.pi * (value - 0.5))

    def _log_prob(self, value: Any) -> Any:
        return -log1p(square(self._z(value))) - (math.log(math.pi) + log(self.scale))

    def _cdf(self, value: Any) -> Any:
        return atan(self._z(value)) / math.pi + 0.5

    def _log_cdf(self, value: Any) -> Any:
        return log1p(2.0 / math.pi * atan(self._z(value))) - math.log(2.0)

    def _entropy(self) -> Any:
        return math.log(4.0 * math.pi) + log(self.scale + making.zeros_like(self.loc))

    def _undefined(self, what: str) -> Any:
        if not self.allow_nan_stats:
            raise ValueError(f"`{what}` is undefined for Cauchy distribution.")
        return making.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan))

    def _mean(self) -> Any:
        return self._undefined("mean")

    def _stddev(self) -> Any:
        return self._undefined("stddev")


class Logistic(LocationScale):
    """The logistic distribution, whose cumulative distribution is `sigmoid((x - loc) / scale)`.

    Args:
        loc: Tensor of a float dtype: the means.
        scale: Tensor of the dtype of `loc`, that broadcasts with it, above 0.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If False, a statistic that is not defined is an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        self._make(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        uniform = random_uniform(
            shape=joining.concat([[n], self.batch_shape_tensor()], 0),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )
        return (log(uniform) - log1p(-1.0 * uniform)) * self.scale + self.loc

    def _log_prob(self, value: Any) -> Any:
        z = self._z(value)
        return -z - 2.0 * softplus(-z) - log(self.scale)

    def _log_cdf(self, value: Any) -> Any:
        return -softplus(-self._z(value))

    def _cdf(self, value: Any) -> Any:
        return sigmoid(self._z(value))

    def _log_survival_function(self, value: Any) -> Any:
        return -softplus(self._z(value))

    def _survival_function(self, value: Any) -> Any:
        return sigmoid(-self._z(value))

    def _entropy(self) -> Any:
        return 2.0 + log(self.scale + making.zeros_like(self.loc))

    def _mean(self) -> Any:
        return self._mode()

    def _stddev(self) -> Any:
        return self.scale * math.pi / math.sqrt(3.0) + making.zeros_like(self.loc)


class HalfNormal(ScalarDistribution):
    """The distribution of `abs(x)` for a normal `x` with mean 0.

    Args:
        scale: Tensor of a float dtype, above 0: the standard deviation of the normal number.
        validate_args: bool. If True, steps check the parameter.
        allow_nan_stats: bool. If False, a statistic that is not defined is an error.
        name: str, name scope of its operations.
    """

    _BROADCAST = ("scale",)

    def __init__(
        self, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "HalfNormal"
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[scale]) as name:
            checks = [checking.assert_positive(scale)] if validate_args else []
            with control_dependencies(checks):
                self._scale = making.identity(scale, name="scale")
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._scale],
            name=name,
        )

    @property
    def scale(self) -> Any:
        """The standard deviations of the normal numbers, a Tensor of `dtype`."""
        return self._scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        return absolute(random_normal(shape=shape, mean=0.0, stddev=1.0, dtype=self.dtype, seed=seed) * self.scale)

    def _log_prob(self, value: Any) -> Any:
        inside = math.log(2.0 / math.pi) / 2.0 - log(self.scale) - square(value / self.scale) / 2.0
        return where(value < 0.0 * inside, -math.inf * making.ones_like(inside), inside)

    def _cdf(self, value: Any) -> Any:
        below = 2.0 * special_math.ndtr(value / self.scale) - 1.0
        return where(below < 0.0, making.zeros_like(below), below)

    def _quantile(self, value: Any) -> Any:
        return math.sqrt(2.0) * self.scale * special_math.erfinv(value)

    def _entropy(self) -> Any:
        return 0.5 * log(math.pi * square(self.scale) / 2.0) + 0.5

    def _mean(self) -> Any:
        return self.scale * math.sqrt(2.0) / math.sqrt(math.pi)

    def _mode(self) -> Any:
        return making.zeros(self.batch_shape_tensor(), self.dtype)

    def _variance(self) -> Any:
        return square(self.scale) * (1.0 - 2.0 / math.pi)

    def _stddev(self) -> Any:
        return sqrt(self._variance())
