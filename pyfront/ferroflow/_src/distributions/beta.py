"""The beta distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions import validation
from ferroflow._src.distributions.divergence import RegisterKL
from ferroflow._src.distributions.parameterization import gen_new_seed
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.scalar_distribution import ScalarDistribution
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import making
from ferroflow._src.ops.array.indexing import where_v2
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.arithmetic import betainc
from ferroflow._src.ops.math.comparison import logical_and
from ferroflow._src.ops.math.elementwise import digamma, lgamma, log, log1p
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.random.sampling import random_gamma


class Beta(ScalarDistribution):
    """The beta distribution, of density `x ** (c1 - 1) * (1 - x) ** (c0 - 1) / beta(c1, c0)` on (0, 1).

    Args:
        concentration1: Tensor of a float dtype, above 0: c1.
        concentration0: Tensor of the dtype of `concentration1`, that broadcasts with it, above 0: c0.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    _BROADCAST = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as name:
            c1 = convert_to_tensor(concentration1, name="concentration1")
            self._concentration1 = validation.positive(c1, validate_args)
            c0 = convert_to_tensor(concentration0, name="concentration0")
            self._concentration0 = validation.positive(c0, validate_args)
            checking.assert_same_float_dtype([self._concentration1, self._concentration0])
            self._total_concentration = self._concentration1 + self._concentration0
        super().__init__(
            dtype=self._total_concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration1, self._concentration0, self._total_concentration],
            name=name,
        )

    @property
    def concentration1(self) -> Any:
        """The concentrations of 1, a Tensor of `dtype`."""
        return self._concentration1

    @property
    def concentration0(self) -> Any:
        """The concentrations of 0, a Tensor of `dtype`."""
        return self._concentration0

    @property
    def total_concentration(self) -> Any:
        """The sums of both concentrations, a Tensor of `dtype`, of shape `batch_shape`."""
        return self._total_concentration

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        ones = making.ones_like(self.total_concentration, dtype=self.dtype)
        alphas = (
            ones * self.concentration1,
            making.ones_like(self.total_concentration, dtype=self.dtype) * self.concentration0,
        )
        first = random_gamma([n], alpha=alphas[0], dtype=self.dtype, seed=seed)
        second = random_gamma([n], alpha=alphas[1], dtype=self.dtype, seed=gen_new_seed(seed, "beta"))
        return first / (first + second)

    def _log_prob(self, value: Any) -> Any:
        x = self._checked(value)
        unnormalized = tensor_op("Xlogy", [self.concentration1 - 1.0, x]) + (self.concentration0 - 1.0) * log1p(-x)
        return unnormalized - self._log_normalization()

    def _log_cdf(self, value: Any) -> Any:
        return log(self._cdf(value))

    def _cdf(self, value: Any) -> Any:
        shapes = [t.get_shape() for t in (self.concentration1, self.concentration0, value)]
        # The incomplete beta function takes scalars and tensors of one shape.
        if all(shape.is_fully_defined() for shape in shapes) and len({str(s) for s in shapes if s.ndims}) < 2:
            return betainc(self.concentration1, self.concentration0, value)
        ones = making.ones_like(value * self.total_concentration)
        return betainc(self.concentration1 * ones, self.concentration0 * ones, value * ones)

    def _log_normalization(self) -> Any:
        return lgamma(self.concentration1) + lgamma(self.concentration0) - lgamma(self.total_concentration)

    def _entropy(self) -> Any:
        return (
            self._log_normalization()
            - (self.concentration1 - 1.0) * digamma(self.concentration1)
            - (self.concentration0 - 1.0) * digamma(self.concentration0)
            + (self.total_concentration - 2.0) * digamma(self.total_concentration)
        )

    def _mean(self) -> Any:
        return self._concentration1 / self._total_concentration

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self) -> Any:
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        if not self.allow_nan_stats:
            checks = [
                validation.above_one(self.concentration1, "Mode undefined for concentration1 <= 1."),
                validation.above_one(self.concentration0, "Mode undefined for concentration0 <= 1."),
            ]
            return with_dependencies(checks, mode)
        nan = making.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan), name="nan")
        is_defined = logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)
        return where_v2(is_defined, mode, nan)

    def _checked(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        checks = [
            checking.assert_positive(x, message="sample must be positive"),
            validation.below_one(x, message="sample must be less than `1`."),
        ]
        return with_dependencies(checks, x)


class BetaWithSoftplusConcentration(Beta):
    """`Beta` whose concentrations are the softplus of the arguments.

    Args:
        concentration1: Tensor of a float dtype, whose softplus is the concentration of 1.
        concentration0: Tensor of the dtype of `concentration1`, that broadcasts with it, whose softplus is the
            concentration of 0.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(
        self,
        concentration1: TensorLike,
        concentration0: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "BetaWithSoftplusConcentration",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as name:
            super().__init__(
                softplus(concentration1, name="softplus_concentration1"),
                softplus(concentration0, name="softplus_concentration0"),
                validate_args,
                allow_nan_stats,
                name,
            )
        self._parameters = parameters


@RegisterKL(Beta, Beta)
def _kl_beta_beta(d1: Beta, d2: Beta, name: str | None = None) -> Any:
    values = [x for d in (d1, d2) for x in (d.concentration1, d.concentration0, d.total_concentration)]
    with name_scope(name, "kl_beta_beta", values):
        return (
            (d2._log_normalization() - d1._log_normalization())
            - digamma(d1.concentration1) * (d2.concentration1 - d1.concentration1)
            - digamma(d1.concentration0) * (d2.concentration0 - d1.concentration0)
            + digamma(d1.total_concentration) * (d2.total_concentration - d1.total_concentration)
        )
