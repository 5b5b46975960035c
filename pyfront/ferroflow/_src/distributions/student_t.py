"""Student's t distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions import validation
from ferroflow._src.distributions.parameterization import gen_new_seed, log_beta
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.scalar_distribution import ScalarDistribution
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.arithmetic import betainc
from ferroflow._src.ops.math.comparison import greater, less
from ferroflow._src.ops.math.elementwise import abs as absolute, digamma, floor, lgamma, log, log1p, rsqrt, square
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.random.sampling import random_gamma, random_normal


class StudentT(ScalarDistribution):
    """Student's t distribution: the density is proportional to `(1 + y * y / df) ** (-(df + 1) / 2)`.

    There `y = (x - loc) / scale`.

    Args:
        df: Tensor of a float dtype, above 0: the degrees of freedom.
        loc: Tensor of the dtype of `df`.
        scale: Tensor of the dtype of `df`; of a negative one, samples are mirrored at `loc`.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    _BROADCAST = ("df", "loc", "scale")

    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[df, loc, scale]) as name:
            with control_dependencies([checking.assert_positive(df)] if validate_args else []):
                self._df = identity(df, name="df")
                self._loc = identity(loc, name="loc")
                self._scale = identity(scale, name="scale")
            checking.assert_same_float_dtype([self._df, self._loc, self._scale])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._df, self._loc, self._scale],
            name=name,
        )

    @property
    def df(self) -> Any:
        """The degrees of freedom, a Tensor of `dtype`."""
        return self._df

    @property
    def loc(self) -> Any:
        """The locations, a Tensor of `dtype`."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scales, a Tensor of `dtype`."""
        return self._scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        normal = random_normal(joining.concat([[n], self.batch_shape_tensor()], 0), dtype=self.dtype, seed=seed)
        df = self.df * self._ones()
        second_seed = gen_new_seed(seed, salt="student_t")
        gamma = random_gamma([n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=second_seed)
        return normal * rsqrt(gamma / df) * self.scale + self.loc

    def _log_prob(self, value: Any) -> Any:
        y = (value - self.loc) / self.scale
        unnormalized = -0.5 * (self.df + 1.0) * log1p(y**2.0 / self.df)
        normalization = (
            log(absolute(self.scale))
            + 0.5 * log(self.df)
            + 0.5 * math.log(math.pi)
            + lgamma(0.5 * self.df)
            - lgamma(0.5 * (self.df + 1.0))
        )
        return unnormalized - normalization

    def _cdf(self, value: Any) -> Any:
        y = (value - self.loc) / absolute(self.scale)
        x = self.df / (y**2.0 + self.df)
        a: Any = 0.5 * self.df
        b: Any = 0.5
        # The incomplete beta function and the choice take arguments of one shape, or scalars.
        known = x.shape.is_fully_defined()
        if not (known and a.shape == x.shape):
            a, b = a * making.ones_like(x), b * making.ones_like(x)
        if not (known and y.shape == x.shape):
            y = y * making.ones_like(x)
        half = 0.5 * betainc(a, b, x)
        return where(less(y, 0.0), half, 1.0 - half)

    def _entropy(self) -> Any:
        ones = self._ones()[..., None]
        df = ones * self.df[..., None]
        counts = joining.concat([df, ones], -1) / 2.0
        of_scale_and_df = log(absolute(self.scale)) + 0.5 * log(self.df) + log_beta(counts)
        # The names of the operations count each of the sums.
        half_next, same = 0.5 * (self.df + 1.0), 0.5 * (self.df + 1.0)
        return of_scale_and_df + half_next * (digamma(same) - digamma(0.5 * self.df))

    def _mean(self) -> Any:
        return self._where_df_above_one(self.loc * self._ones(), "mean")

    def _variance(self) -> Any:
        denominator = where(greater(self.df, 2.0), self.df - 2.0, making.ones_like(self.df))
        variance = self._ones() * square(self.scale) * self.df / denominator
        is_finite = greater(self.df, making.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(2)))
        infinity = making.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.inf), name="inf")
        return self._where_df_above_one(where(is_finite, variance, infinity), "variance")

    def _mode(self) -> Any:
        return identity(self.loc)

    def _ones(self) -> Any:
        return making.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _where_df_above_one(self, statistic: Any, what: str) -> Any:
        if not self.allow_nan_stats:
            check = validation.above_one(self.df, f"{what} not defined for components of df <= 1")
            return with_dependencies([check], statistic)
        is_defined = greater(self.df, self._ones())
        nan = making.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan), name="nan")
        return where(is_defined, statistic, nan)


class StudentTWithAbsDfSoftplusScale(StudentT):
    """`StudentT` of `floor(abs(df))` degrees of freedom and the softplus of the argument `scale`.

    Args:
        df: Tensor of a float dtype, of which the absolute value, rounded down, is the degrees of freedom.
        loc: Tensor of the dtype of `df`, that broadcasts with it: the locations.
        scale: Tensor of the dtype of `df`, that broadcasts with it, whose softplus is the scale.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentTWithAbsDfSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[df, scale]) as name:
            super().__init__(
                floor(absolute(df)),
                loc,
                softplus(scale, name="softplus_scale"),
                validate_args,
                allow_nan_stats,
                name,
            )
        self._parameters = parameters
