"""The Poisson distribution whose rate is log-normal, by a quadrature over the rates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.bijectors.power import Exp
from ferroflow._src.contrib.distributions.counts import Poisson
from ferroflow._src.contrib.distributions.static_shapes import concat_vectors, pick_vector
from ferroflow._src.contrib.distributions.transformed import TransformedDistribution
from ferroflow._src.distributions.categorical import Categorical
from ferroflow._src.distributions.distribution import Distribution
from ferroflow._src.distributions.normal import Normal
from ferroflow._src.distributions.parameterization import gen_new_seed
from ferroflow._src.distributions.reparameterization import NOT_REPARAMETERIZED
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.flow.checking import assert_equal
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, exp, log
from ferroflow._src.ops.math.reduction import reduce_logsumexp, reduce_prod, reduce_sum
from ferroflow._src.ops.random.sampling import random_poisson


def hermite_points(quadrature_size: int, dtype: Any) -> tuple[Any, Any]:
    """Returns the points and weights of the Gauss-Hermite quadrature, as arrays; the weights add up to 1."""
    grid, weights = np.polynomial.hermite.hermgauss(deg=quadrature_size)
    weights = weights.astype(dtype.as_numpy_dtype)
    return grid.astype(dtype.as_numpy_dtype), weights / np.abs(weights).sum()


def process_quadrature_grid_and_probs(
    quadrature_grid_and_probs: Any, dtype: Any, validate_args: bool, name: str | None = None
) -> tuple[Any, Any]:
    """Returns the points and weights of a quadrature, with weights that add up to 1.

    Args:
        quadrature_grid_and_probs: pair of Tensors of shape [..., n]; None for the Gauss-Hermite quadrature of 8 points.
        dtype: DType of the result.
        validate_args: bool. If True, steps check sizes that are not known before.
        name: str, name scope of the operations.

    Returns:
        (grid, probs): Tensors of `dtype`, of shape [..., n].

    Raises:
        ValueError: if the two have different lengths.
    """
    with name_scope(name, "process_quadrature_grid_and_probs", [quadrature_grid_and_probs]):
        if quadrature_grid_and_probs is None:
            points, weights = hermite_points(8, dtype)
            return convert_to_tensor(points, dtype, "grid"), convert_to_tensor(weights, dtype, "probs")
        grid, probs = quadrature_grid_and_probs
        grid = convert_to_tensor(grid, dtype, "grid")
        probs = convert_to_tensor(probs, dtype, "unnormalized_probs")
        probs = probs / reduce_sum(absolute(probs), -1, keepdims=True)
        sizes = [x.shape.with_rank_at_least(1)[-1].value for x in (probs, grid)]
        message = "`quadrature_grid_and_probs` must be a `tuple` of same-length zero-th-dimension `Tensor`s"
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(f"{message} (saw lengths {sizes[0]}, {sizes[1]})")
        if None in sizes and validate_args:
            checked = assert_equal(shaping.shape(probs)[-1], shaping.shape(grid)[-1], message=message)
            with control_dependencies([checked]):
                return making.identity(grid), making.identity(probs)
        return grid, probs


def quantiles_of(distribution: Any, quadrature_size: int) -> Any:
    """Returns `quadrature_size + 1` quantiles of equal distances along a new last dimension, without 0 and 1."""
    ndims = distribution.batch_shape.ndims
    if ndims is None:
        ndims = shaping.shape(distribution.batch_shape_tensor())[0]
    edges = making.lin_space(making.zeros([], dtype=distribution.dtype), 1.0, quadrature_size + 3)[1:-1]
    ones = making.ones(convert_to_tensor([ndims]), dtype=convert_index([]).dtype)
    quantiles = distribution.quantile(shaping.reshape(edges, joining.concat([[-1], ones], 0)))
    return shaping.transpose(quantiles, joining.concat([making.range(1, 1 + ndims), [0]], 0))


def quadrature_scheme_lognormal_gauss_hermite(
    loc: Any, scale: Any, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Returns points and weights of the Gauss-Hermite quadrature for log-normal numbers.

    Args:
        loc: Tensor of a float dtype: the means of the logarithms.
        scale: Tensor of the same dtype, that broadcasts with it: their standard deviations.
        quadrature_size: int, the number of points.
        validate_args: bool, without an effect.
        name: str, name scope of the operations.

    Returns:
        (grid, probs): Tensors of that dtype, of shape [..., quadrature_size] and [quadrature_size].
    """
    with name_scope(name, "vector_diffeomixture_quadrature_gauss_hermite", [loc, scale]):
        loc = convert_to_tensor(loc)
        scale = convert_to_tensor(scale, dtype=loc.dtype)
        grid, probs = hermite_points(quadrature_size, loc.dtype)
        points = loc[..., None] + np.sqrt(2.0).astype(grid.dtype) * scale[..., None] * grid
        return points, convert_to_tensor(probs, name="probs", dtype=loc.dtype)


def quadrature_scheme_lognormal_quantiles(
    loc: Any, scale: Any, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Returns points between the quantiles of log-normal numbers, and their equal weights.

    Args:
        loc: Tensor of a float dtype: the means of the logarithms.
        scale: Tensor of the same dtype, that broadcasts with it: their standard deviations.
        quadrature_size: int, the number of points.
        validate_args: bool. If True, steps check the parameters.
        name: str, name scope of the operations.

    Returns:
        (grid, probs): Tensors of that dtype, of shape [..., quadrature_size] and [quadrature_size].
    """
    with name_scope(name, "quadrature_scheme_lognormal_quantiles", [loc, scale]):
        distribution = TransformedDistribution(Normal(loc=loc, scale=scale), Exp(), validate_args=validate_args)
        quantiles = quantiles_of(distribution, quadrature_size)
        grid = (quantiles[..., :-1] + quantiles[..., 1:]) / 2.0
        grid.set_shape(distribution.batch_shape.concatenate([quadrature_size]))
        weight = 1.0 / cast(quadrature_size, distribution.dtype)
        return grid, making.fill([quadrature_size], weight)


class PoissonLogNormalQuadratureCompound(Distribution):
    """The Poisson distribution whose rate has a log-normal distribution, as a mixture over points of a quadrature.

    Args:
        loc: Tensor of a float dtype: the means of the logarithms of the rates.
        scale: Tensor of the same dtype, that broadcasts with it, above 0: their standard deviations.
        quadrature_size: int, the number of points.
        quadrature_fn: callable of `loc`, `scale`, `quadrature_size` and `validate_args` that returns (grid, probs): the
            logarithms of the rates, of shape [..., quadrature_size], and their weights.
        validate_args: bool. If True, steps check the parameters and values.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        TypeError: if the dtypes of the grid and the weights differ.
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Any] = quadrature_scheme_lognormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "PoissonLogNormalQuadratureCompound",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as scope:
            self._loc = None if loc is None else convert_to_tensor(loc, name="loc")
            dtype = None if self._loc is None else self._loc.dtype
            self._scale = None if scale is None else convert_to_tensor(scale, dtype=dtype, name="scale")
            grid, probs = quadrature_fn(self._loc, self._scale, quadrature_size, validate_args)
            if grid.dtype.base_dtype != probs.dtype.base_dtype:
                raise TypeError(
                    f"Quadrature grid dtype ({grid.dtype.name}) does not match quadrature probs dtype "
                    f"({probs.dtype.name})."
                )
            self._distribution = Poisson(log_rate=grid, validate_args=validate_args, allow_nan_stats=allow_nan_stats)
            self._mixture_distribution = Categorical(
                logits=log(probs), validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
            self._quadrature_size = quadrature_size
            super().__init__(
                dtype=grid.dtype,
                reparameterization_type=NOT_REPARAMETERIZED,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                parameters=parameters,
                graph_parents=[x for x in (self._loc, self._scale) if x is not None],
                name=scope,
            )

    @property
    def mixture_distribution(self) -> Any:
        """The distribution of the points' numbers."""
        return self._mixture_distribution

    @property
    def distribution(self) -> Any:
        """The Poisson distributions of the points, along the last dimension of their batch."""
        return self._distribution

    @property
    def loc(self) -> Any:
        """The means of the logarithms of the rates, a Tensor of `dtype`."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The standard deviations of the logarithms of the rates, a Tensor of `dtype`."""
        return self._scale

    @property
    def quadrature_size(self) -> int:
        """The number of points."""
        return self._quadrature_size

    def _batch_shape_tensor(self) -> Any:
        logits = shaping.shape(self._mixture_distribution.logits)
        return shaping.broadcast_dynamic_shape(self._distribution.batch_shape_tensor(), logits)[:-1]

    def _batch_shape(self) -> Any:
        logits = self._mixture_distribution.logits.get_shape()
        return shaping.broadcast_static_shape(self._distribution.batch_shape, logits)[:-1]

    def _event_shape_tensor(self) -> Any:
        return convert_index([])

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        size: Any = self.batch_shape.num_elements()
        size = reduce_prod(self.batch_shape_tensor()) if size is None else size
        nothing, rest = convert_index([]), convert_index([-1])
        mixture = self._mixture_distribution
        points = mixture.sample(
            sample_shape=concat_vectors([n], pick_vector(mixture.is_scalar_batch(), [size], nothing)),
            seed=gen_new_seed(seed, "poisson_lognormal_quadrature_compound"),
        )
        points = shaping.reshape(points, concat_vectors([n], pick_vector(self.is_scalar_batch(), nothing, rest)))
        # Rates lie one after another: those of element i of the batch begin at i * quadrature_size.
        points = points + making.range(0, size * self._quadrature_size, self._quadrature_size, dtype=points.dtype)
        rate = gather(shaping.reshape(self._distribution.rate, [-1]), points)
        rate = shaping.reshape(rate, concat_vectors([n], self.batch_shape_tensor()))
        return random_poisson(rate, [], dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Any) -> Any:
        of_points = self._distribution.log_prob(value[..., None])
        return reduce_logsumexp(self._mixture_distribution.logits + of_points, axis=-1)

    def _mean(self) -> Any:
        return exp(reduce_logsumexp(self._mixture_distribution.logits + self._distribution.log_rate, axis=-1))

    def _variance(self) -> Any:
        return exp(self._log_variance())

    def _stddev(self) -> Any:
        return exp(0.5 * self._log_variance())

    def _log_variance(self) -> Any:
        # Var[X] = E[Var[X | rate]] + Var[E[X | rate]], and both of a Poisson distribution are its rate.
        distance = absolute(self._distribution.mean() - self._mean()[..., None])
        parts = joining.stack([self._distribution.log_rate, 2.0 * log(distance)], axis=-1)
        return reduce_logsumexp(self._mixture_distribution.logits[..., None] + parts, axis=[-2, -1])
