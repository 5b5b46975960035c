"""Mixtures of distributions: of any kinds, or of one batch."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.distributions.static_shapes import known_size, pick_vector, rank_of
from ferroflow._src.distributions.categorical import Categorical
from ferroflow._src.distributions.distribution import Distribution, graph_parents_of
from ferroflow._src.distributions.parameterization import gen_new_seed
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import gather, where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math.arithmetic import add_n, squared_difference
from ferroflow._src.ops.math.elementwise import sqrt, square
from ferroflow._src.ops.math.reduction import reduce_logsumexp, reduce_prod, reduce_sum
from ferroflow._src.ops.nn.softmax import log_softmax, softmax


def mixture_stddev(mixture_weight_vector: Any, mean_vector: Any, stddev_vector: Any) -> Any:
    """Returns the standard deviations of mixtures of numbers.

    Args:
        mixture_weight_vector: Tensor of a float dtype, of shape [n, k]: the weights, which add up to 1.
        mean_vector: Tensor of the same dtype and shape: the means of the components.
        stddev_vector: Tensor of the same dtype and shape: their standard deviations.

    Returns:
        Tensor of that dtype, of shape [n].

    Raises:
        ValueError: if shapes are known to differ, or the weights have another rank.
    """
    weights = convert_to_tensor(mixture_weight_vector)
    means, stddevs = convert_to_tensor(mean_vector), convert_to_tensor(stddev_vector)
    weights.get_shape().assert_has_rank(2)
    for x, what in ((means, "means"), (stddevs, "stddevs")):
        if not x.get_shape().is_compatible_with(weights.get_shape()):
            raise ValueError(f"Expecting {what} to have same shape as mixture weights.")
    mean = reduce_sum(weights * means, axis=1)
    # Var = E[Var] + E[mean ** 2] - E[mean] ** 2
    return sqrt(reduce_sum(weights * (square(stddevs) + square(means)), axis=1) - square(mean))


def pad_mixture_dimensions(x: Any, mixture_distribution: Any, categorical_distribution: Any, event_ndims: int) -> Any:
    """Gives weights of components the dimensions of a mixture's events.

    Args:
        x: Tensor of any dtype, of shape [..., number of components].
        mixture_distribution: Distribution of the mixture.
        categorical_distribution: Distribution of the components' numbers.
        event_ndims: int, the rank of an event.

    Returns:
        Tensor of the dtype of `x`. Dimensions of size 1 stand before the last one for those that the weights lack, and
        behind it for those of an event.
    """

    def batch_ndims(distribution: Any) -> Any:
        known = distribution.batch_shape.ndims
        return shaping.shape(distribution.batch_shape_tensor())[0] if known is None else known

    with name_scope("pad_mix_dims", values=[x]):
        of_mixture, of_weights = batch_ndims(mixture_distribution), batch_ndims(categorical_distribution)
        missing: Any = of_mixture - of_weights
        if not isinstance(missing, int):
            missing = where(categorical_distribution.is_scalar_batch(), of_mixture, missing)
        shape = shaping.shape(x)
        ones = [making.ones(convert_to_tensor([n]), dtype=shape.dtype) for n in (missing, event_ndims)]
        return shaping.reshape(x, joining.concat([shape[:-1], ones[0], shape[-1:], ones[1]], 0))


class Mixture(Distribution):
    """A mixture: a sample is that of one of several distributions, chosen at random.

    Args:
        cat: Categorical, the probabilities of the components.
        components: list of Distribution, as many as `cat` has classes, of one dtype and shapes of batch and event.
        validate_args: bool. If True, steps check shapes that are not known before.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        use_static_graph: bool. If True, `sample` draws from all components and selects, in operations that all have
            static shapes; if not, it draws as many samples of each as are chosen.
        name: str, name scope of its operations.

    Raises:
        TypeError: if `cat` is not Categorical, components are no distributions or of several dtypes.
        ValueError: if there is no component, their number differs from that of the classes, or is unknown.
    """

    def __init__(
        self,
        cat: Any,
        components: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        parameters = dict(locals())
        if not isinstance(cat, Categorical):
            raise TypeError(f"cat must be a Categorical distribution, but saw: {cat}")
        if not components:
            raise ValueError("components must be a non-empty list or tuple")
        if not isinstance(components, (list, tuple)):
            raise TypeError(f"components must be a list or tuple, but saw: {components}")
        if not all(isinstance(component, Distribution) for component in components):
            raise TypeError(f"all entries in components must be Distribution instances but saw: {components}")
        dtype = components[0].dtype
        if any(component.dtype != dtype for component in components):
            found = [(component.name, component.dtype) for component in components]
            raise TypeError(f"All components must have the same dtype, but saw dtypes: {found}")
        event_shape, batch_shape = components[0].event_shape, cat.batch_shape
        for component in components:
            event_shape = event_shape.merge_with(component.event_shape)
            batch_shape = batch_shape.merge_with(component.batch_shape)
        if event_shape.ndims is None:
            raise ValueError(
                "Expected to know rank(event_shape) from components, but none of the components provide a static "
                "number of ndims"
            )
        with name_scope(name, values=[cat.logits]) as scope:
            classes = constant_value(convert_to_tensor(cat.event_size))
            if classes is None:
                raise ValueError(
                    "Could not infer number of classes from cat and unable to compare this value to the number of "
                    "components passed in."
                )
            if int(classes) != len(components):
                raise ValueError(f"cat.num_classes != len(components): {int(classes)} vs. {len(components)}")
            self._checks = self._shape_checks(cat, components) if validate_args else []
        self._cat = cat
        self._components = list(components)
        self._static_event_shape = event_shape
        self._static_batch_shape = batch_shape
        self._use_static_graph = use_static_graph
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[parent for d in (cat, *components) for parent in graph_parents_of(d)],
            name=scope,
        )

    @staticmethod
    def _shape_checks(cat: Any, components: Any) -> list[Any]:
        shape = cat.batch_shape_tensor()
        checks = []
        for i, component in enumerate(components):
            message = f"components[{i}] batch shape must match cat batch shape"
            found = component.batch_shape_tensor()
            same_rank = checking.assert_equal(shaping.size(shape), shaping.size(found), message=message)
            with control_dependencies([same_rank]):
                checks.append(checking.assert_equal(shape, found, message=message))
        return checks

    @property
    def cat(self) -> Any:
        """The distribution of the components' numbers."""
        return self._cat

    @property
    def components(self) -> list[Any]:
        """The distributions that are mixed."""
        return self._components

    @property
    def num_components(self) -> int:
        """The number of components."""
        return len(self._components)

    def _batch_shape_tensor(self) -> Any:
        return self._cat.batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return self._static_batch_shape

    def _event_shape_tensor(self) -> Any:
        return self._components[0].event_shape_tensor()

    def _event_shape(self) -> Any:
        return self._static_event_shape

    def _weights(self) -> list[Any]:
        """Returns the probability of each component, with dimensions of size 1 for those of an event."""
        weights = joining.unstack(softmax(self._cat.logits), num=self.num_components, axis=-1)
        for _ in range(self._static_event_shape.ndims):
            weights = [shaping.expand_dims(weight, -1) for weight in weights]
        return list(weights)

    def _log_weights(self) -> list[Any]:
        return list(joining.unstack(log_softmax(self._cat.logits), num=self.num_components, axis=-1))

    def _mean(self) -> Any:
        with control_dependencies(self._checks):
            means = [component.mean() for component in self._components]
            return add_n([weight * mean for weight, mean in zip(self._weights(), means, strict=True)])

    def _stddev(self) -> Any:
        with control_dependencies(self._checks):
            means = joining.stack([component.mean() for component in self._components], axis=-1)
            stddevs = joining.stack([component.stddev() for component in self._components], axis=-1)
            weights = joining.stack(self._weights(), axis=-1) * making.ones_like(means)
            rows = [shaping.reshape(x, [-1, self.num_components]) for x in (weights, means, stddevs)]
            return shaping.reshape(mixture_stddev(*rows), shaping.shape(weights)[:-1])

    def _log_sum(self, parts: list[Any]) -> Any:
        weighted = [weight + part for weight, part in zip(self._log_weights(), parts, strict=True)]
        return reduce_logsumexp(joining.stack(weighted, 0), [0])

    def _log_prob(self, value: Any) -> Any:
        with control_dependencies(self._checks):
            return self._log_sum([component.log_prob(value) for component in self._components])

    def _log_cdf(self, value: Any) -> Any:
        with control_dependencies(self._checks):
            return self._log_sum([component.log_cdf(value) for component in self._components])

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Any:
        """Returns the mean of the components' entropies, which is at most the entropy, of shape `batch_shape`."""
        with self._name_scope(name, values=[self._cat.logits]), control_dependencies(self._checks):
            entropies = [component.entropy() for component in self._components]
            weights = joining.unstack(softmax(self._cat.logits), num=self.num_components, axis=-1)
            return add_n([weight * entropy for weight, entropy in zip(weights, entropies, strict=True)])

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return self._selected_samples(n, seed) if self._use_static_graph else self._gathered_samples(n, seed)

    def _selected_samples(self, n: Any, seed: int | None) -> Any:
        chosen = self._cat.sample(n, seed=seed)
        samples = []
        for component in self._components:
            seed = gen_new_seed(seed, "mixture")
            samples.append(component.sample(n, seed=seed))
        event_ndims = self._static_event_shape.ndims
        x = joining.stack(samples, -event_ndims - 1)
        numpy_dtype = x.dtype.as_numpy_dtype
        mask = making.one_hot(chosen, self.num_components, on_value=numpy_dtype(1), off_value=numpy_dtype(0))
        mask = pad_mixture_dimensions(mask, self, self._cat, event_ndims)
        return reduce_sum(x * mask, axis=-1 - event_ndims)

    def _gathered_samples(self, n: Any, seed: int | None) -> Any:
        with control_dependencies(self._checks):
            n = convert_to_tensor(n, name="n")
            known = constant_value(n)
            n = n if known is None else int(known)
            chosen = self._cat.sample(n, seed=seed)
            static = chosen.get_shape()
            shape, size = shaping.shape(chosen), shaping.size(chosen)
            batch_shape = self.batch_shape_tensor()
            batch_size = reduce_prod(batch_shape)
            event_shape = self.event_shape_tensor()
            # Each component draws a whole batch for each place that has chosen it: the place takes its own element.
            places = shaping.reshape(making.range(0, size), shape)
            elements = shaping.reshape(shaping.tile(making.range(0, batch_size), [n]), shape)
            places_of = joining.dynamic_partition(places, chosen, self.num_components)
            elements_of = joining.dynamic_partition(elements, chosen, self.num_components)
            drawn = []
            for i, component in enumerate(self._components):
                count = shaping.size(places_of[i])
                seed = gen_new_seed(seed, "mixture")
                samples = component.sample(count, seed=seed)
                rows = shaping.reshape(samples, joining.concat([[count * batch_size], event_shape], 0))
                drawn.append(gather(rows, batch_size * making.range(count) + elements_of[i]))
            stitched = joining.dynamic_stitch(places_of, drawn)
            result = shaping.reshape(stitched, joining.concat([shape, event_shape], 0))
            result.set_shape(TensorShape(static).concatenate(self.event_shape))
            return result


class MixtureSameFamily(Distribution):
    """A mixture of the distributions of a batch: a sample is that of one of them, chosen at random.

    Args:
        mixture_distribution: Distribution of whole numbers with `logits` and `probs`, such as Categorical: the
            probabilities of the components.
        components_distribution: Distribution whose last dimension of the batch holds the components.
        validate_args: bool. If True, steps check shapes that are not known before.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `mixture_distribution` is not of whole numbers, or shapes are known not to fit.
    """

    def __init__(
        self,
        mixture_distribution: Any,
        components_distribution: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MixtureSameFamily",
    ) -> None:
        parameters = dict(locals())
        self._mixture_distribution = mixture_distribution
        self._components_distribution = components_distribution
        with name_scope(name) as scope:
            event_shape = components_distribution.event_shape_tensor()
            static = components_distribution.event_shape.ndims
            self._event_ndims: Any = shaping.shape(event_shape)[0] if static is None else static
            self._checks = self._checked(validate_args)
            count = known_size(mixture_distribution.logits.get_shape().with_rank_at_least(1)[-1])
            logits = mixture_distribution.logits
            self._num_components: Any = shaping.shape(logits)[-1] if count is None else count
            super().__init__(
                dtype=components_distribution.dtype,
                reparameterization_type=NOT_REPARAMETERIZED,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                parameters=parameters,
                graph_parents=[*graph_parents_of(mixture_distribution), *graph_parents_of(components_distribution)],
                name=scope,
            )

    def _checked(self, validate_args: bool) -> list[Any]:
        mixture, components = self._mixture_distribution, self._components_distribution
        checks = []
        if not mixture.dtype.is_integer:
            raise ValueError(f"`mixture_distribution.dtype` ({mixture.dtype.name}) is not over integers")
        scalar = "`mixture_distribution` must have scalar `event_dim`s"
        if mixture.event_shape.ndims is None:
            if validate_args:
                checks.append(checking.assert_equal(shaping.size(mixture.event_shape_tensor()), 0, message=scalar))
        elif mixture.event_shape.ndims != 0:
            raise ValueError(scalar)
        of_mixture, of_components = mixture.batch_shape, components.batch_shape.with_rank_at_least(1)[:-1]
        if of_mixture.is_fully_defined() and of_components.is_fully_defined():
            if of_mixture.ndims != 0 and of_mixture != of_components:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` (`{of_mixture.as_list()}`) is not compatible with "
                    f"`components_distribution.batch_shape` (`{of_components.as_list()}`)"
                )
        elif validate_args:
            outer = components.batch_shape_tensor()[:-1]
            found = pick_vector(mixture.is_scalar_batch(), outer, mixture.batch_shape_tensor())
            message = "`mixture_distribution.batch_shape` is not compatible with `components_distribution.batch_shape`"
            checks.append(checking.assert_equal(found, outer, message=message))
        weights = known_size(mixture.logits.get_shape().with_rank_at_least(1)[-1])
        last = known_size(components.batch_shape.with_rank_at_least(1)[-1])
        if weights is not None and last is not None:
            if weights != last:
                raise ValueError(
                    f"`mixture_distribution components` ({weights}) does not equal "
                    f"`components_distribution.batch_shape[-1]` ({last})"
                )
        elif validate_args:
            message = "`mixture_distribution components` does not equal `components_distribution.batch_shape[-1:]`"
            in_step = shaping.shape(mixture.logits)[-1]
            size = components.batch_shape_tensor()[-1]
            checks.append(checking.assert_equal(in_step, size, message=message))
        return checks

    @property
    def mixture_distribution(self) -> Any:
        """The distribution of the components' numbers."""
        return self._mixture_distribution

    @property
    def components_distribution(self) -> Any:
        """The distributions that are mixed."""
        return self._components_distribution

    def _batch_shape_tensor(self) -> Any:
        with control_dependencies(self._checks):
            return self._components_distribution.batch_shape_tensor()[:-1]

    def _batch_shape(self) -> Any:
        return self._components_distribution.batch_shape.with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Any:
        with control_dependencies(self._checks):
            return self._components_distribution.event_shape_tensor()

    def _event_shape(self) -> Any:
        return self._components_distribution.event_shape

    def _padded(self, weights: Any) -> Any:
        return pad_mixture_dimensions(weights, self, self._mixture_distribution, self._event_shape().ndims)

    def _with_component(self, x: Any) -> Any:
        """Gives a value a dimension for the components, before those of an event."""
        with name_scope("pad_sample_dims", values=[x]):
            shape = shaping.shape(x)
            outer = rank_of(x) - self._event_ndims
            return shaping.reshape(x, joining.concat([shape[:outer], [1], shape[outer:]], 0))

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        with control_dependencies(self._checks):
            x = self._components_distribution.sample(n, seed=seed)
            numpy_dtype = x.dtype.as_numpy_dtype
            mask = making.one_hot(
                self._mixture_distribution.sample(n, seed=gen_new_seed(seed, "MixtureSameFamily")),
                self._num_components,
                on_value=numpy_dtype(1),
                off_value=numpy_dtype(0),
            )
            return reduce_sum(x * self._padded(mask), axis=-1 - self._event_ndims)

    def _log_prob(self, value: Any) -> Any:
        with control_dependencies(self._checks):
            of_components = self._components_distribution.log_prob(self._with_component(value))
            return reduce_logsumexp(of_components + log_softmax(self._mixture_distribution.logits), axis=-1)

    def _log_cdf(self, value: Any) -> Any:
        of_components = self._components_distribution.log_cdf(self._with_component(value))
        return reduce_logsumexp(of_components + log_softmax(self._mixture_distribution.logits), axis=-1)

    def _mean(self) -> Any:
        with control_dependencies(self._checks):
            weights = self._padded(self._mixture_distribution.probs)
            return reduce_sum(weights * self._components_distribution.mean(), axis=-1 - self._event_ndims)

    def _variance(self) -> Any:
        with control_dependencies(self._checks):
            weights = self._padded(self._mixture_distribution.probs)
            components = self._components_distribution
            axis = -1 - self._event_ndims
            within = reduce_sum(weights * components.variance(), axis=axis)
            distance = squared_difference(components.mean(), self._with_component(self._mean()))
            return within + reduce_sum(weights * distance, axis=axis)

    def _covariance(self) -> Any:
        if self.event_shape.ndims != 1:
            raise NotImplementedError("covariance is not implemented")
        with control_dependencies(self._checks):
            weights = self._padded(self._padded(self._mixture_distribution.probs))
            components = self._components_distribution
            within = reduce_sum(weights * components.covariance(), axis=-3)
            distance = components.mean() - self._with_component(self._mean())
            return within + reduce_sum(weights * (distance[..., None, :] * distance[..., None]), axis=-3)
