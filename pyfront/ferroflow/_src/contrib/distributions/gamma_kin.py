"""Distributions made of the gamma distribution: chi-squared and inverse gamma."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions.gamma import Gamma
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import making
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.arithmetic import igammac
from ferroflow._src.ops.math.elementwise import abs as absolute, digamma, floor, lgamma, log, sqrt, square
from ferroflow._src.ops.nn.activation import softplus


class Chi2(Gamma):
    """The chi-squared distribution: a gamma distribution of concentration `df / 2` and rate 1/2.

    Args:
        df: Tensor of a float dtype, above 0: the degrees of freedom.
        validate_args: bool. If True, steps check the parameter and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.
    """

    _BROADCAST = ("df",)

    def __init__(
        self, df: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Chi2"
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[df]) as name:
            with control_dependencies([checking.assert_positive(df)] if validate_args else []):
                self._df = making.identity(df, name="df")
            half = convert_to_tensor(0.5, dtype=self._df.dtype)
            super().__init__(0.5 * self._df, half, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    @property
    def df(self) -> Any:
        """The degrees of freedom, a Tensor of `dtype`."""
        return self._df


class Chi2WithAbsDf(Chi2):
    """`Chi2` of the whole part of the argument's absolute value.

    Args:
        df: Tensor of a float dtype, of absolute value at least 1.
        validate_args: bool. If True, steps check the parameter and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.
    """

    def __init__(
        self, df: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Chi2WithAbsDf"
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[df]) as name:
            super().__init__(floor(absolute(df, name="abs_df")), validate_args, allow_nan_stats, name)
        self._parameters = parameters


class InverseGamma(Gamma):
    """The distribution of `1 / x`, x of a gamma distribution.

    Args:
        concentration: Tensor of a float dtype, above 0.
        rate: Tensor of the dtype of `concentration`, that broadcasts with it, above 0: the scale.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
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
        name: str = "InverseGamma",
    ) -> None:
        parameters = dict(locals())
        super().__init__(concentration, rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return 1.0 / super()._sample_n(n, seed)

    def _log_prob(self, value: Any) -> Any:
        x = self._checked(value)
        c = self.concentration
        return -(1.0 + c) * log(x) - self.rate / x - (lgamma(c) - c * log(self.rate))

    def _cdf(self, value: Any) -> Any:
        return igammac(self.concentration, self.rate / self._checked(value))

    def _entropy(self) -> Any:
        c = self.concentration
        return c + log(self.rate) + lgamma(c) - (1.0 + c) * digamma(c)

    def _where_above(self, least: float, value: Any, what: str) -> Any:
        """Returns a statistic that is defined for concentrations above `least`."""
        c = self.concentration + making.zeros_like(value)
        if not self.allow_nan_stats:
            message = f"{what} undefined when any concentration <= {least:g}"
            check = checking.assert_less(making.ones_like(c) * least, c, message=message)
            return with_dependencies([check], value)
        nan = making.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan), name="nan")
        return where(c > least, value, nan)

    def _mean(self) -> Any:
        return self._where_above(1.0, self.rate / (self.concentration - 1.0), "mean")

    def _variance(self) -> Any:
        c = self.concentration
        return self._where_above(2.0, square(self.rate) / (square(c - 1.0) * (c - 2.0)), "variance")

    def _stddev(self) -> Any:
        return sqrt(self._variance())

    def _mode(self) -> Any:
        return self.rate / (1.0 + self.concentration)


class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """`InverseGamma` whose concentration and rate are the softplus of the arguments.

    Args:
        concentration: Tensor of a float dtype, whose softplus is the concentration.
        rate: Tensor of the dtype of `concentration`, that broadcasts with it, whose softplus is the rate.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGammaWithSoftplusConcentrationRate",
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
