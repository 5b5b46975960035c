"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ferroflow._src.contrib.distributions.location_scale import LocationScale
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.math.elementwise import exp, log
from ferroflow._src.ops.random.sampling import random_uniform


class Gumbel(LocationScale):
    """The Gumbel distribution, whose cumulative distribution is `exp(-exp(-(x - loc) / scale))`.

    Args:
        loc: Tensor of a float dtype: the modes.
        scale: Tensor of the dtype of `loc`, that broadcasts with it, above 0.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If False, a statistic that is not defined is an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Gumbel"
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
        return -log(-log(uniform)) * self.scale + self.loc

    def _log_prob(self, value: Any) -> Any:
        z = self._z(value)
        return -z - exp(-z) - log(self.scale)

    def _log_cdf(self, value: Any) -> Any:
        return -exp(-self._z(value))

    def _cdf(self, value: Any) -> Any:
        return exp(-exp(-self._z(value)))

    def _entropy(self) -> Any:
        return 1.0 + log(self.scale + making.zeros_like(self.loc)) + np.euler_gamma

    def _mean(self) -> Any:
        return self.loc + self.scale * np.euler_gamma

    def _stddev(self) -> Any:
        return (self.scale + making.zeros_like(self.loc)) * math.pi / math.sqrt(6.0)
