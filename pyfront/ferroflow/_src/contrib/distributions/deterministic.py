"""Distributions of one value."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.distributions.distribution import Distribution
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute
from ferroflow._src.ops.math.reduction import reduce_all


class _OfOneValue(Distribution):
    """A distribution whose samples are its location."""

    def _make(
        self,
        loc: Any,
        atol: Any,
        rtol: Any,
        is_vector: bool,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        given: dict[str, Any],
    ) -> None:
        with name_scope(name, values=[loc, atol, rtol]) as scope:
            loc = convert_to_tensor(loc, name="loc")
            if is_vector and validate_args:
                message = "Argument loc must be at least rank 1."
                ndims = loc.get_shape().ndims
                if ndims is None:
                    loc = with_dependencies([checking.assert_rank_at_least(loc, 1, message=message)], loc)
                elif ndims < 1:
                    raise ValueError(message)
            self._loc = loc
            super().__init__(
                dtype=loc.dtype,
                reparameterization_type=NOT_REPARAMETERIZED,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                parameters=given,
                graph_parents=[loc],
                name=scope,
            )
            self._atol = self._tolerance(atol)
            self._rtol = self._tolerance(rtol)
            self._slack = self._atol if rtol is None else self._atol + self._rtol * absolute(loc)

    def _tolerance(self, tolerance: Any) -> Any:
        if tolerance is None:
            return convert_to_tensor(0, dtype=self._loc.dtype)
        tolerance = convert_to_tensor(tolerance, dtype=self._loc.dtype)
        if not self.validate_args:
            return tolerance
        check = checking.assert_non_negative(tolerance, message="Argument 'tol' must be non-negative")
        return with_dependencies([check], tolerance)

    @property
    def loc(self) -> Any:
        """The values, a Tensor of `dtype`."""
        return self._loc

    @property
    def atol(self) -> Any:
        """The distance from its value that a point may have, a Tensor of `dtype`."""
        return self._atol

    @property
    def rtol(self) -> Any:
        """The distance from its value that a point may have, relative to the value, a Tensor of `dtype`."""
        return self._rtol

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        repeats = joining.concat([[n], making.ones_like(shaping.shape(self._loc))], 0)
        return shaping.tile(self._loc[None, ...], repeats)

    def _entropy(self) -> Any:
        return making.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _mean(self) -> Any:
        return making.identity(self._loc)

    def _mode(self) -> Any:
        return self.mean()

    def _variance(self) -> Any:
        return making.zeros_like(self._loc)


class Deterministic(_OfOneValue):
    """The distribution of one number: its probability is 1 there and 0 elsewhere.

    Args:
        loc: Tensor of any numeric dtype: the values.
        atol: Tensor of the dtype of `loc`, not below 0: how far off a point counts as the value; None for 0.
        rtol: Tensor of the dtype of `loc`, not below 0: the same, relative to the value; None for 0.
        validate_args: bool. If True, steps check the tolerances.
        allow_nan_stats: bool, without an effect.
        name: str, name scope of its operations.
    """

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Deterministic",
    ) -> None:
        given = dict(locals())
        self._make(loc, atol, rtol, False, validate_args, allow_nan_stats, name, given)

    def _batch_shape_tensor(self) -> Any:
        return shaping.shape(self._loc)

    def _batch_shape(self) -> Any:
        return self._loc.get_shape()

    def _event_shape_tensor(self) -> Any:
        return constant([], dtype=dtypes.int32)

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _prob(self, value: Any) -> Any:
        return cast(absolute(value - self._loc) <= self._slack, self.dtype)

    def _cdf(self, value: Any) -> Any:
        return cast(value >= self._loc - self._slack, self.dtype)


class VectorDeterministic(_OfOneValue):
    """The distribution of one vector: its probability is 1 there and 0 elsewhere.

    Args:
        loc: Tensor of any numeric dtype, of shape [..., k]: the vectors.
        atol: Tensor of the dtype of `loc`, not below 0: how far off an element counts as the value; None for 0.
        rtol: Tensor of the dtype of `loc`, not below 0: the same, relative to the value; None for 0.
        validate_args: bool. If True, steps check the tolerances, and the shapes of points.
        allow_nan_stats: bool, without an effect.
        name: str, name scope of its operations.

    Raises:
        ValueError: if with `validate_args`, `loc` is known to be a scalar.
    """

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDeterministic",
    ) -> None:
        given = dict(locals())
        self._make(loc, atol, rtol, True, validate_args, allow_nan_stats, name, given)

    def _batch_shape_tensor(self) -> Any:
        return shaping.shape(self._loc)[:-1]

    def _batch_shape(self) -> Any:
        return self._loc.get_shape()[:-1]

    def _event_shape_tensor(self) -> Any:
        return shaping.shape(self._loc)[-1:]

    def _event_shape(self) -> Any:
        return self._loc.get_shape()[-1:]

    def _prob(self, value: Any) -> Any:
        if self.validate_args:
            message = "Argument 'x' not defined in the same space R^k as this distribution"
            checks = [
                checking.assert_rank_at_least(value, 1),
                checking.assert_equal(self.event_shape_tensor(), shaping.shape(value)[-1:], message=message),
            ]
            value = with_dependencies(checks, value)
        return cast(reduce_all(absolute(value - self._loc) <= self._slack, axis=-1), self.dtype)
