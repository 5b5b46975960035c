"""Posterior and predictive distributions of a normal mean, for observations of a known scale."""

from __future__ import annotations

from typing import Any

from ferroflow._src.distributions.normal import Normal
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import sqrt, square


def _posterior(prior: Any, scale: Any, s: Any, n: Any) -> tuple[Any, Any]:
    """Returns mean and variance of the mean of observations."""
    if not isinstance(prior, Normal):
        raise TypeError("Expected prior to be an instance of type Normal")
    if s.dtype != prior.dtype:
        raise TypeError(f"Observation sum s.dtype does not match prior dtype: {s.dtype} vs. {prior.dtype}")
    n = cast(n, prior.dtype)
    of_prior, of_observations = square(prior.scale), square(scale)
    variance = 1.0 / (1.0 / of_prior + n / of_observations)
    return (prior.loc / of_prior + s / of_observations) * variance, variance


def normal_conjugates_known_scale_posterior(prior: Any, scale: Any, s: Any, n: Any) -> Any:
    """Returns the posterior distribution of a normal mean after n observations.

    Args:
        prior: Normal, the distribution of the mean before.
        scale: Tensor of the prior's dtype, above 0: the standard deviation of an observation.
        s: Tensor of that dtype: the sum of the observations.
        n: Tensor of an integer dtype: their number.

    Returns:
        Normal.

    Raises:
        TypeError: if `prior` is not Normal, or `s` has a different dtype.
    """
    mean, variance = _posterior(prior, scale, s, n)
    return Normal(loc=mean, scale=sqrt(variance))


def normal_conjugates_known_scale_predictive(prior: Any, scale: Any, s: Any, n: Any) -> Any:
    """Returns the distribution of the next normal observation after n of them.

    Args:
        prior: Normal, the distribution of the mean before.
        scale: Tensor of the prior's dtype, above 0: the standard deviation of an observation.
        s: Tensor of that dtype: the sum of the observations.
        n: Tensor of an integer dtype: their number.

    Returns:
        Normal.

    Raises:
        TypeError: if `prior` is not Normal, or `s` has a different dtype.
    """
    mean, variance = _posterior(prior, scale, s, n)
    return Normal(loc=mean, scale=sqrt(variance + square(scale)))
