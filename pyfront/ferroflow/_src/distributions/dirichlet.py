"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.distributions import validation
from ferroflow._src.distributions.divergence import RegisterKL
from ferroflow._src.distributions.parameterization import log_beta
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.vector_distribution import VectorDistribution
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.indexing import where_v2
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import digamma, rsqrt
from ferroflow._src.ops.math.reduction import reduce_all, reduce_sum
from ferroflow._src.ops.random.sampling import random_gamma


class Dirichlet(VectorDistribution):
    """The Dirichlet distribution over vectors of k positive numbers that add up to 1.

    Its density is proportional to the product of `x[i] ** (concentration[i] - 1)`.

    Args:
        concentration: Tensor of a float dtype, of shape [..., k], above 0.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.
    """

    def __init__(
        self, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Dirichlet"
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration]) as name:
            concentration = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                checks = [
                    checking.assert_positive(concentration, message="Concentration parameter must be positive."),
                    checking.assert_rank_at_least(
                        concentration, 1, message="Concentration parameter must have >=1 dimensions."
                    ),
                    checking.assert_less(
                        1,
                        shaping.shape(concentration)[-1],
                        message="Concentration parameter must have event_size >= 2.",
                    ),
                ]
                concentration = with_dependencies(checks, concentration)
            self._concentration = concentration
            self._total_concentration = reduce_sum(self._concentration, -1)
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration, self._total_concentration],
            name=name,
        )

    @property
    def concentration(self) -> Any:
        """The concentrations, a Tensor of `dtype`, whose last dimension is that of the classes."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """The sums of the concentrations of one distribution, a Tensor of `dtype`, of shape `batch_shape`."""
        return self._total_concentration

    def _shaped_as_batch_of_events(self) -> Any:
        return self.concentration

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        gamma = random_gamma([n], alpha=self.concentration, dtype=self.dtype, seed=seed)
        return gamma / reduce_sum(gamma, -1, keepdims=True)

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            ones = making.ones([], dtype=self.dtype)
            checks = [
                checking.assert_positive(value, message="samples must be positive"),
                checking.assert_near(ones, reduce_sum(value, -1), message="sample last-dimension must sum to `1`"),
            ]
            value = with_dependencies(checks, value)
        terms = tensor_op("Xlogy", [self.concentration - 1.0, value])
        return reduce_sum(terms, -1) - log_beta(self.concentration)

    def _number_of_components(self) -> Any:
        return cast(self.event_shape_tensor()[0], self.dtype)

    def _entropy(self) -> Any:
        k, total = self._number_of_components(), self.total_concentration
        terms = (self.concentration - 1.0) * digamma(self.concentration)
        return log_beta(self.concentration) + (total - k) * digamma(total) - reduce_sum(terms, axis=-1)

    def _mean(self) -> Any:
        return self.concentration / self.total_concentration[..., None]

    def _covariance(self) -> Any:
        x = self._variance_scale() * self._mean()
        return self._covariance_of(x, x)

    def _variance(self) -> Any:
        scale = self._variance_scale()
        x = scale * self._mean()
        return x * (scale - x)

    def _variance_scale(self) -> Any:
        return rsqrt(1.0 + self.total_concentration[..., None])

    def _mode(self) -> Any:
        mode = (self.concentration - 1.0) / (self.total_concentration[..., None] - self._number_of_components())
        if not self.allow_nan_stats:
            message = "Mode undefined when any concentration <= 1"
            return with_dependencies([validation.above_one(self.concentration, message)], mode)
        nan = making.fill(shaping.shape(mode), self.dtype.as_numpy_dtype(np.nan), name="nan")
        return where_v2(reduce_all(self.concentration > 1.0, axis=-1, keepdims=True), mode, nan)


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(d1: Dirichlet, d2: Dirichlet, name: str | None = None) -> Any:
    with name_scope(name, "kl_dirichlet_dirichlet", values=[d1.concentration, d2.concentration]):
        of_total = digamma(reduce_sum(d1.concentration, axis=-1, keepdims=True))
        terms = (d1.concentration - d2.concentration) * (digamma(d1.concentration) - of_total)
        return reduce_sum(terms, axis=-1) - log_beta(d1.concentration) + log_beta(d2.concentration)
