"""Distributions of vectors of which each element depends on those before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.distributions.distribution import Distribution, graph_parents_of
from ferroflow._src.distributions.parameterization import gen_new_seed
from ferroflow._src.framework.default_graph import name_scope


class Autoregressive(Distribution):
    """The distribution whose element i is that of `distribution_fn(x)`, which depends on the elements before it.

    Args:
        distribution_fn: callable of samples, a Tensor of shape [..., k], that returns their Distribution; without an
            argument, it must return one of the first element's, if `sample0` is None.
        sample0: Tensor of any dtype and shape, the first argument of `distribution_fn`; None to call it without one.
        num_steps: int, how often samples are drawn again, from those before; None for the size of an event.
        validate_args: bool, without an effect.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `num_steps` is below 1, or None if the size of an event is unknown.
    """

    def __init__(
        self,
        distribution_fn: Callable[..., Any],
        sample0: Any = None,
        num_steps: int | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Autoregressive",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._distribution_fn = distribution_fn
            self._sample0 = sample0
            first = distribution_fn() if sample0 is None else distribution_fn(sample0)
            if num_steps is None:
                num_steps = first.event_shape.num_elements()
                if num_steps is None:
                    raise ValueError("distribution_fn must generate a distribution with fully known `event_shape`.")
            if num_steps < 1:
                raise ValueError(f"num_steps ({num_steps}) must be at least 1.")
            self._distribution0 = first
            self._num_steps = num_steps
        super().__init__(
            dtype=first.dtype,
            reparameterization_type=first.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=graph_parents_of(first),
            name=scope,
        )

    @property
    def distribution_fn(self) -> Callable[..., Any]:
        """The callable that returns the distribution for samples."""
        return self._distribution_fn

    @property
    def sample0(self) -> Any:
        """The first argument of `distribution_fn`, or None."""
        return self._sample0

    @property
    def num_steps(self) -> int:
        """The number of times that samples are drawn again, from those before."""
        return self._num_steps

    @property
    def distribution0(self) -> Any:
        """The first distribution."""
        return self._distribution0

    def _batch_shape(self) -> Any:
        return self._distribution0.batch_shape

    def _batch_shape_tensor(self) -> Any:
        return self._distribution0.batch_shape_tensor()

    def _event_shape(self) -> Any:
        return self._distribution0.event_shape

    def _event_shape_tensor(self) -> Any:
        return self._distribution0.event_shape_tensor()

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # All draws need the same numbers: what an element depends on must not change when it is drawn again.
        if seed is None:
            seed = gen_new_seed(int(np.random.randint(2**32 - 1, dtype=np.int64)), "autoregressive")
        samples = self._distribution0.sample(n, seed=seed)
        for _ in range(self._num_steps):
            samples = self._distribution_fn(samples).sample(seed=seed)
        return samples

    def _log_prob(self, value: Any) -> Any:
        return self._distribution_fn(value).log_prob(value)

    def _prob(self, value: Any) -> Any:
        return self._distribution_fn(value).prob(value)
