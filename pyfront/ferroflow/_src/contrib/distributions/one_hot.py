"""Distributions of one-hot vectors and their relaxations to probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.bijectors.power import Exp
from ferroflow._src.contrib.distributions.transformed import TransformedDistribution
from ferroflow._src.distributions.distribution import Distribution
from ferroflow._src.distributions.divergence import RegisterKL
from ferroflow._src.distributions.parameterization import get_logits_and_probs
from ferroflow._src.distributions.reparameterization import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    ReparameterizationType,
)
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import lgamma, log
from ferroflow._src.ops.math.linalg import matmul, matrix_set_diag
from ferroflow._src.ops.math.reduction import argmax, reduce_logsumexp, reduce_sum
from ferroflow._src.ops.nn.softmax import log_softmax, softmax, softmax_cross_entropy_with_logits
from ferroflow._src.ops.random.sampling import multinomial, random_uniform


class _OfClasses(Distribution):
    """A distribution of vectors with an element for each class."""

    def _make(
        self,
        logits: Any,
        probs: Any,
        dtype: Any,
        reparameterization_type: ReparameterizationType,
        parents: list[Any],
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        given: dict[str, Any],
    ) -> None:
        self._logits, self._probs = logits, probs
        with name_scope("event_size"):
            self._event_size = shaping.shape(logits)[-1]
        super().__init__(
            dtype=dtype,
            reparameterization_type=reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[logits, probs, *parents],
            name=name,
        )

    @property
    def event_size(self) -> Any:
        """The number of classes, a Tensor of int32."""
        return self._event_size

    @property
    def logits(self) -> Any:
        """The logarithms of the classes' weights, a Tensor of shape `batch_shape` + [classes]."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of the classes, a Tensor of shape `batch_shape` + [classes]."""
        return self._probs

    def _batch_shape_tensor(self) -> Any:
        return shaping.shape(self._logits)[:-1]

    def _batch_shape(self) -> Any:
        return self._logits.get_shape()[:-1]

    def _event_shape_tensor(self) -> Any:
        return shaping.shape(self._logits)[-1:]

    def _event_shape(self) -> Any:
        return self._logits.get_shape().with_rank_at_least(1)[-1:]

    def _rows(self, x: Any) -> tuple[Any, Any, Any]:
        """Returns the logits and a value, broadcast, as rows, and the shape of the result."""
        logits = self._logits
        static, own = x.get_shape(), logits.get_shape()
        if not static.is_fully_defined() or not own.is_fully_defined() or static != own:
            logits = making.ones_like(x, dtype=logits.dtype) * logits
            x = making.ones_like(logits, dtype=x.dtype) * x
        shape = shaping.shape(logits)[:-1]
        rows = [shaping.reshape(each, [-1, self._event_size]) for each in (logits, x)]
        return rows[0], rows[1], shape


class OneHotCategorical(_OfClasses):
    """The distribution of a class as a vector with 1 at its place and 0 elsewhere.

    Args:
        logits: Tensor of a float dtype, of shape [..., classes]: the logarithms of the weights; or None.
        probs: Tensor of a float dtype, of shape [..., classes]: the probabilities; or None.
        dtype: DType of the samples.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given.
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        given = dict(locals())
        with name_scope(name, values=[logits, probs]) as scope:
            logits, probs = get_logits_and_probs(logits, probs, True, validate_args, scope)
            dtype = dtypes.as_dtype(dtype)
            self._make(logits, probs, dtype, NOT_REPARAMETERIZED, [], validate_args, allow_nan_stats, scope, given)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = joining.concat([[n], shaping.shape(self._logits)], 0)
        drawn = multinomial(shaping.reshape(self._logits, [-1, self._event_size]), n, seed=seed)
        one_hot = making.one_hot(shaping.transpose(drawn), self._event_size, dtype=self.dtype)
        return shaping.reshape(one_hot, shape)

    def _log_prob(self, value: Any) -> Any:
        logits, rows, shape = self._rows(self._checked(value))
        cross_entropy = softmax_cross_entropy_with_logits(labels=cast(rows, logits.dtype), logits=logits)
        return shaping.reshape(-cross_entropy, shape)

    def _checked(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        total = reduce_sum(x, axis=-1)
        message = "Elements of a one-hot vector must add up to 1."
        checks = [
            checking.assert_non_negative(x),
            checking.assert_equal(total, making.ones_like(total), message=message),
        ]
        return with_dependencies(checks, x)

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self._logits) * self._probs, axis=-1)

    def _mean(self) -> Any:
        return making.identity(self._probs)

    def _mode(self) -> Any:
        mode = making.one_hot(argmax(self._logits, axis=-1), self._event_size, dtype=self.dtype)
        mode.set_shape(self._logits.get_shape())
        return mode

    def _variance(self) -> Any:
        return self._probs * (1.0 - self._probs)

    def _covariance(self) -> Any:
        probs = self._probs
        return matrix_set_diag(-matmul(probs[..., None], probs[..., None, :]), self._variance())


class ExpRelaxedOneHotCategorical(_OfClasses):
    """The distribution of the logarithms of a relaxed one-hot vector.

    Args:
        temperature: Tensor of a float dtype, of shape [], above 0: near 0 for vectors near one-hot ones.
        logits: Tensor of a float dtype, of shape [..., classes]: the logarithms of the weights; or None.
        probs: Tensor of a float dtype, of shape [..., classes]: the probabilities; or None.
        dtype: DType of the samples; None for that of the logits.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given.

    Source: Maddison, Mnih, Teh, The concrete distribution, 2016; Jang, Gu, Poole, Categorical reparameterization with
    Gumbel-softmax, 2016.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        given = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as scope:
            logits, probs = get_logits_and_probs(logits, probs, True, validate_args, scope)
            if dtype is None:
                dtype = logits.dtype
                if not validate_args:
                    temperature = cast(temperature, dtype)
            with control_dependencies([checking.assert_positive(temperature)] if validate_args else []):
                self._temperature = making.identity(temperature, name="temperature")
                self._temperature_row = shaping.reshape(temperature, [-1, 1], name="temperature_2d")
            self._make(
                logits,
                probs,
                dtypes.as_dtype(dtype),
                FULLY_REPARAMETERIZED,
                [self._temperature],
                validate_args,
                allow_nan_stats,
                scope,
                given,
            )

    @property
    def temperature(self) -> Any:
        """The temperature, a Tensor of a float dtype."""
        return self._temperature

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = joining.concat([[n], shaping.shape(self._logits)], 0)
        logits = shaping.reshape(self._logits * making.ones(shape, dtype=self.dtype), [-1, self._event_size])
        # An element of 0 would have an infinite logarithm.
        uniform = random_uniform(
            shape=shaping.shape(logits),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )
        noisy = (-log(-log(uniform)) + logits) / self._temperature_row
        return shaping.reshape(log_softmax(noisy), shape)

    def _log_prob(self, value: Any) -> Any:
        logits, rows, shape = self._rows(self._checked(value))
        classes = cast(self._event_size, rows.dtype)
        normalizer = lgamma(classes) + (classes - 1.0) * log(self._temperature)
        unnormalized = reduce_sum(log_softmax(logits - rows * self._temperature_row), [-1])
        return shaping.reshape(normalizer + unnormalized, shape)

    def _checked(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        zero = making.zeros([], dtype=self.dtype)
        checks = [
            checking.assert_non_positive(x),
            checking.assert_near(zero, reduce_logsumexp(x, axis=[-1])),
        ]
        return with_dependencies(checks, x)


class RelaxedOneHotCategorical(TransformedDistribution):
    """The distribution of probabilities that are near a one-hot vector.

    Args:
        temperature: Tensor of a float dtype, of shape [], above 0: near 0 for vectors near one-hot ones.
        logits: Tensor of a float dtype, of shape [..., classes]: the logarithms of the weights; or None.
        probs: Tensor of a float dtype, of shape [..., classes]: the probabilities; or None.
        dtype: DType of the samples; None for that of the logits.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given.

    Source: Maddison, Mnih, Teh, The concrete distribution, 2016; Jang, Gu, Poole, Categorical reparameterization with
    Gumbel-softmax, 2016.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        parameters = dict(locals())
        of_logarithms = ExpRelaxedOneHotCategorical(temperature, logits, probs, dtype, validate_args, allow_nan_stats)
        super().__init__(of_logarithms, Exp(), name=name)
        self._parameters = parameters

    @property
    def temperature(self) -> Any:
        """The temperature, a Tensor of a float dtype."""
        return self.distribution.temperature

    @property
    def event_size(self) -> Any:
        """The number of classes, a Tensor of int32."""
        return self.distribution.event_size

    @property
    def logits(self) -> Any:
        """The logarithms of the classes' weights, a Tensor of shape `batch_shape` + [classes]."""
        return self.distribution.logits

    @property
    def probs(self) -> Any:
        """The probabilities of the classes, a Tensor of shape `batch_shape` + [classes]."""
        return self.distribution.probs


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _kl_one_hot(a: OneHotCategorical, b: OneHotCategorical, name: str | None = None) -> Any:
    with name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        difference = log_softmax(a.logits) - log_softmax(b.logits)
        return reduce_sum(softmax(a.logits) * difference, axis=-1)
