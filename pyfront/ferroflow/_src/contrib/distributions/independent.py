"""Distributions of whose batch some dimensions become those of an event."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.distributions.static_shapes import known_size
from ferroflow._src.distributions.distribution import Distribution, graph_parents_of
from ferroflow._src.distributions.divergence import RegisterKL, kl_divergence
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.reduction import reduce_sum


def _rank_of_batch(distribution: Any) -> Any:
    """Returns the rank of the batch as an int, or as a Tensor of int32 if it is not known."""
    if distribution.batch_shape.ndims is not None:
        return distribution.batch_shape.ndims
    shape = distribution.batch_shape_tensor()
    static = shape.get_shape()
    known = None if static.ndims is None else known_size(static.with_rank_at_least(1)[0])
    return shaping.shape(shape)[0] if known is None else known


class Independent(Distribution):
    """Independent distributions of a batch as one distribution: the last dimensions of the batch become an event's.

    Args:
        distribution: Distribution.
        reinterpreted_batch_ndims: Tensor of int32, of shape []: how many dimensions; None for all but the first.
        validate_args: bool. If True, steps check ranks that are not known before.
        name: str, name scope of its operations; None for "Independent" and the distribution's name.

    Raises:
        ValueError: if `reinterpreted_batch_ndims` is known to exceed the rank of the batch.
    """

    def __init__(
        self,
        distribution: Any,
        reinterpreted_batch_ndims: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        self._distribution = distribution
        with name_scope(name or "Independent" + distribution.name) as scope:
            if reinterpreted_batch_ndims is None:
                rank = _rank_of_batch(distribution)
                reinterpreted_batch_ndims = max(0, rank - 1) if isinstance(rank, int) else maximum(0, rank - 1)
            ndims = convert_to_tensor(reinterpreted_batch_ndims, dtype=dtypes.int32, name="reinterpreted_batch_ndims")
            known = constant_value(ndims)
            self._known_ndims = None if known is None else int(known)
            self._ndims: Any = ndims if known is None else int(known)
            super().__init__(
                dtype=distribution.dtype,
                reparameterization_type=distribution.reparameterization_type,
                validate_args=validate_args,
                allow_nan_stats=distribution.allow_nan_stats,
                parameters=parameters,
                graph_parents=[ndims, *graph_parents_of(distribution)],
                name=scope,
            )
            self._checks = self._checked(ndims)

    def _checked(self, ndims: Any) -> list[Any]:
        rank = _rank_of_batch(self._distribution)
        if self._known_ndims is not None and isinstance(rank, int):
            if self._known_ndims > rank:
                raise ValueError(
                    f"reinterpreted_batch_ndims({self._known_ndims}) cannot exceed distribution.batch_ndims({rank})"
                )
            return []
        if not self.validate_args:
            return []
        message = "reinterpreted_batch_ndims cannot exceed distribution.batch_ndims"
        return [checking.assert_less_equal(ndims, rank, message=message)]

    @property
    def distribution(self) -> Any:
        """The distribution of the batch."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> Any:
        """The number of the batch's dimensions that become an event's: an int, or a Tensor of int32."""
        return self._ndims

    def _batch_shape_tensor(self) -> Any:
        with control_dependencies(self._checks):
            return self._distribution.batch_shape_tensor()[: _rank_of_batch(self._distribution) - self._ndims]

    def _split_shape(self) -> tuple[TensorShape, TensorShape]:
        """Returns the static shapes of the batch and of what it gives to an event."""
        batch = self._distribution.batch_shape
        if self._known_ndims is None or batch.ndims is None:
            return TensorShape(None), TensorShape(None)
        return batch[: batch.ndims - self._known_ndims], batch[batch.ndims - self._known_ndims :]

    def _batch_shape(self) -> Any:
        return self._split_shape()[0]

    def _event_shape_tensor(self) -> Any:
        with control_dependencies(self._checks):
            batch = self._distribution.batch_shape_tensor()
            first = _rank_of_batch(self._distribution) - self._ndims
            return joining.concat([batch[first:], self._distribution.event_shape_tensor()], 0)

    def _event_shape(self) -> Any:
        return self._split_shape()[1].concatenate(self._distribution.event_shape)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        with control_dependencies(self._checks):
            return self._distribution.sample(sample_shape=n, seed=seed)

    def _summed(self, x: Any) -> Any:
        return sum_of_last(x, self._ndims)

    def _log_prob(self, value: Any) -> Any:
        with control_dependencies(self._checks):
            return self._summed(self._distribution.log_prob(value))

    def _entropy(self) -> Any:
        with control_dependencies(self._checks):
            return self._summed(self._distribution.entropy())

    def _mean(self) -> Any:
        with control_dependencies(self._checks):
            return self._distribution.mean()

    def _variance(self) -> Any:
        with control_dependencies(self._checks):
            return self._distribution.variance()

    def _stddev(self) -> Any:
        with control_dependencies(self._checks):
            return self._distribution.stddev()

    def _mode(self) -> Any:
        with control_dependencies(self._checks):
            return self._distribution.mode()


def sum_of_last(x: Any, ndims: Any) -> Any:
    """Returns the sums of a tensor over its last dimensions; their number is an int or a Tensor of int32."""
    axes = [-i for i in range(1, ndims + 1)] if isinstance(ndims, int) else making.range(-ndims, 0)
    return reduce_sum(x, axis=axes)


@RegisterKL(Independent, Independent)
def _kl_independent(a: Independent, b: Independent, name: str | None = None) -> Any:
    p, q = a.distribution, b.distribution
    # Only what the batches add to the events is summed, so the inner events must be the same.
    known = [x.event_shape.is_fully_defined() for x in (a, b, p, q)]
    if all(known):
        if a.event_shape != b.event_shape:
            raise ValueError("Event shapes do not match.")
        if p.event_shape != q.event_shape:
            raise NotImplementedError(
                "KL between Independents whose inner distributions have different event shapes is not supported"
            )
        with name_scope(name, "kl_independent"):
            return sum_of_last(kl_divergence(p, q), a.event_shape.ndims - p.event_shape.ndims)
    with name_scope(name, "kl_independent"):
        checks = [
            checking.assert_equal(a.event_shape_tensor(), b.event_shape_tensor()),
            checking.assert_equal(p.event_shape_tensor(), q.event_shape_tensor()),
        ]
        ndims = shaping.size(a.event_shape_tensor()) - shaping.size(p.event_shape_tensor())
        with control_dependencies(checks):
            return sum_of_last(kl_divergence(p, q), ndims)
