"""Kullback-Leibler divergences, found by the classes of two distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.elementwise import is_nan, logical_not
from ferroflow._src.ops.math.reduction import reduce_any

if TYPE_CHECKING:
    from ferroflow._src.distributions.distribution import Distribution

_DIVERGENCES: dict[tuple[type, type], Callable[..., Any]] = {}


def _registered(type_a: type, type_b: type) -> Callable[..., Any] | None:
    """Returns the divergence registered for the nearest classes among those that the two derive from."""
    candidates = [
        (distance_a + distance_b, _DIVERGENCES[parent_a, parent_b])
        for distance_a, parent_a in enumerate(type_a.__mro__)
        for distance_b, parent_b in enumerate(type_b.__mro__)
        if (parent_a, parent_b) in _DIVERGENCES
    ]
    return min(candidates, key=lambda c: c[0])[1] if candidates else None


def kl_divergence(
    distribution_a: Distribution, distribution_b: Distribution, allow_nan_stats: bool = True, name: str | None = None
) -> Any:
    """Returns the Kullback-Leibler divergence of one distribution from another: the mean under a of `log a(x) - log
    b(x)`.

    Args:
        distribution_a: Distribution.
        distribution_b: Distribution of the dtype of `distribution_a`.
        allow_nan_stats: bool. If True, NaN is returned where it is not defined; if not, a step raises
            `InvalidArgumentError` for NaN.
        name: str, name scope of the operations.

    Returns:
        Tensor of their dtype and batch shape.

    Raises:
        NotImplementedError: if no divergence is registered for their classes.
    """
    function = _registered(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        divergence = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return divergence
        divergence = identity(divergence, name="kl")
        message = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values "
            "(and was called with allow_nan_stats=False). Values:"
        )
        check = Assert(logical_not(reduce_any(is_nan(divergence))), [message, divergence])
        with control_dependencies([check]):
            return identity(divergence, name="checked_kl")


def cross_entropy(ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None) -> Any:
    """Returns the cross entropy of one distribution with another: the mean under the first of `-log other(x)`.

    Args:
        ref: Distribution.
        other: Distribution of its dtype.
        allow_nan_stats: bool, as `kl_divergence`.
        name: str, name scope of the operations.

    Returns:
        Tensor of their dtype and batch shape.
    """
    with name_scope(name, "cross_entropy"):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)


class RegisterKL:
    """A decorator that registers the divergence of two classes of distributions.

    Args:
        dist_cls_a: class of the first.
        dist_cls_b: class of the second.
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Registers a callable of two distributions and a name.

        Raises:
            TypeError: if `kl_fn` is not callable.
            ValueError: if a function is already registered for the classes.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _DIVERGENCES:
            a, b = (cls.__name__ for cls in self._key)
            raise ValueError(f"KL({a} || {b}) has already been registered to: {_DIVERGENCES[self._key]}")
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn
