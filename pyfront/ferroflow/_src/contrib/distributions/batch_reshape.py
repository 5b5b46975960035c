"""Distributions whose batch has another shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.distributions.static_shapes import rank_of
from ferroflow._src.distributions.distribution import Distribution, graph_parents_of
from ferroflow._src.framework.constant import constant_value, constant_value_as_shape
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import floordiv, maximum
from ferroflow._src.ops.math.reduction import count_nonzero, reduce_prod


def _resolved_shape(original: Any, wanted: Any, validate_args: bool) -> tuple[Any, TensorShape, list[Any]]:
    """Returns a shape without its -1, the same as far as it is known, and the checks that steps make."""
    static = constant_value_as_shape(wanted)
    if static.is_fully_defined():
        return np.array(static.as_list(), np.int32), static, []
    with name_scope(None, "calculate_reshape", [original, wanted]):
        size = reduce_prod(original)
        is_left = comparison.equal(wanted, -1)
        left = floordiv(size, maximum(1, -reduce_prod(wanted)))
        resolved = where(is_left, making.fill(shaping.shape(wanted), left), wanted)
        if not validate_args:
            return resolved, static, []
        at_most_one = "At most one dimension can be unknown."
        checks = [
            checking.assert_rank(original, 1, message="Original shape must be a vector."),
            checking.assert_rank(wanted, 1, message="New shape must be a vector."),
            checking.assert_less_equal(count_nonzero(is_left, dtype=dtypes.int32), 1, message=at_most_one),
            checking.assert_positive(resolved, message="Shape elements must be >=-1."),
            checking.assert_equal(reduce_prod(resolved), size, message="Shape sizes do not match."),
        ]
        return resolved, static, checks


class BatchReshape(Distribution):
    """A distribution whose batch has another shape of the same size.

    Args:
        distribution: Distribution.
        batch_shape: Tensor of int32, of shape [rank]; -1, at most once, for the size that is left.
        validate_args: bool. If True, steps check shapes that are not known before.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations; None for "BatchReshape" and the distribution's name.

    Raises:
        ValueError: if `batch_shape` is not a vector, or known to have another size than the distribution's.
        NotImplementedError: when a function of a value is called whose shape would have to be broadcast.
    """

    def __init__(
        self,
        distribution: Any,
        batch_shape: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        with name_scope(name or "BatchReshape" + distribution.name, values=[batch_shape]) as scope:
            wanted = convert_to_tensor(batch_shape, dtype=dtypes.int32, name="batch_shape")
            self._check_statically(distribution, wanted)
            resolved, static, checks = _resolved_shape(distribution.batch_shape_tensor(), wanted, validate_args)
            self._distribution = distribution
            self._wanted = wanted
            self._resolved = resolved
            self._static = static
            self._checks = checks
            super().__init__(
                dtype=distribution.dtype,
                reparameterization_type=distribution.reparameterization_type,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                parameters=parameters,
                graph_parents=[wanted, *graph_parents_of(distribution)],
                name=scope,
            )

    @staticmethod
    def _check_statically(distribution: Any, wanted: Any) -> None:
        ndims = wanted.get_shape().ndims
        if ndims is not None and ndims != 1:
            raise ValueError(f"`batch_shape` must be a vector (saw rank: {ndims}).")
        known = constant_value(wanted)
        if known is not None and np.any((known < 1) & (known != -1)):
            raise ValueError("`batch_shape` elements must be >=-1.")
        static = constant_value_as_shape(wanted)
        size, own = static.num_elements(), distribution.batch_shape.num_elements()
        if size is not None and own is not None and size != own:
            raise ValueError(f"`batch_shape` size ({size}) must match `distribution.batch_shape` size ({own}).")

    @property
    def distribution(self) -> Any:
        """The distribution whose batch is reshaped."""
        return self._distribution

    def _batch_shape_tensor(self) -> Any:
        with control_dependencies(self._checks):
            return making.identity(self._resolved)

    def _batch_shape(self) -> Any:
        return self._static

    def _event_shape_tensor(self) -> Any:
        with control_dependencies(self._checks):
            return making.identity(self._distribution.event_shape_tensor())

    def _event_shape(self) -> Any:
        return self._distribution.event_shape

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        with control_dependencies(self._checks):
            x = self._distribution.sample(sample_shape=n, seed=seed)
            return shaping.reshape(x, joining.concat([[n], self._wanted, self.event_shape_tensor()], 0))

    def _log_prob(self, value: Any) -> Any:
        return self._of_reshaped(self._distribution.log_prob, value)

    def _prob(self, value: Any) -> Any:
        return self._of_reshaped(self._distribution.prob, value)

    def _log_cdf(self, value: Any) -> Any:
        return self._of_reshaped(self._distribution.log_cdf, value)

    def _cdf(self, value: Any) -> Any:
        return self._of_reshaped(self._distribution.cdf, value)

    def _log_survival_function(self, value: Any) -> Any:
        return self._of_reshaped(self._distribution.log_survival_function, value)

    def _survival_function(self, value: Any) -> Any:
        return self._of_reshaped(self._distribution.survival_function, value)

    def _entropy(self) -> Any:
        return self._reshaped(self._distribution.entropy, 0)

    def _mean(self) -> Any:
        return self._reshaped(self._distribution.mean)

    def _mode(self) -> Any:
        return self._reshaped(self._distribution.mode)

    def _stddev(self) -> Any:
        return self._reshaped(self._distribution.stddev)

    def _variance(self) -> Any:
        return self._reshaped(self._distribution.variance)

    def _covariance(self) -> Any:
        return self._reshaped(self._distribution.covariance, 2)

    def _reshaped(self, function: Callable[[], Any], events: int = 1) -> Any:
        """Returns a statistic with the new batch; it has that number of events."""
        with control_dependencies(self._checks):
            shape = joining.concat([self._wanted, *[self.event_shape_tensor()] * events], 0)
            result = shaping.reshape(function(), shape)
            if self.batch_shape.ndims is not None and self.event_shape.ndims is not None:
                static = self.batch_shape
                for _ in range(events):
                    static = static.concatenate(self.event_shape)
                result.set_shape(static)
            return result

    def _rank(self, static: TensorShape, in_step: Any) -> Any:
        return shaping.size(in_step) if static.ndims is None else static.ndims

    def _of_reshaped(self, function: Callable[[Any], Any], x: Any) -> Any:
        """Returns a function of a value, which is given the distribution's own batch."""
        batch_ndims = self._rank(self.batch_shape, self._wanted)
        event_ndims = self._rank(self.event_shape, self.event_shape_tensor())
        inner_ndims = batch_ndims + event_ndims
        with control_dependencies([*self._checks, *self._checks_of_value(x, inner_ndims)]):
            sample_ndims = rank_of(x) - inner_ndims
            samples = shaping.shape(x)[:sample_ndims]
            own = self._distribution.batch_shape_tensor()
            result = function(shaping.reshape(x, joining.concat([samples, own, self.event_shape_tensor()], 0)))
            result = shaping.reshape(result, joining.concat([samples, self._wanted], 0))
            if isinstance(sample_ndims, int) and self.batch_shape.ndims is not None:
                result.set_shape(x.get_shape()[:sample_ndims].concatenate(self.batch_shape))
            return result

    def _checks_of_value(self, x: Any, inner_ndims: Any) -> list[Any]:
        rank = rank_of(x)
        too_few = "Broadcasting is not supported; too few batch and event dims"
        other = "Broadcasting is not supported; unexpected batch and event shape"
        checks = []
        if isinstance(rank, int) and isinstance(inner_ndims, int):
            if rank < inner_ndims:
                raise NotImplementedError(f"{too_few} (expected at least {inner_ndims}, saw {rank}).")
            inner = x.get_shape()[rank - inner_ndims :]
            expected = self.batch_shape.concatenate(self.event_shape)
            if inner.is_fully_defined() and expected.is_fully_defined():
                if inner != expected:
                    raise NotImplementedError(f"{other} (expected {expected.as_list()}, saw {inner.as_list()}).")
                return []
        elif self.validate_args:
            checks.append(checking.assert_greater_equal(rank, inner_ndims, message=f"{too_few}."))
        if self.validate_args:
            with control_dependencies(checks):
                wanted = joining.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
                found = shaping.shape(x)[maximum(0, rank - inner_ndims) :]
                checks.append(checking.assert_equal(wanted, found, message=f"{other}."))
        return checks
