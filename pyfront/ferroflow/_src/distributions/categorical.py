"""The categorical distribution."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.distributions import validation
from ferroflow._src.distributions.divergence import RegisterKL
from ferroflow._src.distributions.parameterization import get_logits_and_probs
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.distributions.scalar_distribution import ScalarDistribution
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import argmax, reduce_sum
from ferroflow._src.ops.nn.softmax import log_softmax, softmax, sparse_softmax_cross_entropy_with_logits
from ferroflow._src.ops.random.sampling import multinomial


class Categorical(ScalarDistribution):
    """The categorical distribution: one of k classes, numbered from 0.

    Args:
        logits: Tensor of a float dtype, of shape [..., k]: logarithms of probabilities, up to a constant; or None.
        probs: Tensor of a float dtype, of shape [..., k]: probabilities; or None.
        dtype: DType of the samples.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN rather than an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both or neither of `logits` and `probs` are given, or the one given is a scalar.
        TypeError: if `logits` or `probs` is not of a float dtype.
    """

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = get_logits_and_probs(
                logits, probs, multidimensional=True, validate_args=validate_args, name=name
            )
            if validate_args:
                self._logits = validation.categorical_event_shape(self._logits)
            static = self._logits.get_shape().with_rank_at_least(1)
            if static.ndims is None:
                with name_scope("batch_rank"):
                    self._last_axis = shaping.rank(self._logits) - 1
            else:
                self._last_axis = constant(static.ndims - 1, dtype=dtypes.int32, name="batch_rank")
            shape = shaping.shape(self._logits, name="logits_shape")
            known_size = static[-1].value if static.ndims is not None else None
            if known_size is None:
                with name_scope("event_size"):
                    self._event_size = shape[self._last_axis]
            else:
                self._event_size = constant(known_size, dtype=dtypes.int32, name="event_size")
            known_batch = static[:-1]
            if known_batch.is_fully_defined():
                self._batch_shape_val = constant(known_batch.as_list(), dtype=dtypes.int32, name="batch_shape")
            else:
                with name_scope("batch_shape"):
                    self._batch_shape_val = shape[:-1]
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
    def event_size(self) -> Any:
        """The number of classes, as a Tensor of int32."""
        return self._event_size

    @property
    def logits(self) -> Any:
        """The logarithms of the probabilities, up to a constant, a Tensor of a float dtype, of shape `batch_shape` +
        [classes].
        """
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities, a Tensor of a float dtype, of shape `batch_shape` + [classes]."""
        return self._probs

    def _batch_shape_tensor(self) -> Any:
        return making.identity(self._batch_shape_val)

    def _batch_shape(self) -> Any:
        return self.logits.get_shape()[:-1]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        rows = self.logits
        if rows.get_shape().ndims != 2:
            rows = shaping.reshape(rows, [-1, self.event_size])
        drawn = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        draws = shaping.transpose(multinomial(rows, n, seed=seed, output_dtype=drawn))
        return cast(shaping.reshape(draws, joining.concat([[n], self.batch_shape_tensor()], 0)), self.dtype)

    def _event_and(self, params: Any, k: Any) -> tuple[Any, Any]:
        """Returns classes and parameters broadcast to one batch shape."""
        k = convert_to_tensor(k, name="k")
        if self.validate_args:
            k = validation.integer_casting_closed(k, target_dtype=dtypes.int32)
        if k.get_shape().ndims is None:
            raise NotImplementedError("Cannot broadcast with an event tensor of unknown rank.")
        if k.dtype.is_floating:
            k = cast(k, dtypes.int32)
        elif not k.dtype.is_integer:
            raise TypeError(f"`value` should have integer `dtype` or `self.dtype` ({self.dtype.base_dtype})")
        static = params.get_shape()
        known = static.ndims is not None and static[:-1].is_fully_defined() and k.get_shape().is_fully_defined()
        if known and static[:-1] == k.get_shape():
            return k, params
        params = params * making.ones_like(k[..., None], dtype=params.dtype)
        k = k * making.ones(shaping.shape(params)[:-1], dtype=k.dtype)
        if params.get_shape().ndims is not None:
            k.set_shape(params.get_shape()[:-1])
        return k, params

    def _cdf(self, value: Any) -> Any:
        k, probs = self._event_and(self.probs, value)
        rows = shaping.reshape(probs, [-1, self.event_size])
        is_below = making.sequence_mask(shaping.reshape(k, [-1]), self.event_size)
        sums = reduce_sum(where(is_below, rows, making.zeros_like(rows)), axis=-1)
        return shaping.reshape(sums, shaping.shape(k))

    def _log_prob(self, value: Any) -> Any:
        k, logits = self._event_and(self.logits, value)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self) -> Any:
        mode = cast(argmax(self.logits, axis=self._last_axis), self.dtype)
        mode.set_shape(self.batch_shape)
        return mode


@RegisterKL(Categorical, Categorical)
def _kl_categorical_categorical(a: Categorical, b: Categorical, name: str | None = None) -> Any:
    with name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        return reduce_sum(softmax(a.logits) * (log_softmax(a.logits) - log_softmax(b.logits)), axis=-1)
