"""Distributions of counts: Poisson, geometric, negative binomial, binomial."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions.parameterization import gen_new_seed, get_logits_and_probs
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.scalar_distribution import ScalarDistribution
from ferroflow._src.distributions.validation import nonnegative_integer_form
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.arithmetic import betainc, igammac
from ferroflow._src.ops.math.elementwise import exp, floor, lgamma, log, log1p, log_sigmoid
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.random.sampling import random_gamma, random_poisson, random_uniform


class Poisson(ScalarDistribution):
    """The Poisson distribution, of probabilities `rate ** k * exp(-rate) / k!`.

    Args:
        rate: Tensor of a float dtype, above 0; or None.
        log_rate: Tensor of a float dtype, the logarithm of the rate; or None.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `rate` and `log_rate` are given.
    """

    _BROADCAST = ("rate",)

    def __init__(
        self,
        rate: Any = None,
        log_rate: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as name:
            if (rate is None) == (log_rate is None):
                raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
            if log_rate is not None:
                self._log_rate = making.identity(log_rate, name="log_rate")
                self._rate = exp(self._log_rate, name="rate")
            else:
                with control_dependencies([checking.assert_positive(rate)] if validate_args else []):
                    self._rate = making.identity(rate, name="rate")
                    self._log_rate = log(self._rate, name="log_rate")
        super().__init__(
            dtype=self._rate.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._rate],
            name=name,
        )

    @property
    def rate(self) -> Any:
        """The rates, a Tensor of `dtype`."""
        return self._rate

    @property
    def log_rate(self) -> Any:
        """The logarithms of the rates, a Tensor of `dtype`."""
        return self._log_rate

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)

    def _checked(self, value: Any) -> Any:
        return nonnegative_integer_form(value) if self.validate_args else value

    def _log_prob(self, value: Any) -> Any:
        k = self._checked(value)
        return k * self.log_rate - lgamma(1.0 + k) - self.rate

    def _cdf(self, value: Any) -> Any:
        k = self._checked(value)
        return igammac(1.0 + k, self.rate + making.zeros_like(k))

    def _log_cdf(self, value: Any) -> Any:
        return log(self._cdf(value))

    def _mean(self) -> Any:
        return making.identity(self.rate)

    def _variance(self) -> Any:
        return making.identity(self.rate)

    def _mode(self) -> Any:
        return floor(self.rate)


class _OfProbability(ScalarDistribution):
    """A distribution of counts with a probability, given by itself or by its log odds."""

    def _make(
        self,
        logits: Any,
        probs: Any,
        total_count: Any,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        given: Any,
    ) -> None:
        with name_scope(name, values=[total_count, logits, probs]) as scope:
            self._logits, self._probs = get_logits_and_probs(logits, probs, validate_args=validate_args, name=scope)
            parents = [self._logits, self._probs]
            if total_count is not None:
                with control_dependencies([checking.assert_positive(total_count)] if validate_args else []):
                    self._total_count = making.identity(total_count, name="total_count")
                checking.assert_same_float_dtype([self._total_count, self._probs])
                parents.append(self._total_count)
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=parents,
            name=scope,
        )

    @property
    def logits(self) -> Any:
        """The log odds, a Tensor of `dtype`."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities, a Tensor of `dtype`."""
        return self._probs

    def _checked(self, value: Any) -> Any:
        return nonnegative_integer_form(value) if self.validate_args else value


class Geometric(_OfProbability):
    """The number of failures before the first success.

    Args:
        logits: Tensor of a float dtype: the log odds of a success; or None.
        probs: Tensor of a float dtype, in (0, 1]: the probabilities of a success; or None.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given.
    """

    _BROADCAST = ("probs",)

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Geometric",
    ) -> None:
        self._make(logits, probs, None, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        uniform = random_uniform(
            joining.concat([[n], self.batch_shape_tensor()], 0),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            seed=seed,
            dtype=self.dtype,
        )
        return floor(log(uniform) / log1p(-self.probs))

    def _log_prob(self, value: Any) -> Any:
        k = self._checked(value)
        probs = self.probs + making.zeros_like(k)
        # A success that is certain comes first: 0 * log(0) is 0.
        safe = where(probs < 1.0, probs, making.zeros_like(probs))
        nothing_else = where(k > 0.0 * probs, -np.inf * making.ones_like(probs), making.zeros_like(probs))
        return where(probs < 1.0, k * log1p(-safe), nothing_else) + log(probs)

    def _cdf(self, value: Any) -> Any:
        k = floor(self._checked(value))
        below = 1.0 - exp((1.0 + k) * log1p(-self.probs))
        return where(k < 0.0 * below, making.zeros_like(below), below)

    def _entropy(self) -> Any:
        # -log(p) - (1 - p) / p * log(1 - p)
        logits = self.logits
        if self.validate_args:
            message = "Entropy is undefined when logits = inf or probs = 1."
            check = checking.assert_less(self.probs, making.ones([], self.dtype), message=message)
            logits = with_dependencies([check], logits)
        return softplus(-logits) + exp(-logits) * softplus(logits)

    def _mean(self) -> Any:
        return exp(-self.logits)

    def _variance(self) -> Any:
        return self._mean() / self.probs

    def _mode(self) -> Any:
        return making.zeros(self.batch_shape_tensor(), dtype=self.dtype)


class NegativeBinomial(_OfProbability):
    """The number of successes before `total_count` failures.

    Args:
        total_count: Tensor of a float dtype, above 0.
        logits: Tensor of the same dtype: the log odds of a success; or None.
        probs: Tensor of the same dtype, in [0, 1): the probabilities of a success; or None.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given, or dtypes differ.
    """

    _BROADCAST = ("total_count", "probs")

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NegativeBinomial",
    ) -> None:
        self._make(logits, probs, total_count, validate_args, allow_nan_stats, name, dict(locals()))

    @property
    def total_count(self) -> Any:
        """The numbers of failures, a Tensor of `dtype`."""
        return self._total_count

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        rate = random_gamma([n], alpha=self.total_count, beta=exp(-self.logits), dtype=self.dtype, seed=seed)
        return random_poisson(rate, [], dtype=self.dtype, seed=gen_new_seed(seed, "negative_binom"))

    def _log_prob(self, value: Any) -> Any:
        k = self._checked(value)
        unnormalized = self.total_count * log_sigmoid(-self.logits) + k * log_sigmoid(self.logits)
        return unnormalized - (lgamma(1.0 + k) + lgamma(self.total_count) - lgamma(self.total_count + k))

    def _cdf(self, value: Any) -> Any:
        k = self._checked(value)
        zeros = making.zeros_like(k + self.total_count + self.probs)
        return betainc(self.total_count + zeros, 1.0 + k + zeros, 1.0 - self.probs + zeros)

    def _mean(self) -> Any:
        return self.total_count * exp(self.logits)

    def _variance(self) -> Any:
        return self._mean() / (1.0 - self.probs)

    def _mode(self) -> Any:
        adjusted = (self.total_count - 1.0) * exp(self.logits)
        return where(adjusted > 0.0, floor(adjusted), making.zeros_like(adjusted))


class Binomial(_OfProbability):
    """The number of successes of `total_count` trials; as in TensorFlow, without samples.

    Args:
        total_count: Tensor of a float dtype, of whole numbers from 0 on.
        logits: Tensor of the same dtype: the log odds of a success; or None.
        probs: Tensor of the same dtype, in [0, 1]: the probabilities of a success; or None.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given, or dtypes differ.
    """

    _BROADCAST = ("total_count", "probs")

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Binomial",
    ) -> None:
        given = dict(locals())
        whole = nonnegative_integer_form(total_count) if validate_args else total_count
        self._make(logits, probs, whole, False, allow_nan_stats, name, given)
        self._validate_args = validate_args

    @property
    def total_count(self) -> Any:
        """The numbers of trials, a Tensor of `dtype`."""
        return self._total_count

    def _counted(self, value: Any) -> Any:
        if not self.validate_args:
            return value
        message = "total_count must be at least the count."
        check = checking.assert_less_equal(value, self.total_count, message=message)
        return with_dependencies([check], self._checked(value))

    def _log_prob(self, value: Any) -> Any:
        k, n = self._counted(value), self.total_count
        combinations = lgamma(1.0 + n) - lgamma(1.0 + k) - lgamma(1.0 + n - k)
        return combinations + k * log_sigmoid(self.logits) + (n - k) * log_sigmoid(-self.logits)

    def _cdf(self, value: Any) -> Any:
        k = self._counted(value)
        zeros = making.zeros_like(k + self.total_count + self.probs)
        trials = self.total_count + zeros
        is_last = k + zeros >= trials
        # The incomplete beta function is not defined for the last count.
        inner = where(is_last, zeros, k + zeros)
        below = betainc(where(is_last, zeros + 1.0, trials - inner), 1.0 + inner, 1.0 - self.probs + zeros)
        return where(is_last, zeros + 1.0, below)

    def _mean(self) -> Any:
        return self.total_count * self.probs

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Any:
        return floor((1.0 + self.total_count) * self.probs)
