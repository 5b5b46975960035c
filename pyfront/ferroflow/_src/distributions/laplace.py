"""The Laplace distribution."""

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
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.elementwise import abs as absolute, exp, log, log1p, sign
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.random.sampling import random_uniform


class Laplace(ScalarDistribution):
    """The Laplace distribution, of density `exp(-|x - loc| / scale) / (2 * scale)`.

    Args:
        loc: Tensor of a float dtype: the means.
        scale: Tensor of the dtype of `loc`, that broadcasts with it, above 0.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    _BROADCAST = ("loc", "scale")

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            with control_dependencies([checking.assert_positive(scale)] if validate_args else []):
                self._loc = identity(loc, name="loc")
                self._scale = identity(scale, name="scale")
            checking.assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._loc.dtype,
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
        """The scales, a Tensor of `dtype`."""
        return self._scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        number = self.dtype.as_numpy_dtype
        # The least number above -1: the logarithm of 0 is left out.
        uniform = random_uniform(
            joining.concat([[n], self.batch_shape_tensor()], 0),
            minval=np.nextafter(number(-1.0), number(0.0)),
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )
        return self.loc - self.scale * sign(uniform) * log1p(-absolute(uniform))

    def _log_prob(self, value: Any) -> Any:
        return -absolute(self._z(value)) - (math.log(2.0) + log(self.scale))

    def _log_cdf(self, value: Any) -> Any:
        return special_math.log_cdf_laplace(self._z(value))

    def _log_survival_function(self, value: Any) -> Any:
        return special_math.log_cdf_laplace(-self._z(value))

    def _cdf(self, value: Any) -> Any:
        z = self._z(value)
        return 0.5 + 0.5 * sign(z) * (1.0 - exp(-absolute(z)))

    def _entropy(self) -> Any:
        scale = self.scale + making.zeros_like(self.loc)
        return math.log(2.0) + 1.0 + log(scale)

    def _mean(self) -> Any:
        return self.loc + making.zeros_like(self.scale)

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self.scale + making.zeros_like(self.loc)

    def _mode(self) -> Any:
        return self._mean()

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale


class LaplaceWithSoftplusScale(Laplace):
    """`Laplace` whose scale is the softplus of the argument `scale`.

    Args:
        loc: Tensor of a float dtype: the means.
        scale: Tensor of the dtype of `loc`, that broadcasts with it, whose softplus is the scale.
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
        name: str = "LaplaceWithSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            positive = softplus(scale, name="softplus_scale")
            super().__init__(loc, positive, validate_args, allow_nan_stats, name)
        self._parameters = parameters
