"""Distributions of the whole numbers that numbers of another distribution are rounded up to."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.distributions.distribution import Distribution, graph_parents_of
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.validation import assert_integer_form
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import making
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.elementwise import ceil, exp, floor, log


def _log_of_difference(big: Any, small: Any) -> Any:
    """Returns `log(exp(big) - exp(small))`."""
    with name_scope("logsum_expbig_minus_expsmall", values=[small, big]):
        return log(1.0 - exp(small - big)) + big


class QuantizedDistribution(Distribution):
    """The distribution of `ceil(x)`, cut off below `low` and above `high`, x of another distribution.

    A number y has the probability of `y - 1 < x <= y`; `low` has that of `x <= low`, and `high` that of
    `x > high - 1`.

    Args:
        distribution: Distribution of x, a number, with a cumulative distribution.
        low: Tensor of the distribution's dtype, of whole numbers: the least number; None for no such bound.
        high: Tensor of the distribution's dtype, of whole numbers, above `low`: the highest number; None for no such
            bound.
        validate_args: bool. If True, steps check the bounds and values.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(
        self,
        distribution: Any,
        low: Any = None,
        high: Any = None,
        validate_args: bool = False,
        name: str = "QuantizedDistribution",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[*graph_parents_of(distribution), low, high]) as scope:
            self._dist = distribution
            self._validate_args = validate_args
            low = None if low is None else convert_to_tensor(low, name="low")
            high = None if high is None else convert_to_tensor(high, name="high")
            bounds = [bound for bound in (low, high) if bound is not None]
            checking.assert_same_float_dtype(bounds, dtype=distribution.dtype)
            checks = []
            if validate_args and low is not None and high is not None:
                checks.append(checking.assert_less(low, high, message="low must be strictly less than high."))
            with control_dependencies(checks):
                self._low = None if low is None else self._checked(low)
                self._high = None if high is None else self._checked(high)
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=[*graph_parents_of(distribution), *(b for b in (self._low, self._high) if b is not None)],
            name=scope,
        )

    @property
    def distribution(self) -> Any:
        """The distribution of the numbers before they are rounded."""
        return self._dist

    @property
    def low(self) -> Any:
        """The least number, a Tensor of `dtype`; None for no such bound."""
        return self._low

    @property
    def high(self) -> Any:
        """The highest number, a Tensor of `dtype`; None for no such bound."""
        return self._high

    def _checked(self, value: Any) -> Any:
        with name_scope("check_integer", values=[value]):
            value = convert_to_tensor(value, name="value")
            if not self._validate_args:
                return value
            check = assert_integer_form(value, message="value has non-integer components.")
            return with_dependencies([check], value)

    def _batch_shape_tensor(self) -> Any:
        return self._dist.batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return self._dist.batch_shape

    def _event_shape_tensor(self) -> Any:
        return self._dist.event_shape_tensor()

    def _event_shape(self) -> Any:
        return self._dist.event_shape

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        with name_scope("transform"):
            samples = ceil(self._dist.sample(n, seed=seed))
            return self._where_beyond(samples, samples, self._low, self._high, is_high_beyond=False)

    def _where_beyond(self, y: Any, inside: Any, below: Any, above: Any, is_high_beyond: bool = True) -> Any:
        """Returns `inside`, and what is given for numbers below `low` and from `high` on."""
        y = y + making.zeros_like(inside)
        zeros = making.zeros_like(y)
        if self._low is not None:
            inside = where(y < self._low + zeros, below + zeros, inside)
        if self._high is not None:
            beyond = y >= self._high + zeros if is_high_beyond else y > self._high + zeros
            inside = where(beyond, above + zeros, inside)
        return inside

    def _log_prob(self, value: Any) -> Any:
        y = self._checked(value)
        try:
            log_above, log_above_before = self.log_survival_function(y), self.log_survival_function(y - 1.0)
        except NotImplementedError:
            return _log_of_difference(self.log_cdf(y), self.log_cdf(y - 1.0))
        # Of the two tails, the smaller one has more digits.
        log_below, log_below_before = self.log_cdf(y), self.log_cdf(y - 1.0)
        is_right = log_above < log_below
        big = where(is_right, log_above_before, log_below)
        small = where(is_right, log_above, log_below_before)
        return _log_of_difference(big, small)

    def _prob(self, value: Any) -> Any:
        y = self._checked(value)
        try:
            above, above_before = self.survival_function(y), self.survival_function(y - 1.0)
        except NotImplementedError:
            return self.cdf(y) - self.cdf(y - 1.0)
        below, below_before = self.cdf(y), self.cdf(y - 1.0)
        return where(above < below, above_before - above, below - below_before)

    def _log_cdf(self, value: Any) -> Any:
        y = floor(value)
        return self._where_beyond(y, self._dist.log_cdf(y), -math.inf, 0.0)

    def _cdf(self, value: Any) -> Any:
        y = floor(value)
        return self._where_beyond(y, self._dist.cdf(y), 0.0, 1.0)

    def _log_survival_function(self, value: Any) -> Any:
        y = ceil(value)
        return self._where_beyond(y, self._dist.log_survival_function(y), 0.0, -math.inf)

    def _survival_function(self, value: Any) -> Any:
        y = ceil(value)
        return self._where_beyond(y, self._dist.survival_function(y), 1.0, 0.0)
