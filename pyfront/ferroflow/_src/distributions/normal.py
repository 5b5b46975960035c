"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions import special_math
from ferroflow._src.distributions.divergence import RegisterKL
from ferroflow._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from ferroflow._src.distributions.scalar_distribution import ScalarDistribution
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.arithmetic import squared_difference
from ferroflow._src.ops.math.elementwise import log, square
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.random.sampling import random_normal


class Normal(ScalarDistribution):
    """The normal distribution, of density `exp(-((x - loc) / scale) ** 2 / 2) / (scale * sqrt(2 pi))`.

    Args:
        loc: Tensor of a float dtype: the means.
        scale: Tensor of the dtype of `loc`, that broadcasts with it, above 0: the standard deviations.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.

    Example:
        >>> normal = tf.distributions.Normal(loc=[0.0, 10.0], scale=2.0)
        >>> print(sess.run(normal.prob([0.0, 12.0])).round(4))
        [0.1995 0.121 ]
        >>> print(sess.run(normal.kl_divergence(tf.distributions.Normal(0.0, 2.0))))
        [ 0.  12.5]
    """

    _BROADCAST = ("loc", "scale")

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            with control_dependencies([checking.assert_positive(scale)] if validate_args else []):
                self._loc = identity(loc, name="loc")
                self._scale = identity(scale, name="scale")
            checking.assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=name,
        )

    @property
    def loc(self) -> Any:
        """The means, a Tensor of `dtype`."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The standard deviations, a Tensor of `dtype`."""
        return self._scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        return random_normal(shape, mean=0.0, stddev=1.0, dtype=self.loc.dtype, seed=seed) * self.scale + self.loc

    def _log_prob(self, value: Any) -> Any:
        return -0.5 * square(self._z(value)) - (0.5 * math.log(2.0 * math.pi) + log(self.scale))

    def _log_cdf(self, value: Any) -> Any:
        return special_math.log_ndtr(self._z(value))

    def _cdf(self, value: Any) -> Any:
        return special_math.ndtr(self._z(value))

    def _log_survival_function(self, value: Any) -> Any:
        return special_math.log_ndtr(-self._z(value))

    def _survival_function(self, value: Any) -> Any:
        return special_math.ndtr(-self._z(value))

    def _quantile(self, value: Any) -> Any:
        standard = special_math.ndtri(value)
        with name_scope("reconstruct", values=[standard]):
            return standard * self.scale + self.loc

    def _entropy(self) -> Any:
        scale = self.scale * making.ones_like(self.loc)
        return 0.5 * math.log(2.0 * math.pi * math.e) + log(scale)

    def _mean(self) -> Any:
        return self.loc * making.ones_like(self.scale)

    def _stddev(self) -> Any:
        return self.scale * making.ones_like(self.loc)

    def _mode(self) -> Any:
        return self._mean()

    def _z(self, x: Any) -> Any:
        with name_scope("standardize", values=[x]):
            return (x - self.loc) / self.scale


class NormalWithSoftplusScale(Normal):
    """`Normal` whose standard deviation is the softplus of the argument `scale`.

    Args:
        loc: Tensor of a float dtype: the means.
        scale: Tensor of the dtype of `loc`, that broadcasts with it, whose softplus is the standard deviation.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
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
        name: str = "NormalWithSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[scale]) as name:
            positive = softplus(scale, name="softplus_scale")
            super().__init__(loc, positive, validate_args, allow_nan_stats, name)
        self._parameters = parameters


@RegisterKL(Normal, Normal)
def _kl_normal_normal(n_a: Normal, n_b: Normal, name: str | None = None) -> Any:
    with name_scope(name, "kl_normal_normal", [n_a.loc, n_b.loc]):
        one, two, half = (constant(x, dtype=n_a.dtype) for x in (1, 2, 0.5))
        variance = square(n_b.scale)
        ratio = square(n_a.scale) / variance
        return squared_difference(n_a.loc, n_b.loc) / (two * variance) + half * (ratio - one - log(ratio))
