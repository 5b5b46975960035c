"""Distributions whose methods take further arguments."""

from __future__ import annotations

import functools
from typing import Any

from ferroflow._src.contrib.distributions.transformed import TransformedDistribution
from ferroflow._src.distributions.distribution import Distribution
from ferroflow._src.framework.conversion import convert_index
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.math.elementwise import exp, log, log1p


class ConditionalDistribution(Distribution):
    """A distribution that depends on further arguments, which its methods pass on to the subclass.

    Args:
        dtype: DType of the samples.
        reparameterization_type: `FULLY_REPARAMETERIZED` where samples are a differentiable function of the parameters,
            else `NOT_REPARAMETERIZED`.
        validate_args: bool. If True, steps check parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        parameters: dict, the arguments of the subclass, for `copy`.
        graph_parents: list of the Tensors, of any dtype and shape, that it depends on.
        name: str, name scope of its operations; None for the name of the class.
    """

    def sample(
        self, sample_shape: Any = (), seed: int | None = None, name: str = "sample", **condition_kwargs: Any
    ) -> Any:
        """Draws samples as `Distribution.sample`, with arguments for the subclass.

        Args:
            sample_shape: Tensor of int32, of shape [] or [rank]: how many.
            seed: int, the seed of the operations; None to derive it from the graph's.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of `dtype`, of shape `sample_shape` + `batch_shape` + `event_shape`.
        """
        return self._call_sample_n(sample_shape, seed, name, **condition_kwargs)

    def _conditional(self, value: Any, name: str, what: str, other: str, convert: Any, kwargs: dict[str, Any]) -> Any:
        """Returns a function of a value; where the subclass does not define it, it is computed from another."""
        function = functools.partial(getattr(self, what), **kwargs)
        otherwise = functools.partial(getattr(self, other), **kwargs)
        return self._of_value(value, name, function, lambda x: convert(otherwise(x)))

    def log_prob(self, value: Any, name: str = "log_prob", **condition_kwargs: Any) -> Any:
        """Computes `Distribution.log_prob`, with arguments for the subclass.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._conditional(value, name, "_log_prob", "_prob", log, condition_kwargs)

    def prob(self, value: Any, name: str = "prob", **condition_kwargs: Any) -> Any:
        """Computes `Distribution.prob`, with arguments for the subclass.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._conditional(value, name, "_prob", "_log_prob", exp, condition_kwargs)

    def log_cdf(self, value: Any, name: str = "log_cdf", **condition_kwargs: Any) -> Any:
        """Computes `Distribution.log_cdf`, with arguments for the subclass.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._conditional(value, name, "_log_cdf", "_cdf", log, condition_kwargs)

    def cdf(self, value: Any, name: str = "cdf", **condition_kwargs: Any) -> Any:
        """Computes `Distribution.cdf`, with arguments for the subclass.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._conditional(value, name, "_cdf", "_log_cdf", exp, condition_kwargs)

    def log_survival_function(self, value: Any, name: str = "log_survival_function", **condition_kwargs: Any) -> Any:
        """Computes `Distribution.log_survival_function`, with arguments for the subclass.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._conditional(
            value, name, "_log_survival_function", "cdf", lambda below: log1p(-below), condition_kwargs
        )

    def survival_function(self, value: Any, name: str = "survival_function", **condition_kwargs: Any) -> Any:
        """Computes `Distribution.survival_function`, with arguments for the subclass.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._conditional(value, name, "_survival_function", "cdf", lambda below: 1.0 - below, condition_kwargs)


class ConditionalTransformedDistribution(ConditionalDistribution, TransformedDistribution):
    """A `TransformedDistribution` whose methods take arguments for the bijector and the distribution.

    Its methods take `bijector_kwargs` and `distribution_kwargs`, dicts of arguments.

    Args:
        distribution: Distribution of the bijector's argument.
        bijector: Bijector; None for the identity.
        batch_shape: Tensor of int32, of shape [rank]: as for `TransformedDistribution`.
        event_shape: Tensor of int32, of shape [rank]: as for `TransformedDistribution`.
        validate_args: bool. If True, steps check shapes that are not known before.
        name: str, name scope of its operations; None for the names of the bijector and the distribution.
    """

    def _sample_n(
        self, n: Any, seed: int | None = None, bijector_kwargs: Any = None, distribution_kwargs: Any = None
    ) -> Any:
        return self._base_sample_n(n, seed, **(distribution_kwargs or {}))

    def _call_sample_n(self, sample_shape: Any, seed: int | None, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = convert_index(sample_shape, name="sample_shape")
            sample_shape, n = self._as_vector(sample_shape, "sample_shape")
            x = self._sample_n(n, seed, **kwargs)
            x = shaping.reshape(x, joining.concat([sample_shape, shaping.shape(x)[1:]], 0))
            y = self._bijector.forward(x, **(kwargs.get("bijector_kwargs") or {}))
            return self._set_sample_static_shape(y, sample_shape)

    def _log_prob(self, value: Any, bijector_kwargs: Any = None, distribution_kwargs: Any = None) -> Any:
        return self._log_prob_of(value, bijector_kwargs or {}, distribution_kwargs or {})

    def _prob(self, value: Any, bijector_kwargs: Any = None, distribution_kwargs: Any = None) -> Any:
        return self._prob_of(value, bijector_kwargs or {}, distribution_kwargs or {})

    def _log_cdf(self, value: Any, bijector_kwargs: Any = None, distribution_kwargs: Any = None) -> Any:
        return self._of_scalars("log_cdf", value, bijector_kwargs or {}, distribution_kwargs or {})

    def _cdf(self, value: Any, bijector_kwargs: Any = None, distribution_kwargs: Any = None) -> Any:
        return self._of_scalars("cdf", value, bijector_kwargs or {}, distribution_kwargs or {})

    def _log_survival_function(self, value: Any, bijector_kwargs: Any = None, distribution_kwargs: Any = None) -> Any:
        return self._of_scalars("log_survival_function", value, bijector_kwargs or {}, distribution_kwargs or {})

    def _survival_function(self, value: Any, bijector_kwargs: Any = None, distribution_kwargs: Any = None) -> Any:
        return self._of_scalars("survival_function", value, bijector_kwargs or {}, distribution_kwargs or {})

    def _quantile(self, value: Any, bijector_kwargs: Any = None, distribution_kwargs: Any = None) -> Any:
        self._require_scalars("quantile")
        x = self._distribution.quantile(value, **(distribution_kwargs or {}))
        return self._bijector.forward(x, **(bijector_kwargs or {}))
