"""Distributions of the values of a bijector."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.bijectors.base import Bijector, is_injective
from ferroflow._src.contrib.bijectors.identity import Identity
from ferroflow._src.contrib.distributions.static_shapes import (
    concat_vectors,
    negated,
    pick_vector,
    static_value,
    together,
)
from ferroflow._src.distributions.distribution import Distribution, graph_parents_of
from ferroflow._src.framework.constant import constant, constant_value, constant_value_as_shape
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import exp
from ferroflow._src.ops.math.reduction import reduce_logsumexp, reduce_prod, reduce_sum


def _size_of_shape(shape: Any) -> Any:
    """Returns the rank that a shape vector stands for, as a Tensor of int32 that is constant if it can be."""
    static = shape.get_shape()
    if static.ndims not in (None, 1):
        raise ValueError("input is not a valid shape: not 1D")
    if not shape.dtype.is_integer:
        raise TypeError("input is not a valid shape: wrong dtype")
    return constant(static.as_list()[0]) if static.is_fully_defined() else shaping.shape(shape)[0]


def _is_zero(rank: Any, zero: Any) -> Any:
    known = static_value(rank)
    return comparison.equal(rank, zero) if known is None else constant(bool(known == 0))


def _ones_like(shape: Any) -> Any:
    static = shape.get_shape()
    return making.ones(static.as_list(), dtype=shape.dtype) if static.is_fully_defined() else making.ones_like(shape)


class TransformedDistribution(Distribution):
    """The distribution of `bijector.forward(x)`, x of another distribution.

    Args:
        distribution: Distribution of x.
        bijector: Bijector; None for the identity.
        batch_shape: Tensor of int32, of shape [rank]: a batch shape that replaces that of `distribution`, which must be
            scalar; None or empty keeps its own.
        event_shape: Tensor of int32, of shape [rank]: the shape of an event of independent numbers of `distribution`,
            whose event must be scalar then; None or empty for its own.
        validate_args: bool. If True, steps check shapes that are not known before.
        name: str, name scope of its operations; None for the names of the bijector and the distribution.

    Raises:
        ValueError: if a shape is given and the distribution's is known not to be scalar, or a shape is not a vector of
            positive sizes.
        TypeError: if a shape does not have an integer dtype.
    """

    def __init__(
        self,
        distribution: Any,
        bijector: Bijector | None = None,
        batch_shape: Any = None,
        event_shape: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        name = name or ("" if bijector is None else bijector.name) + distribution.name
        with name_scope(name, values=[event_shape, batch_shape]) as name:
            zero = constant(0, dtype=dtypes.int32, name="zero")
            self._empty = constant([], dtype=dtypes.int32, name="empty")
            bijector = Identity(validate_args=validate_args) if bijector is None else bijector
            self._override_batch_shape = self._checked_override(
                batch_shape, distribution.is_scalar_batch(), validate_args, "batch_shape"
            )
            self._is_batch_override = negated(_is_zero(_size_of_shape(self._override_batch_shape), zero))
            self._is_maybe_batch_override = self._may_override(self._override_batch_shape)
            self._override_event_shape = self._checked_override(
                event_shape, distribution.is_scalar_event(), validate_args, "event_shape"
            )
            self._is_event_override = negated(_is_zero(_size_of_shape(self._override_event_shape), zero))
            self._is_maybe_event_override = self._may_override(self._override_event_shape)
            # Samples of an event that is laid over a batch have the event before the batch.
            self._needs_rotation = together(
                self._is_event_override, negated(self._is_batch_override), negated(distribution.is_scalar_batch())
            )
            event_rank = _size_of_shape(self._override_event_shape)
            rotates = static_value(self._needs_rotation)
            self._rotate_ndims: Any = (
                where(self._needs_rotation, event_rank, 0) if rotates is None else event_rank if rotates else 0
            )
            self._reduce_event_indices = making.range(self._rotate_ndims - event_rank, self._rotate_ndims)
        self._distribution = distribution
        self._bijector = bijector
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=[*graph_parents_of(distribution), *bijector.graph_parents],
            name=name,
        )

    @staticmethod
    def _may_override(shape: Any) -> bool:
        known = constant_value(shape)
        return known is None or known.size != 0

    def _checked_override(self, shape: Any, is_scalar: Any, validate_args: bool, name: str) -> Any:
        """Returns a shape as a vector of int32 with the checks that steps make; no shape is an empty vector."""
        shape = [] if shape is None else shape
        shape = convert_to_tensor(shape, preferred_dtype=dtypes.int32, name=name)
        if not shape.dtype.is_integer:
            raise TypeError("shape override must be an integer")
        shape = cast(shape, dtypes.int32)
        ndims = shape.get_shape().ndims
        is_empty = _is_zero(_size_of_shape(shape), constant(0)) if ndims in (None, 1) else constant(False)
        if static_value(is_empty):
            return self._empty
        checks = []
        if ndims is None:
            if validate_args:
                checks.append(checking.assert_rank(shape, 1, message="shape override must be a vector"))
        elif ndims != 1:
            raise ValueError("shape override must be a vector")
        known = constant_value(shape)
        if known is not None:
            if (known <= 0).any():
                raise ValueError("shape override must have positive elements")
        elif validate_args:
            checks.append(checking.assert_positive(shape, message="shape override must have positive elements"))
        is_wrong = together(negated(is_scalar), negated(is_empty))
        if static_value(is_wrong) is None:
            if validate_args:
                checks.append(checking.assert_equal(is_wrong, False, message="base distribution not scalar"))
        elif static_value(is_wrong):
            raise ValueError("base distribution not scalar")
        return with_dependencies(checks, shape) if checks else shape

    @property
    def distribution(self) -> Any:
        """The distribution to whose samples the bijector is applied."""
        return self._distribution

    @property
    def bijector(self) -> Any:
        """The bijector."""
        return self._bijector

    def _event_shape_tensor(self) -> Any:
        own = self._distribution.event_shape_tensor()
        return self._bijector.forward_event_shape_tensor(
            pick_vector(self._is_event_override, self._override_event_shape, own)
        )

    def _event_shape(self) -> Any:
        static = (
            constant_value_as_shape(self._override_event_shape)
            if self._is_maybe_event_override
            else self._distribution.event_shape
        )
        return self._bijector.forward_event_shape(static)

    def _batch_shape_tensor(self) -> Any:
        own = self._distribution.batch_shape_tensor()
        return pick_vector(self._is_batch_override, self._override_batch_shape, own)

    def _batch_shape(self) -> Any:
        if self._is_maybe_batch_override:
            return constant_value_as_shape(self._override_batch_shape)
        return self._distribution.batch_shape

    def _base_sample_n(self, n: Any, seed: int | None, **kwargs: Any) -> Any:
        """Returns n samples of the distribution, of shape [n] + batch + event."""
        before = pick_vector(self._needs_rotation, self._empty, [n])
        after = pick_vector(self._needs_rotation, [n], self._empty)
        shape = concat_vectors(before, self._override_batch_shape, self._override_event_shape, after)
        if isinstance(shape, list):
            shape = constant(shape, dtypes.int32, shape=[len(shape)])
        return self._rotated(self._distribution.sample(sample_shape=shape, seed=seed, **kwargs))

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return self._base_sample_n(n, seed)

    def _call_sample_n(self, sample_shape: Any, seed: int | None, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = convert_index(sample_shape, name="sample_shape")
            sample_shape, n = self._as_vector(sample_shape, "sample_shape")
            x = self._sample_n(n, seed, **kwargs)
            x = shaping.reshape(x, joining.concat([sample_shape, shaping.shape(x)[1:]], 0))
            y = self._bijector.forward(x)
            return self._set_sample_static_shape(y, sample_shape)

    def _rotated(self, x: Any, back: bool = False) -> Any:
        """Moves the dimensions of an event that is laid over a batch behind it, or back before it."""
        needed = constant_value(self._needs_rotation)
        if needed is not None and not needed:
            return x
        ndims = shaping.rank(x)
        first = ndims - self._rotate_ndims if back else self._rotate_ndims
        return shaping.transpose(x, joining.concat([making.range(first, ndims), making.range(0, first)], 0))

    def _event_ndims(self) -> Any:
        """Returns the rank of an event as an int, or as a Tensor of int32."""
        if self.event_shape.ndims is not None:
            return self.event_shape.ndims
        size = shaping.size(self.event_shape_tensor())
        known = constant_value(size)
        return size if known is None else int(known)

    def _log_prob(self, value: Any) -> Any:
        return self._log_prob_of(value, {}, {})

    def _log_prob_of(self, y: Any, bijector_kwargs: dict[str, Any], distribution_kwargs: dict[str, Any]) -> Any:
        event_ndims = self._event_ndims()
        x = self._bijector.inverse(y, **bijector_kwargs)
        ildj = self._bijector.inverse_log_det_jacobian(y, event_ndims=event_ndims, **bijector_kwargs)
        if is_injective(self._bijector):
            return self._log_prob_of_one(y, x, ildj, event_ndims, distribution_kwargs)
        parts = [
            self._log_prob_of_one(y, each, of_each, event_ndims, distribution_kwargs)
            for each, of_each in zip(x, ildj, strict=True)
        ]
        return reduce_logsumexp(joining.stack(parts), axis=0)

    def _log_prob_of_one(self, y: Any, x: Any, ildj: Any, event_ndims: Any, kwargs: dict[str, Any]) -> Any:
        log_prob = self._distribution.log_prob(self._rotated(x, back=True), **kwargs)
        if self._is_maybe_event_override:
            log_prob = reduce_sum(log_prob, self._reduce_event_indices)
        log_prob = log_prob + cast(ildj, log_prob.dtype)
        self._set_shape_of_probability(log_prob, y, event_ndims)
        return log_prob

    def _prob(self, value: Any) -> Any:
        return self._prob_of(value, {}, {})

    def _prob_of(self, y: Any, bijector_kwargs: dict[str, Any], distribution_kwargs: dict[str, Any]) -> Any:
        event_ndims = self._event_ndims()
        x = self._bijector.inverse(y, **bijector_kwargs)
        ildj = self._bijector.inverse_log_det_jacobian(y, event_ndims=event_ndims, **bijector_kwargs)
        if is_injective(self._bijector):
            return self._prob_of_one(y, x, ildj, event_ndims, distribution_kwargs)
        parts = [
            self._prob_of_one(y, each, of_each, event_ndims, distribution_kwargs)
            for each, of_each in zip(x, ildj, strict=True)
        ]
        return sum(parts[1:], parts[0])

    def _prob_of_one(self, y: Any, x: Any, ildj: Any, event_ndims: Any, kwargs: dict[str, Any]) -> Any:
        prob = self._distribution.prob(self._rotated(x, back=True), **kwargs)
        if self._is_maybe_event_override:
            prob = reduce_prod(prob, self._reduce_event_indices)
        prob = prob * exp(cast(ildj, prob.dtype))
        self._set_shape_of_probability(prob, y, event_ndims)
        return prob

    def _set_shape_of_probability(self, probability: Any, y: Any, event_ndims: Any) -> None:
        if self._is_maybe_event_override and isinstance(event_ndims, int) and y.get_shape().ndims is not None:
            outer = y.get_shape().with_rank_at_least(event_ndims)[: y.get_shape().ndims - event_ndims]
            probability.set_shape(shaping.broadcast_static_shape(outer, self.batch_shape))

    def _of_scalars(self, what: str, y: Any, bijector_kwargs: dict[str, Any], distribution_kwargs: Any) -> Any:
        """Returns a cumulative function of the distribution at the argument of a value."""
        self._require_scalars(what)
        return getattr(self._distribution, what)(self._bijector.inverse(y, **bijector_kwargs), **distribution_kwargs)

    def _require_scalars(self, what: str) -> None:
        if self._is_maybe_event_override:
            raise NotImplementedError(f"{what} is not implemented when overriding event_shape")
        if not is_injective(self._bijector):
            raise NotImplementedError(f"{what} is not implemented when bijector is not injective.")

    def _log_cdf(self, value: Any) -> Any:
        return self._of_scalars("log_cdf", value, {}, {})

    def _cdf(self, value: Any) -> Any:
        return self._of_scalars("cdf", value, {}, {})

    def _log_survival_function(self, value: Any) -> Any:
        return self._of_scalars("log_survival_function", value, {}, {})

    def _survival_function(self, value: Any) -> Any:
        return self._of_scalars("survival_function", value, {}, {})

    def _quantile(self, value: Any) -> Any:
        self._require_scalars("quantile")
        return self._bijector.forward(self._distribution.quantile(value))

    def _entropy(self) -> Any:
        if not self._bijector.is_constant_jacobian:
            raise NotImplementedError("entropy is not implemented")
        if not is_injective(self._bijector):
            raise NotImplementedError("entropy is not implemented when bijector is not injective.")
        # H(Y) = H(X) + E[log |det J|], and the determinant is a constant.
        entropy = self._distribution.entropy()
        if self._is_maybe_event_override:
            entropy = entropy * cast(reduce_prod(self._override_event_shape), entropy.dtype.base_dtype)
        if self._is_maybe_batch_override:
            base = self._distribution
            shape = joining.concat([_ones_like(self._override_batch_shape), base.batch_shape_tensor()], 0)
            entropy = shaping.reshape(entropy, shape)
            repeats = joining.concat([self._override_batch_shape, _ones_like(base.batch_shape_tensor())], 0)
            entropy = shaping.tile(entropy, repeats)
        shape = joining.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        anywhere = making.zeros(shape, dtype=self.dtype)
        event_ndims = self._event_ndims()
        ildj = self._bijector.inverse_log_det_jacobian(anywhere, event_ndims=event_ndims)
        entropy = entropy - cast(ildj, entropy.dtype)
        entropy.set_shape(self.batch_shape)
        return entropy
