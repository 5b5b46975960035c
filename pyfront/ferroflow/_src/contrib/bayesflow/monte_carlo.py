"""Monte Carlo estimates of expected values, also by importance sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.internals.deprecation import deprecated
from ferroflow._src.ops.array.making import stop_gradient
from ferroflow._src.ops.math.elementwise import exp, log
from ferroflow._src.ops.math.reduction import reduce_max, reduce_mean
from ferroflow._src.ops.nn.activation import relu

__all__ = ["expectation", "expectation_importance_sampler", "expectation_importance_sampler_logspace"]

_Function = Callable[[Any], Any]


@deprecated("2018-10-01", "Use `tfp.monte_carlo.expectation` of TensorFlow Probability instead.")
def expectation(
    f: _Function,
    samples: TensorLike,
    log_prob: _Function | None = None,
    use_reparametrization: bool = True,
    axis: Any = 0,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the mean of a function of samples, whose gradient estimates that of the expected value.

    Args:
        f: function of the samples that returns a tensor.
        samples: tensor of samples; `axis` counts them.
        log_prob: function that returns the samples' log-probability. Needed if `use_reparametrization` is False.
        use_reparametrization: If True, the gradient passes through the samples. If False, it is the score function's,
            which also holds for samples of discrete distributions.
        axis: int or list of ints, the dimensions to average; None averages all.
        keep_dims: If True, the averaged dimensions stay, with size 1.
        name: name of the operations' scope.

    Returns:
        Tensor of the estimate.

    Raises:
        ValueError: if `f`, or a `log_prob` that is needed, cannot be called.
    """
    with name_scope(name, "expectation", [samples]):
        if not callable(f):
            raise ValueError("`f` must be a callable function.")
        if use_reparametrization:
            return reduce_mean(f(samples), axis=axis, keepdims=keep_dims)
        if not callable(log_prob):
            raise ValueError("`log_prob` must be a callable function.")
        fixed = stop_gradient(samples)
        log_probability = log_prob(fixed)
        values = f(fixed)
        # The second factor is 0, but its gradient is that of the log-probability.
        score = stop_gradient(values) * (log_probability - stop_gradient(log_probability))
        return reduce_mean(values + score, axis=axis, keepdims=keep_dims)


def expectation_importance_sampler(
    f: _Function,
    log_p: _Function,
    sampling_dist_q: Any,
    z: TensorLike | None = None,
    n: IntLike | None = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler",
) -> Tensor:
    """Estimates the expected value of `f` under the density `exp(log_p)` from samples of another distribution.

    The weights are computed as logarithms. The positive and the negative part of `f` are estimated separately.

    Args:
        f: function of the samples; its result has a shape that broadcasts to the distribution's batch.
        log_p: function that returns the logarithm of the density at the samples.
        sampling_dist_q: distribution to sample from.
        z: tensor of samples of `sampling_dist_q`, whose first dimension counts them. Exclusive with `n`.
        n: int, the number of samples to draw.
        seed: int, seed of the samples that are drawn.
        name: name of the operations' scope.

    Returns:
        Tensor of the batch's shape.

    Raises:
        ValueError: if both or neither of `z` and `n` are given.
    """
    with name_scope(name, values=[z, n]):
        samples = samples_of(sampling_dist_q, z, n, seed)
        log_target, log_proposal = log_p(samples), sampling_dist_q.log_prob(samples)
        values = f(samples)
        # One is added to each part, since the logarithm of 0 is infinite; the difference cancels it.
        positive, negative = (
            _log_mean(log(relu(part) + 1.0) + log_target - log_proposal) for part in (values, -1.0 * values)
        )
        return exp(positive) - exp(negative)


def expectation_importance_sampler_logspace(
    log_f: _Function,
    log_p: _Function,
    sampling_dist_q: Any,
    z: TensorLike | None = None,
    n: IntLike | None = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler_logspace",
) -> Tensor:
    """Estimates the logarithm of a positive function's expected value under the density `exp(log_p)`.

    Args:
        log_f: function of the samples that returns the logarithm of the positive function.
        log_p: function that returns the logarithm of the density at the samples.
        sampling_dist_q: distribution to sample from.
        z: tensor of samples of `sampling_dist_q`, whose first dimension counts them. Exclusive with `n`.
        n: int, the number of samples to draw.
        seed: int, seed of the samples that are drawn.
        name: name of the operations' scope.

    Returns:
        Tensor of the batch's shape.

    Raises:
        ValueError: if both or neither of `z` and `n` are given.
    """
    with name_scope(name, values=[z, n]):
        samples = samples_of(sampling_dist_q, z, n, seed)
        return _log_mean(log_f(samples) + log_p(samples) - sampling_dist_q.log_prob(samples))


def samples_of(distribution: Any, z: TensorLike | None, n: IntLike | None, seed: int | None) -> Tensor:
    """Returns samples of a distribution, or given ones.

    Args:
        distribution: Distribution.
        z: Tensor of any dtype, of shape [n, ...]: the given samples; or None.
        n: int, the number of samples to draw; or None.
        seed: int, the seed of the samples.

    Returns:
        Tensor of the dtype of the distribution, of shape [n, ...].

    Raises:
        ValueError: if not exactly one of `z` and `n` is given.
    """
    with name_scope("get_samples", values=[z, n]):
        if (n is None) == (z is None):
            raise ValueError(f'Must specify exactly one of arguments "n" and "z".  Found: n = {n}, z = {z}')
        if z is not None:
            return convert_to_tensor(z, name="z")
        drawn: Tensor = distribution.sample(n, seed=seed)
        return drawn


def _log_mean(log_values: Tensor) -> Tensor:
    """Returns the logarithm of the values' mean over the first dimension, without overflow."""
    largest = stop_gradient(reduce_max(log_values, axis=[0]))
    return log(reduce_mean(exp(log_values - largest), axis=[0])) + largest
