"""The gamma distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions import validation
from ferroflow._src.distributions.divergence import RegisterKL
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.scalar_distribution import ScalarDistribution
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import making
from ferroflow._src.ops.array.indexing import where_v2
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.arithmetic import igamma
from ferroflow._src.ops.math.elementwise import digamma, lgamma, log, sqrt, square
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.random.sampling import random_gamma


class Gamma(ScalarDistribution):
    """The gamma distribution, of density `rate ** c * x ** (c - 1) * exp(-rate * x) / gamma(c)` for concentration c.

    Args:
        concentration: Tensor of a float dtype, above 0.
        rate: Tensor of the dtype of `concentration`, that broadcasts with it, above 0: the inverse scale.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    _BROADCAST: tuple[str, ...] = ("concentration", "rate")

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as name:
            checks = [checking.assert_positive(x) for x in (concentration, rate)] if validate_args else []
            with control_dependencies(checks):
                self._concentration = identity(concentration, name="concentration")
                self._rate = identity(rate, name="rate")
            checking.assert_same_float_dtype([self._concentration, self._rate])
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration, self._rate],
            name=name,
        )

    @property
    def concentration(self) -> Any:
        """The concentrations, a Tensor of `dtype`."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """The rates, a Tensor of `dtype`."""
        return self._rate

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return random_gamma([n], alpha=self.concentration, beta=self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Any) -> Any:
        x = self._checked(value)
        unnormalized = tensor_op("Xlogy", [self.concentration - 1.0, x]) - self.rate * x
        return unnormalized - (lgamma(self.concentration) - self.concentration * log(self.rate))

    def _cdf(self, value: Any) -> Any:
        return igamma(self.concentration, self.rate * self._checked(value))

    def _entropy(self) -> Any:
        c = self.concentration
        return c - log(self.rate) + lgamma(c) + (1.0 - c) * digamma(c)

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / square(self.rate)

    def _stddev(self) -> Any:
        return sqrt(self.concentration) / self.rate

    def _mode(self) -> Any:
        mode = (self.concentration - 1.0) / self.rate
        if not self.allow_nan_stats:
            message = "mode not defined when any concentration <= 1"
            return with_dependencies([validation.above_one(self.concentration, message)], mode)
        nan = making.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan), name="nan")
        return where_v2(self.concentration > 1.0, mode, nan)

    def _checked(self, x: Any) -> Any:
        checking.assert_same_float_dtype([x], dtype=self.dtype)
        return with_dependencies([checking.assert_positive(x)], x) if self.validate_args else x


class GammaWithSoftplusConcentrationRate(Gamma):
    """`Gamma` whose concentration and rate are the softplus of the arguments.

    Args:
        concentration: Tensor of a float dtype, whose softplus is the concentration.
        rate: Tensor of the dtype of `concentration`, that broadcasts with it, whose softplus is the rate.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "GammaWithSoftplusConcentrationRate",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as name:
            super().__init__(
                softplus(concentration, name="softplus_concentration"),
                softplus(rate, name="softplus_rate"),
                validate_args,
                allow_nan_stats,
                name,
            )
        self._parameters = parameters


@RegisterKL(Gamma, Gamma)
def _kl_gamma_gamma(g0: Gamma, g1: Gamma, name: str | None = None) -> Any:
    with name_scope(name, "kl_gamma_gamma", [g0.concentration, g0.rate, g1.concentration, g1.rate]):
        c0, c1 = g0.concentration, g1.concentration
        return (
            (c0 - c1) * digamma(c0)
            + lgamma(c1)
            - lgamma(c0)
            + c1 * log(g0.rate)
            - c1 * log(g1.rate)
            + c0 * (g1.rate / g0.rate - 1.0)
        )
