"""The exponential distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions.gamma import Gamma
from ferroflow._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.math.elementwise import log
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.random.sampling import random_uniform


class Exponential(Gamma):
    """The exponential distribution, of density `rate * exp(-rate * x)`: a gamma distribution of concentration 1.

    Args:
        rate: Tensor of a float dtype, above 0.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.
    """

    _BROADCAST = ("rate",)

    def __init__(
        self, rate: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential"
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as name:
            rate = convert_to_tensor(rate, name="rate")
            super().__init__(making.ones([], dtype=rate.dtype), rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters
        # Unlike those of a gamma distribution, samples are a smooth function of the parameter.
        self._reparameterization_type = FULLY_REPARAMETERIZED

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        uniform = random_uniform(
            joining.concat([[n], shaping.shape(self.rate)], 0),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            seed=seed,
            dtype=self.dtype,
        )
        return -log(uniform) / self.rate

    def _log_survival_function(self, value: Any) -> Any:
        return self._log_prob(value) - log(self.rate)


class ExponentialWithSoftplusRate(Exponential):
    """`Exponential` whose rate is the softplus of the argument.

    Args:
        rate: Tensor of a float dtype, whose softplus is the rate.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.
    """

    def __init__(
        self,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExponentialWithSoftplusRate",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as name:
            super().__init__(softplus(rate, name="softplus_rate"), validate_args, allow_nan_stats, name)
        self._parameters = parameters
