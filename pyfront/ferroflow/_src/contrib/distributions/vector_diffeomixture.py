"""Mixtures of two linear functions of random vectors, with random weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.bijectors.affine_linear_operator import AffineLinearOperator
from ferroflow._src.contrib.bijectors.vectors import SoftmaxCentered
from ferroflow._src.contrib.distributions.matrices_and_vectors import pad
from ferroflow._src.contrib.distributions.of_bijector import checked_scalar_distribution
from ferroflow._src.contrib.distributions.poisson_lognormal import hermite_points, quantiles_of
from ferroflow._src.contrib.distributions.static_shapes import concat_vectors, known_size, pick_vector
from ferroflow._src.distributions.categorical import Categorical
from ferroflow._src.distributions.distribution import Distribution, graph_parents_of
from ferroflow._src.distributions.normal import Normal
from ferroflow._src.distributions.parameterization import gen_new_seed
from ferroflow._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.linear_operator.diag import LinearOperatorDiag
from ferroflow._src.linear_operator.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from ferroflow._src.linear_operator.lower_triangular import LinearOperatorLowerTriangular
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import log, square
from ferroflow._src.ops.math.linalg import matrix_diag, matrix_diag_part
from ferroflow._src.ops.math.reduction import reduce_logsumexp, reduce_prod, reduce_sum
from ferroflow._src.ops.nn.softmax import softmax

_ONLY_TWO = "Currently only bimixtures are supported; "


def _checked_last(x: Any, name: str, validate_args: bool) -> Any:
    """Returns a parameter of the weights' distribution, which has a last dimension of size 1."""
    checks = []
    with name_scope(None, "check_" + name, [x]):
        static = x.get_shape()
        if static.ndims is None:
            if validate_args:
                message = f"Mixing params must be a (batch of) vector; {name}.rank=0 is not at least one."
                checks.append(checking.assert_rank_at_least(x, 1, message=message))
        elif static.ndims == 0:
            raise ValueError(f"Mixing params must be a (batch of) vector; {name}.rank=0 is not at least one.")
        last = None if static.ndims is None else known_size(static[-1])
        if last is None:
            if validate_args:
                message = f"{_ONLY_TWO}{name}.shape[-1] is not 1."
                checks.append(checking.assert_equal(shaping.shape(x)[-1], 1, message=message))
        elif last != 1:
            raise NotImplementedError(f"{_ONLY_TWO}{name}.shape[-1]={last} is not 1.")
        return with_dependencies(checks, x) if checks else x


def quadrature_scheme_softmaxnormal_gauss_hermite(
    normal_loc: Any, normal_scale: Any, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Returns points and weights of the Gauss-Hermite quadrature for weights that are the softmax of a normal number.

    Args:
        normal_loc: Tensor of a float dtype, of shape [..., 1]: the means.
        normal_scale: Tensor of the same dtype, of shape [..., 1]: the standard deviations.
        quadrature_size: int, the number of points.
        validate_args: bool. If True, steps check shapes that are not known before.
        name: str, name scope of the operations.

    Returns:
        (grid, probs): Tensors of that dtype, of shape [..., 2, quadrature_size] and [quadrature_size].
    """
    with name_scope(name, "quadrature_scheme_softmaxnormal_gauss_hermite", [normal_loc, normal_scale]):
        loc = convert_to_tensor(normal_loc, name="normal_loc")
        dtype = loc.dtype.base_dtype
        scale = convert_to_tensor(normal_scale, dtype=dtype, name="normal_scale")
        scale = _checked_last(scale, "normal_scale", validate_args)
        points, probs = hermite_points(quadrature_size, dtype)
        numbers = loc[..., None] + np.sqrt(2.0).astype(points.dtype) * scale[..., None] * points
        grid = softmax(-pad(numbers, axis=-2, front=True), axis=-2)
        return grid, convert_to_tensor(probs, name="probs", dtype=dtype)


def quadrature_scheme_softmaxnormal_quantiles(
    normal_loc: Any, normal_scale: Any, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Returns grid points between the quantiles of softmax-normal weights, and their weights.

    Args:
        normal_loc: Tensor of a float dtype, of shape [..., 1]: the means.
        normal_scale: Tensor of the same dtype, of shape [..., 1]: the standard deviations.
        quadrature_size: int, the number of points.
        validate_args: bool. If True, steps check shapes that are not known before.
        name: str, name scope of the operations.

    Returns:
        (grid, probs): Tensors of that dtype, of shape [..., 2, quadrature_size] and [quadrature_size].
    """
    with name_scope(name, "softmax_normal_grid_and_probs", [normal_loc, normal_scale]):
        loc = convert_to_tensor(normal_loc, name="normal_loc")
        scale = convert_to_tensor(normal_scale, dtype=loc.dtype.base_dtype, name="normal_scale")
        scale = _checked_last(scale, "normal_scale", validate_args)
        distribution = Normal(loc=loc, scale=scale)

        def transformed(numbers: Any) -> Any:
            rank = shaping.rank(numbers)
            to_front = joining.concat([[rank - 1], making.range(0, rank - 1)], 0)
            to_back = joining.concat([making.range(1, rank), [0]], 0)
            return shaping.transpose(SoftmaxCentered().forward(shaping.transpose(numbers, to_front)), to_back)

        quantiles = transformed(quantiles_of(distribution, quadrature_size))
        grid = (quantiles[..., :-1] + quantiles[..., 1:]) / 2.0
        batch = distribution.batch_shape.with_rank_at_least(1)
        classes = known_size(batch[-1]) if batch.ndims is not None else None
        classes = None if classes is None else classes + 1
        grid.set_shape(batch[:-1].concatenate([classes, quadrature_size]))
        return grid, making.fill([quadrature_size], 1.0 / cast(quadrature_size, distribution.dtype))


def _added(x: Any, y: Any) -> Any:
    return y if x is None else x if y is None else x + y


def _scaled(weight: Any, operator: Any) -> Any:
    """Returns an operator times a weight of the batch."""
    hints: dict[str, Any] = {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
    }
    if isinstance(operator, (LinearOperatorIdentity, LinearOperatorScaledIdentity)):
        multiplier = getattr(operator, "multiplier", None)
        return LinearOperatorScaledIdentity(
            num_rows=operator.range_dimension_tensor(),
            multiplier=weight if multiplier is None else weight * multiplier,
            **hints,
        )
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(diag=weight[..., None] * operator.diag_part(), **hints)
    if isinstance(operator, LinearOperatorLowerTriangular):
        return LinearOperatorLowerTriangular(tril=weight[..., None, None] * operator.to_dense(), **hints)
    raise NotImplementedError(f"Unsupported Linop type ({type(operator).__name__})")


def _sum_of_operators(first: Any, second: Any) -> Any:
    """Returns the sum of two operators, of the simplest class that has it."""
    hints: dict[str, Any] = {
        "is_non_singular": True if first.is_positive_definite and second.is_positive_definite else None,
        "is_self_adjoint": True if first.is_self_adjoint and second.is_self_adjoint else None,
        "is_positive_definite": True if first.is_positive_definite and second.is_positive_definite else None,
    }
    both = (first, second)
    if all(isinstance(x, LinearOperatorScaledIdentity) for x in both):
        return LinearOperatorScaledIdentity(
            num_rows=first.range_dimension_tensor(), multiplier=first.multiplier + second.multiplier, **hints
        )
    diagonal = (LinearOperatorScaledIdentity, LinearOperatorDiag)
    if all(isinstance(x, diagonal) for x in both):
        return LinearOperatorDiag(diag=first.diag_part() + second.diag_part(), **hints)
    return LinearOperatorLowerTriangular(tril=first.to_dense() + second.to_dense(), **hints)


class VectorDiffeomixture(Distribution):
    """The distribution of `w * (scale[0] @ x + loc[0]) + (1 - w) * (scale[1] @ x + loc[1])`.

    Here w is the softmax of a normal number, for which points of a quadrature stand. Its mean is `mix_loc /
    temperature`, its standard deviation `1 / temperature`. The vector x has independent numbers of `distribution`.

    Args:
        mix_loc: Tensor of a float dtype, of shape [..., 1].
        temperature: Tensor of the same dtype, of shape [..., 1], above 0.
        distribution: Distribution of a number.
        loc: list of two Tensors of the same dtype, of shape [..., k], or None; None for 0.
        scale: list of two LinearOperators of the same dtype, of shape [..., k, k], positive definite.
        quadrature_size: int, the number of points.
        quadrature_fn: callable of the mean, the standard deviation, `quadrature_size` and `validate_args` that returns
            (grid, probs), the weights of the two functions at the points and the points' probabilities.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if fewer than two operators are given, or not as many locations. If `distribution` has a batch or is
            not of numbers. If with `validate_args`, an operator is not declared as positive definite.
        TypeError: if dtypes differ.
        NotImplementedError: if more than two operators are given.

    Source: Dillon, Langmore, Quadrature compound: an approximating family of distributions, 2018.
    """

    def __init__(
        self,
        mix_loc: Any,
        temperature: Any,
        distribution: Any,
        loc: Sequence[Any] | None = None,
        scale: Sequence[Any] | None = None,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Any] = quadrature_scheme_softmaxnormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDiffeomixture",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[mix_loc, temperature]) as scope:
            if not scale or len(scale) < 2:
                raise ValueError(
                    "Must specify list (or list-like object) of scale LinearOperators, one for each component with "
                    "num_component >= 2."
                )
            locs = [None] * len(scale) if loc is None else list(loc)
            if len(locs) != len(scale):
                raise ValueError("loc/scale must be same-length lists (or same-length list-like objects).")
            dtype = scale[0].dtype.base_dtype
            locs = [
                None if x is None else convert_to_tensor(x, dtype=dtype, name=f"loc{k}") for k, x in enumerate(locs)
            ]
            for k, operator in enumerate(scale):
                if validate_args and not operator.is_positive_definite:
                    raise ValueError(f"scale[{k}].is_positive_definite = {operator.is_positive_definite} != True")
                if operator.dtype.base_dtype != dtype:
                    raise TypeError(
                        f'dtype mismatch; scale[{k}].base_dtype="{operator.dtype.base_dtype.name}" != "{dtype.name}"'
                    )
            self._endpoint_affine = [
                AffineLinearOperator(x, operator, validate_args, name=f"endpoint_affine_{k}")
                for k, (x, operator) in enumerate(zip(locs, scale, strict=True))
            ]
            if len(scale) != 2:
                raise NotImplementedError(f"{_ONLY_TWO}len(scale)={len(scale)} is not 2.")
            mix_loc = _checked_last(convert_to_tensor(mix_loc, dtype=dtype, name="mix_loc"), "mix_loc", validate_args)
            temperature = _checked_last(
                convert_to_tensor(temperature, dtype=dtype, name="temperature"), "temperature", validate_args
            )
            grid, probs = quadrature_fn(mix_loc / temperature, 1.0 / temperature, quadrature_size, validate_args)
            self._mixture_distribution = Categorical(
                logits=log(probs), validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
            checks = checked_scalar_distribution(distribution, dtype, validate_args)
            self._grid = with_dependencies(checks, grid) if checks else grid
            self._distribution = distribution
            self._interpolated_affine = self._interpolated(locs, scale, validate_args)
            self._set_shapes()
            super().__init__(
                dtype=dtype,
                reparameterization_type=FULLY_REPARAMETERIZED,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                parameters=parameters,
                graph_parents=[
                    *graph_parents_of(distribution),
                    *(x for x in locs if x is not None),
                    *(parent for operator in scale for parent in operator.graph_parents),
                ],
                name=scope,
            )

    def _interpolated(self, locs: Sequence[Any], scale: Sequence[Any], validate_args: bool) -> list[Any]:
        """Returns the function of x at each point of the quadrature."""
        count = known_size(self._grid.get_shape().with_rank_at_least(1)[-1])
        if count is None:
            raise ValueError("Num quadrature grid points must be known prior to graph execution.")
        affine = []
        for k in range(count):
            weights = [self._grid[..., i, k] for i in range(2)]
            shift = None
            for weight, x in zip(weights, locs, strict=True):
                shift = _added(shift, None if x is None else weight[..., None] * x)
            operator = _sum_of_operators(*[_scaled(w, s) for w, s in zip(weights, scale, strict=True)])
            affine.append(AffineLinearOperator(shift, operator, validate_args, name=f"interpolated_affine_{k}"))
        return affine

    def _set_shapes(self) -> None:
        batch, in_step = self._grid.get_shape()[:-2], shaping.shape(self._grid)[:-2]
        event: Any = None
        event_in_step: Any = None
        for affine in self._endpoint_affine:
            found = []
            if affine.shift is not None:
                static, shape = affine.shift.get_shape(), shaping.shape(affine.shift)
                found.append((static[:-1], shape[:-1], static[-1:], shape[-1:]))
            operator = affine.scale
            found.append(
                (
                    operator.batch_shape,
                    operator.batch_shape_tensor(),
                    TensorShape([operator.range_dimension]),
                    operator.range_dimension_tensor()[None],
                )
            )
            for of_batch, of_batch_in_step, of_event, of_event_in_step in found:
                batch = shaping.broadcast_static_shape(batch, of_batch)
                in_step = shaping.broadcast_dynamic_shape(in_step, of_batch_in_step)
                if event is None:
                    event, event_in_step = of_event, of_event_in_step
                else:
                    event = shaping.broadcast_static_shape(event, of_event)
                    event_in_step = shaping.broadcast_dynamic_shape(event_in_step, of_event_in_step)
        self._static_batch, self._batch_in_step = batch, in_step
        self._static_event, self._event_in_step = event, event_in_step

    @property
    def mixture_distribution(self) -> Any:
        """The distribution of the points' numbers."""
        return self._mixture_distribution

    @property
    def distribution(self) -> Any:
        """The distribution of the numbers of x."""
        return self._distribution

    @property
    def grid(self) -> Any:
        """The weights of the two functions at each point, a Tensor of shape [..., 2, quadrature_size]."""
        return self._grid

    @property
    def endpoint_affine(self) -> list[Any]:
        """The two functions of x, as bijectors."""
        return self._endpoint_affine

    @property
    def interpolated_affine(self) -> list[Any]:
        """The function of x at each point, as bijectors."""
        return self._interpolated_affine

    def _batch_shape_tensor(self) -> Any:
        return self._batch_in_step

    def _batch_shape(self) -> Any:
        return self._static_batch

    def _event_shape_tensor(self) -> Any:
        return self._event_in_step

    def _event_shape(self) -> Any:
        return self._static_event

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = concat_vectors([n], self.batch_shape_tensor(), self.event_shape_tensor())
        x = self._distribution.sample(sample_shape=convert_index(shape), seed=seed)
        first, second = (affine.forward(x) for affine in self._endpoint_affine)
        size: Any = self.batch_shape.num_elements()
        size = reduce_prod(self.batch_shape_tensor()) if size is None else size
        mixture = self._mixture_distribution
        own: Any = mixture.batch_shape.num_elements()
        own = reduce_prod(mixture.batch_shape_tensor()) if own is None else own
        nothing, rest = convert_index([]), convert_index([-1])
        points = mixture.sample(
            sample_shape=concat_vectors([n], pick_vector(self.is_scalar_batch(), nothing, [size // own])),
            seed=gen_new_seed(seed, "vector_diffeomixture"),
        )
        points = shaping.reshape(points, concat_vectors([n], pick_vector(self.is_scalar_batch(), nothing, rest)))
        # Weights lie one after another: those of element i of the batch begin at i * 2 * quadrature_size.
        stride: Any = self._grid.get_shape().with_rank_at_least(2)[-2:].num_elements()
        stride = reduce_prod(shaping.shape(self._grid)[-2:]) if stride is None else stride
        starts = making.range(0, size * stride, stride, dtype=points.dtype)
        weight = gather(shaping.reshape(self._grid, [-1]), points + starts)
        weight = shaping.reshape(weight, joining.concat([[-1], self.batch_shape_tensor(), [1]], 0))
        return weight * (first - second) + second

    def _log_prob(self, value: Any) -> Any:
        # A point's density is that of x, divided by the determinant of its function.
        x = joining.stack([affine.inverse(value) for affine in self._interpolated_affine], axis=-1)
        log_prob = reduce_sum(self._distribution.log_prob(x), axis=-2)
        determinants = joining.stack(
            [affine.forward_log_det_jacobian(value, event_ndims=1) for affine in self._interpolated_affine], axis=-1
        )
        return reduce_logsumexp(self._mixture_distribution.logits - determinants + log_prob, axis=-1)

    def _point_probs(self) -> Any:
        """Returns the points' probabilities, with a dimension of size 1 for an event's before the last one."""
        return self._mixture_distribution.probs[..., None, :]

    def _mean_of_x(self) -> Any:
        shape = joining.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        mean = self._distribution.mean() + making.zeros(shape, dtype=self.dtype)
        mean.set_shape(self.batch_shape.concatenate(self.event_shape))
        return mean

    def _mean(self) -> Any:
        probs, of_x = self._point_probs(), self._mean_of_x()
        mean = None
        for k, affine in enumerate(self._interpolated_affine):
            mean = _added(mean, probs[..., k] * affine.forward(of_x))
        return mean

    def _second_moment(self, is_diagonal: bool) -> Any:
        """Returns E[Cov[Y | w]] + Cov[E[Y | w]]: the covariance, or its diagonal."""
        probs, of_x, mean = self._point_probs(), self._mean_of_x(), self._mean()
        variance = self._distribution.variance()
        total = None
        for k, affine in enumerate(self._interpolated_affine):
            operator, distance = affine.scale, affine.forward(of_x) - mean
            if isinstance(operator, (LinearOperatorScaledIdentity, LinearOperatorDiag)):
                diagonal = square(operator.diag_part())
                within = diagonal if is_diagonal else matrix_diag(diagonal)
            else:
                within = operator.matmul(operator.to_dense(), adjoint_arg=True)
                within = matrix_diag_part(within) if is_diagonal else within
            if is_diagonal:
                weight, between = probs[..., k], square(distance)
            else:
                weight, between = probs[..., k, None], distance[..., :, None] * distance[..., None, :]
            total = _added(total, weight * (within * variance + between))
        return total

    def _covariance(self) -> Any:
        return self._second_moment(is_diagonal=False)

    def _variance(self) -> Any:
        return self._second_moment(is_diagonal=True)
