"""The Bernoulli distribution."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.distributions import validation
from ferroflow._src.distributions.divergence import RegisterKL
from ferroflow._src.distributions.parameterization import get_logits_and_probs
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.scalar_distribution import ScalarDistribution
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less
from ferroflow._src.ops.math.elementwise import sigmoid
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.nn.softmax import sigmoid_cross_entropy_with_logits
from ferroflow._src.ops.random.sampling import random_uniform


class Bernoulli(ScalarDistribution):
    """The Bernoulli distribution: 1 with a probability, else 0.

    Args:
        logits: Tensor of a float dtype: the log odds of 1; or None.
        probs: Tensor of a float dtype, in [0, 1]: the probabilities of 1; or None.
        dtype: DType of the samples.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given.
        TypeError: if `logits` or `probs` is not of a float dtype.
    """

    _BROADCAST = ("logits",)

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as name:
            self._logits, self._probs = get_logits_and_probs(logits, probs, validate_args=validate_args, name=name)
        super().__init__(
            dtype=dtypes.as_dtype(dtype),
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs],
            name=name,
        )

    @property
    def logits(self) -> Any:
        """The log odds of 1, a Tensor of a float dtype, of shape `batch_shape`."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities of 1, a Tensor of a float dtype, of shape `batch_shape`."""
        return self._probs

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        uniform = random_uniform(shape, seed=seed, dtype=self.probs.dtype)
        return cast(less(uniform, self.probs), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            value = validation.integer_casting_closed(value, target_dtype=dtypes.bool)
        value, logits = cast(value, self.logits.dtype), self.logits
        shapes = value.get_shape(), logits.get_shape()
        if not (all(shape.is_fully_defined() for shape in shapes) and shapes[0] == shapes[1]):
            logits, value = making.ones_like(value) * logits, making.ones_like(logits) * value
        return -sigmoid_cross_entropy_with_logits(labels=value, logits=logits)

    def _entropy(self) -> Any:
        return -self.logits * (sigmoid(self.logits) - 1) + softplus(-self.logits)

    def _mean(self) -> Any:
        return identity(self.probs)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Any:
        return cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    with name_scope(name, "kl_bernoulli_bernoulli", values=[a.logits, b.logits]):
        of_one = softplus(-b.logits) - softplus(-a.logits)
        of_zero = softplus(b.logits) - softplus(a.logits)
        return sigmoid(a.logits) * of_one + sigmoid(-a.logits) * of_zero
