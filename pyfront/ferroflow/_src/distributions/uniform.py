"""The uniform distribution over an interval."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from ferroflow._src.distributions.scalar_distribution import ScalarDistribution
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.comparison import logical_or
from ferroflow._src.ops.math.elementwise import is_nan, log, square
from ferroflow._src.ops.random.sampling import random_uniform


class Uniform(ScalarDistribution):
    """The uniform distribution over `[low, high)`.

    Args:
        low: Tensor of a float dtype.
        high: Tensor of the dtype of `low`, that broadcasts with it, above it.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
        InvalidArgumentError: if with `validate_args`, `low` is known not to be below `high`.
    """

    _BROADCAST = ("low", "high")

    def __init__(
        self,
        low: TensorLike = 0.0,
        high: TensorLike = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[low, high]) as name:
            checks = []
            if validate_args:
                checks.append(checking.assert_less(low, high, message="uniform not defined when low >= high."))
            with control_dependencies(checks):
                self._low = identity(low, name="low")
                self._high = identity(high, name="high")
            checking.assert_same_float_dtype([self._low, self._high])
        super().__init__(
            dtype=self._low.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._low, self._high],
            name=name,
        )

    @property
    def low(self) -> Any:
        """The lower ends, a Tensor of `dtype`."""
        return self._low

    @property
    def high(self) -> Any:
        """The upper ends, a Tensor of `dtype`."""
        return self._high

    def range(self, name: str = "range") -> Any:
        """Returns `high - low`, of shape `batch_shape`."""
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        samples = random_uniform(shape, dtype=self.dtype, seed=seed)
        return self.low + self.range() * samples

    def _prob(self, value: Any) -> Any:
        x = value * making.ones(self.batch_shape_tensor(), dtype=value.dtype)
        is_outside = logical_or(x < self.low, x >= self.high)
        density = where(is_outside, making.zeros_like(x), making.ones_like(x) / self.range())
        return where(is_nan(x), x, density)

    def _cdf(self, value: Any) -> Any:
        shape = shaping.broadcast_dynamic_shape(shaping.shape(value), self.batch_shape_tensor())
        zeros, ones = making.zeros(shape, dtype=self.dtype), making.ones(shape, dtype=self.dtype)
        x = value * ones
        inner = where(x < self.low, zeros, (x - self.low) / self.range())
        return where(x >= self.high, ones, inner)

    def _entropy(self) -> Any:
        return log(self.range())

    def _mean(self) -> Any:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Any:
        return square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)
