"""`Distribution`: the base of all distributions; a subclass defines methods that begin with `_`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ferroflow._src.base.dtypes import DType
from ferroflow._src.base.tensor_shape import TensorShape, as_shape
from ferroflow._src.base.typing import ShapeTensorLike, TensorLike
from ferroflow._src.distributions import divergence
from ferroflow._src.distributions.reparameterization import ReparameterizationType
from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.elementwise import exp, log, log1p, sqrt, square
from ferroflow._src.ops.math.reduction import reduce_prod


class Distribution:
    """A batch of probability distributions of one kind.

    A subclass overrides the methods that it can compute.

    For shapes and samples: `_batch_shape`, `_batch_shape_tensor`, `_event_shape`, `_event_shape_tensor` and
    `_sample_n`. For probabilities: `_log_prob` or `_prob`, `_log_cdf` or `_cdf`, `_log_survival_function` or
    `_survival_function`, and `_quantile`. For statistics: `_entropy`, `_mean`, `_variance` or `_stddev`, `_covariance`
    and `_mode`. The public methods of the others raise NotImplementedError.

    Args:
        dtype: DType of the samples.
        reparameterization_type: `FULLY_REPARAMETERIZED` where samples are a differentiable function of the parameters,
            else `NOT_REPARAMETERIZED`.
        validate_args: bool. If True, steps check parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; if not, a step raises
            `InvalidArgumentError`.
        parameters: dict, the arguments of the subclass, for `copy`.
        graph_parents: list of the Tensors, of any dtype and shape, that it depends on.
        name: str, name scope of its operations; None for the name of the class.

    Raises:
        ValueError: if an item of `graph_parents` is not a Tensor.
    """

    def __init__(
        self,
        dtype: DType,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: list[Any] | None = None,
        name: str | None = None,
    ) -> None:
        graph_parents = [] if graph_parents is None else graph_parents
        for i, parent in enumerate(graph_parents):
            if parent is None or not is_tensor(parent):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        if not name or not name.endswith("/"):
            with name_scope(name or type(self).__name__) as scope:
                name = scope
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._allow_nan_stats = allow_nan_stats
        self._validate_args = validate_args
        self._parameters = parameters or {}
        self._graph_parents = graph_parents
        self._name = name

    @classmethod
    def param_shapes(cls, sample_shape: ShapeTensorLike, name: str = "DistributionParamShapes") -> dict[str, Any]:
        """Returns the shapes that parameters must have for a sample to have a given shape.

        Args:
            sample_shape: Tensor of int32, of shape [rank].
            name: str, name scope of the operations.

        Returns:
            dict from names of parameters to Tensors of int32.
        """
        with name_scope(name, values=[sample_shape]):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: ShapeTensorLike) -> dict[str, TensorShape]:
        """Returns the shapes that parameters must have for a sample to have a known shape.

        Args:
            sample_shape: TensorShape, or list or tuple of int.

        Returns:
            dict from names of parameters to TensorShapes.

        Raises:
            ValueError: if `sample_shape` is unknown.
        """
        if isinstance(sample_shape, TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError("TensorShape sample_shape must be fully defined")
            sample_shape = sample_shape.as_list()
        static = {}
        for name, shape in cls.param_shapes(sample_shape).items():
            known = constant_value(shape)
            if known is None:
                raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
            static[name] = TensorShape(known)
        return static

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        raise NotImplementedError("_param_shapes not implemented")

    @property
    def name(self) -> str:
        """The name scope of its operations, which ends with a slash."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The DType of its samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that it was made with, by name."""
        return {k: v for k, v in self._parameters.items() if not k.startswith("__") and k != "self"}

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """True if samples are a differentiable function of the parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """True if a statistic that is not defined is NaN rather than an error."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """True if steps check parameters and values."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Makes another one with some arguments changed.

        Args:
            **override_parameters_kwargs: the arguments to change.

        Returns:
            Distribution of the same class.
        """
        return type(self)(**dict(self.parameters, **override_parameters_kwargs))

    def _unknown(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    def _batch_shape_tensor(self) -> Any:
        raise self._unknown("batch_shape_tensor")

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Returns the shape of one event's parameters: how many distributions this is, as a Tensor of int32."""
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return convert_index(self.batch_shape.as_list(), name="batch_shape")
            return self._batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return TensorShape(None)

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape of the batch: that of one event's parameters."""
        return as_shape(self._batch_shape())

    def _event_shape_tensor(self) -> Any:
        raise self._unknown("event_shape_tensor")

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Any:
        """Returns the shape of one sample of one distribution, as a Tensor of int32."""
        with self._name_scope(name):
            if self.event_shape.is_fully_defined():
                return convert_index(self.event_shape.as_list(), name="event_shape")
            return self._event_shape_tensor()

    def _event_shape(self) -> Any:
        return TensorShape(None)

    @property
    def event_shape(self) -> TensorShape:
        """The static shape of one sample of one distribution."""
        return as_shape(self._event_shape())

    def is_scalar_event(self, name: str = "is_scalar_event") -> Any:
        """Computes whether `event_shape == ()`, as a Tensor of bool."""
        with self._name_scope(name):
            is_scalar = self._is_scalar_helper(self.event_shape, self.event_shape_tensor)
            return convert_to_tensor(is_scalar, name="is_scalar_event")

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Any:
        """Computes whether `batch_shape == ()`, as a Tensor of bool."""
        with self._name_scope(name):
            is_scalar = self._is_scalar_helper(self.batch_shape, self.batch_shape_tensor)
            return convert_to_tensor(is_scalar, name="is_scalar_batch")

    def _is_scalar_helper(self, known: TensorShape, in_step: Callable[[], Any]) -> Any:
        if known.ndims is not None:
            return known.ndims == 0
        shape = in_step()
        rank = shape.get_shape()
        if rank.ndims is not None and rank[0].value is not None:
            return rank.as_list() == [0]
        return comparison.equal(shaping.shape(shape)[0], 0)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        raise self._unknown("sample_n")

    def sample(self, sample_shape: ShapeTensorLike = (), seed: int | None = None, name: str = "sample") -> Any:
        """Draws samples.

        Args:
            sample_shape: Tensor of int32, of shape [] or [rank]: how many.
            seed: int, the seed of the operations; None to derive it from the graph's.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of shape `sample_shape` + `batch_shape` + `event_shape`.

        Raises:
            ValueError: if `sample_shape` has a higher rank.
        """
        return self._call_sample_n(sample_shape, seed, name)

    def _call_sample_n(self, sample_shape: Any, seed: int | None, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = convert_index(sample_shape, name="sample_shape")
            sample_shape, n = self._as_vector(sample_shape, "sample_shape")
            samples = self._sample_n(n, seed, **kwargs)
            inner = shaping.shape(samples)[1:]
            samples = shaping.reshape(samples, joining.concat([sample_shape, inner], 0))
            return self._set_sample_static_shape(samples, sample_shape)

    def _as_vector(self, x: Any, name: str) -> tuple[Any, Any]:
        """Returns a sample shape as a vector, and the product of its elements."""
        known = constant_value(x)
        size: Any = reduce_prod(x) if known is None else np.prod(known, dtype=x.dtype.as_numpy_dtype)
        ndims = x.get_shape().ndims
        if ndims is None:
            wanted = joining.concat([shaping.shape(x), [1]], 0)[: maximum(shaping.rank(x), 1)]
            return shaping.reshape(x, wanted), size
        if ndims > 1:
            raise ValueError("Input is neither scalar nor vector.")
        if ndims == 1:
            return x, size
        if known is not None:
            return convert_to_tensor(np.array([known], dtype=x.dtype.as_numpy_dtype), name=name), size
        return shaping.reshape(x, [1]), size

    def _set_sample_static_shape(self, x: Any, sample_shape: Any) -> Any:
        """Sets what is known about a sample tensor's dimensions, those of samples, batch and event; returns it."""
        parts = [TensorShape(constant_value(sample_shape)), self.batch_shape, self.event_shape]
        ranks = [part.ndims for part in parts]
        ndims = x.get_shape().ndims
        unknown = [i for i, rank in enumerate(ranks) if rank is None]
        if ndims is None:
            if unknown:
                return x
            ndims = sum(rank or 0 for rank in ranks)
        elif len(unknown) == 1:
            ranks[unknown[0]] = ndims - sum(rank or 0 for rank in ranks)
        dims: list[Any] = [None] * ndims
        sample_rank, _, event_rank = ranks
        starts = [0, sample_rank, None if event_rank is None else ndims - event_rank]
        for part, rank, start in zip(parts, ranks, starts, strict=True):
            if part.ndims is not None and start is not None and rank is not None:
                dims[start : start + rank] = part.as_list()
        x.set_shape(dims)
        return x

    def _of_value(self, value: Any, name: str, function: Callable[..., Any], otherwise: Callable[..., Any]) -> Any:
        """Returns a function of a value; if the subclass does not define it, from another function that it defines."""
        with self._name_scope(name, values=[value]):
            value = convert_to_tensor(value, name="value", preferred_dtype=self.dtype)
            return self._first_told(lambda: function(value), lambda: otherwise(value))

    @staticmethod
    def _first_told(function: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        try:
            return function()
        except NotImplementedError as error:
            try:
                return otherwise()
            except NotImplementedError:
                raise error from None

    def _log_prob(self, value: Any) -> Any:
        raise self._unknown("log_prob")

    def log_prob(self, value: TensorLike, name: str = "log_prob") -> Any:
        """Returns the logarithm of the probability, or of its density, at a value.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._of_value(value, name, self._log_prob, lambda x: log(self._prob(x)))

    def _prob(self, value: Any) -> Any:
        raise self._unknown("prob")

    def prob(self, value: TensorLike, name: str = "prob") -> Any:
        """Returns the probability, or its density, at a value.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._of_value(value, name, self._prob, lambda x: exp(self._log_prob(x)))

    def _log_cdf(self, value: Any) -> Any:
        raise self._unknown("log_cdf")

    def log_cdf(self, value: TensorLike, name: str = "log_cdf") -> Any:
        """Returns the logarithm of the probability of at most a value.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._of_value(value, name, self._log_cdf, lambda x: log(self._cdf(x)))

    def _cdf(self, value: Any) -> Any:
        raise self._unknown("cdf")

    def cdf(self, value: TensorLike, name: str = "cdf") -> Any:
        """Returns the probability of at most a value.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._of_value(value, name, self._cdf, lambda x: exp(self._log_cdf(x)))

    def _log_survival_function(self, value: Any) -> Any:
        raise self._unknown("log_survival_function")

    def log_survival_function(self, value: TensorLike, name: str = "log_survival_function") -> Any:
        """Returns the logarithm of the probability of more than a value.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._of_value(value, name, self._log_survival_function, lambda x: log1p(-self.cdf(x)))

    def _survival_function(self, value: Any) -> Any:
        raise self._unknown("survival_function")

    def survival_function(self, value: TensorLike, name: str = "survival_function") -> Any:
        """Returns the probability of more than a value.

        Args:
            value: Tensor of `dtype`, of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of the broadcast shape without that of an event.
        """
        return self._of_value(value, name, self._survival_function, lambda x: 1.0 - self.cdf(x))

    def _entropy(self) -> Any:
        raise self._unknown("entropy")

    def entropy(self, name: str = "entropy") -> Any:
        """Returns the entropy in nats, of shape `batch_shape`."""
        with self._name_scope(name):
            return self._entropy()

    def _mean(self) -> Any:
        raise self._unknown("mean")

    def mean(self, name: str = "mean") -> Any:
        """Returns the mean, of shape `batch_shape` + `event_shape`."""
        with self._name_scope(name):
            return self._mean()

    def _quantile(self, value: Any) -> Any:
        raise self._unknown("quantile")

    def quantile(self, value: TensorLike, name: str = "quantile") -> Any:
        """Returns the value up to which lies a given probability.

        Args:
            value: Tensor of `dtype`, in [0, 1], of a shape that broadcasts with `batch_shape` + `event_shape`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of the broadcast shape.
        """
        with self._name_scope(name, values=[value]):
            return self._quantile(convert_to_tensor(value, name="value", preferred_dtype=self.dtype))

    def _variance(self) -> Any:
        raise self._unknown("variance")

    def variance(self, name: str = "variance") -> Any:
        """Returns the variance of each component, of shape `batch_shape` + `event_shape`."""
        with self._name_scope(name):
            return self._first_told(self._variance, lambda: square(self._stddev()))

    def _stddev(self) -> Any:
        raise self._unknown("stddev")

    def stddev(self, name: str = "stddev") -> Any:
        """Returns the standard deviation of each component, of shape `batch_shape` + `event_shape`."""
        with self._name_scope(name):
            return self._first_told(self._stddev, lambda: sqrt(self._variance()))

    def _covariance(self) -> Any:
        raise self._unknown("covariance")

    def covariance(self, name: str = "covariance") -> Any:
        """Returns the covariance of the components of an event [k], of shape `batch_shape` + [k, k]."""
        with self._name_scope(name):
            return self._covariance()

    def _mode(self) -> Any:
        raise self._unknown("mode")

    def mode(self, name: str = "mode") -> Any:
        """Returns the value of the highest probability, of shape `batch_shape` + `event_shape`."""
        with self._name_scope(name):
            return self._mode()

    def _cross_entropy(self, other: Any) -> Any:
        return divergence.cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> Any:
        """Returns the mean of `-log other(x)` over the samples x of this distribution.

        Args:
            other: Distribution of the same `dtype`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of shape `batch_shape`.

        Raises:
            NotImplementedError: when called; no divergence is registered for the classes.
        """
        with self._name_scope(name):
            return self._cross_entropy(other)

    def _kl_divergence(self, other: Any) -> Any:
        return divergence.kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> Any:
        """Returns the Kullback-Leibler divergence from another distribution.

        Args:
            other: Distribution of the same `dtype`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `dtype`, of shape `batch_shape`.

        Raises:
            NotImplementedError: if none is registered for the classes.
        """
        with self._name_scope(name):
            return self._kl_divergence(other)

    def __str__(self) -> str:
        batch = "" if self.batch_shape.ndims is None else f", batch_shape={self.batch_shape}"
        event = "" if self.event_shape.ndims is None else f", event_shape={self.event_shape}"
        return f'tf.distributions.{type(self).__name__}("{self.name}"{batch}{event}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        return (
            f"<tf.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
            f"event_shape={self.event_shape} dtype={self.dtype.name}>"
        )

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None, values: list[Any] | None = None) -> Iterator[str]:
        with name_scope(self.name), name_scope(name, values=[*(values or ()), *self._graph_parents]) as scope:
            yield scope


def graph_parents_of(distribution: Distribution) -> list[Any]:
    """Returns the tensors that the parameters of a distribution are.

    Args:
        distribution: Distribution.

    Returns:
        List of Tensor.
    """
    return [*distribution._graph_parents]
