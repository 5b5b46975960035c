"""The multinomial distribution."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.distributions import validation
from ferroflow._src.distributions.parameterization import get_logits_and_probs, log_combinations
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.vector_distribution import VectorDistribution
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_max, reduce_sum
from ferroflow._src.ops.nn.softmax import log_softmax
from ferroflow._src.ops.random import sampling


class Multinomial(VectorDistribution):
    """The counts of k classes in a number of draws.

    Args:
        total_count: Tensor of the dtype of the probabilities, of whole numbers from 0 on: the draws.
        logits: Tensor of a float dtype, of shape [..., k]: logarithms of probabilities, up to a constant; or None.
        probs: Tensor of a float dtype, of shape [..., k]: probabilities; or None.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given.
        TypeError: if `logits` or `probs` is not of a float dtype.
    """

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as name:
            self._total_count = convert_to_tensor(total_count, name="total_count")
            if validate_args:
                self._total_count = validation.nonnegative_integer_form(self._total_count)
            self._logits, self._probs = get_logits_and_probs(
                logits, probs, multidimensional=True, validate_args=validate_args, name=name
            )
            self._mean_val = self._total_count[..., None] * self._probs
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._logits, self._probs],
            name=name,
        )

    @property
    def total_count(self) -> Any:
        """The numbers of draws, as a Tensor."""
        return self._total_count

    @property
    def logits(self) -> Any:
        """The logarithms of the probabilities, up to a constant, a Tensor of `dtype`, of shape `batch_shape` +
        [classes].
        """
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities, a Tensor of `dtype`, of shape `batch_shape` + [classes]."""
        return self._probs

    def _shaped_as_batch_of_events(self) -> Any:
        return self._mean_val

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        batch, k = self.batch_shape_tensor(), self.event_shape_tensor()[0]
        counts = shaping.reshape(cast(self.total_count, dtypes.int32) * making.ones(batch, dtype=dtypes.int32), [-1])
        rows = shaping.reshape(self.logits + making.zeros_like(self._mean_val), [-1, k])
        # All rows draw as often as the one of the largest count; what is too much for a row is masked. TF 1.x draws
        # row by row in a loop whose iterations run in any order, so that its own samples of a batch are no fixed ones.
        most = reduce_max(joining.concat([counts, [0]], 0))
        drawn = sampling.multinomial(rows, n * most, seed=seed)
        is_counted = making.sequence_mask(counts, most, dtype=self.dtype)
        one_hot = making.one_hot(shaping.reshape(drawn, [-1, n, most]), depth=k, dtype=self.dtype)
        x = reduce_sum(one_hot * is_counted[:, None, :, None], axis=-2)
        x = shaping.transpose(x, perm=[1, 0, 2])
        return shaping.reshape(x, joining.concat([[n], batch, [k]], 0))

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            value = validation.nonnegative_integer_form(value)
            message = "counts must sum to `self.total_count`"
            check = checking.assert_equal(self.total_count, reduce_sum(value, -1), message=message)
            value = with_dependencies([check], value)
        unnormalized = reduce_sum(value * log_softmax(self.logits), -1)
        return unnormalized + log_combinations(self.total_count, value)

    def _mean(self) -> Any:
        return making.identity(self._mean_val)

    def _broadcast_probs(self) -> Any:
        return self.probs * making.ones_like(self.total_count)[..., None]

    def _covariance(self) -> Any:
        return self._covariance_of(self._mean_val, self._broadcast_probs())

    def _variance(self) -> Any:
        return self._mean_val - self._mean_val * self._broadcast_probs()
