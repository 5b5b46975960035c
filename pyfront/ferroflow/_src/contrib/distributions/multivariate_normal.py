"""Normal distributions of vectors, by what their scale is made of."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.distributions.of_linear_operator import MultivariateNormalLinearOperator
from ferroflow._src.contrib.distributions.scales import is_diagonal_scale, make_diag_scale
from ferroflow._src.contrib.distributions.static_shapes import dimension_size
from ferroflow._src.distributions.divergence import RegisterKL
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.linear_operator.identity import LinearOperatorIdentity
from ferroflow._src.linear_operator.low_rank_update import LinearOperatorLowRankUpdate
from ferroflow._src.linear_operator.lower_triangular import LinearOperatorLowerTriangular
from ferroflow._src.ops.array.shaping import broadcast_static_shape
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.linalg.solving import cholesky
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import square
from ferroflow._src.ops.math.linalg import matrix_transpose
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.activation import softplus


class MultivariateNormalDiag(MultivariateNormalLinearOperator):
    """The normal distribution of vectors of independent numbers.

    Their standard deviations are `scale_diag + scale_identity_multiplier`; without both, 1.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]: the means; None for 0.
        scale_diag: Tensor of the same dtype, of shape [..., k], not 0; or None.
        scale_identity_multiplier: Tensor of the same dtype, of shape [...]; or None.
        validate_args: bool. If True, steps check that the scale is not singular.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if no argument has the size of an event.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope, name_scope("init", values=[loc, scale_diag, scale_identity_multiplier]):
            scale = make_diag_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """`MultivariateNormalDiag` whose standard deviations are the softplus of the argument.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]: the means.
        scale_diag: Tensor of the same dtype, of shape [..., k].
        validate_args: bool. If True, steps check that the scale is not singular.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.
    """

    def __init__(
        self,
        loc: Any,
        scale_diag: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[scale_diag]) as scope:
            positive = softplus(scale_diag)
            super().__init__(loc, positive, None, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class MultivariateNormalDiagPlusLowRank(MultivariateNormalLinearOperator):
    """The normal distribution of vectors whose scale is a diagonal matrix plus one of low rank.

    The scale is `diag(scale_diag + scale_identity_multiplier) + factor @ diag(perturb_diag) @ factor^T`.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]: the means; None for 0.
        scale_diag: Tensor of the same dtype, of shape [..., k], above 0; or None.
        scale_identity_multiplier: Tensor of the same dtype, of shape [...]; or None.
        scale_perturb_factor: Tensor of the same dtype, of shape [..., k, r]; or None.
        scale_perturb_diag: Tensor of the same dtype, of shape [..., r]; None for ones.
        validate_args: bool. If True, steps check the diagonal.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if no argument has the size of an event.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusLowRank",
    ) -> None:
        parameters = dict(locals())
        given = [loc, scale_diag, scale_identity_multiplier, scale_perturb_factor, scale_perturb_diag]
        with name_scope(name) as scope, name_scope("init", values=given):
            has_low_rank = scale_perturb_factor is not None or scale_perturb_diag is not None
            scale = make_diag_scale(
                loc=loc,
                scale_diag=scale_diag,
                scale_identity_multiplier=scale_identity_multiplier,
                validate_args=validate_args,
                assert_positive=has_low_rank,
            )
            if has_low_rank:
                diag = scale_perturb_diag
                scale = LinearOperatorLowRankUpdate(
                    scale,
                    u=convert_to_tensor(scale_perturb_factor, name="scale_perturb_factor"),
                    diag_update=None if diag is None else convert_to_tensor(diag, name="scale_perturb_diag"),
                    is_diag_update_positive=diag is None,
                    is_non_singular=True,
                    is_self_adjoint=True,
                    is_positive_definite=True,
                    is_square=True,
                )
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class MultivariateNormalTriL(MultivariateNormalLinearOperator):
    """The normal distribution of vectors whose covariance is `scale_tril @ scale_tril^T`.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]: the means; None for 0.
        scale_tril: Tensor of the same dtype, of shape [..., k, k], lower triangular with a diagonal that is not 0; None
            for the identity.
        validate_args: bool. If True, steps check that the scale is not singular.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both `loc` and `scale_tril` are None.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_tril: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        parameters = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError("Must specify one or both of `loc`, `scale_tril`.")
        scale: Any
        with name_scope(name) as scope, name_scope("init", values=[loc, scale_tril]):
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            if scale_tril is None:
                scale = LinearOperatorIdentity(
                    num_rows=dimension_size(loc, -1),
                    dtype=loc.dtype,
                    is_self_adjoint=True,
                    is_positive_definite=True,
                    assert_proper_shapes=validate_args,
                )
            else:
                scale = LinearOperatorLowerTriangular(
                    convert_to_tensor(scale_tril, name="scale_tril"),
                    is_non_singular=True,
                    is_self_adjoint=False,
                    is_positive_definite=False,
                )
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """The normal distribution of vectors of a given covariance.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]: the means; None for 0.
        covariance_matrix: Tensor of the same dtype, of shape [..., k, k], positive definite; None for the identity.
        validate_args: bool. If True, steps check that the covariance is symmetric.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if both `loc` and `covariance_matrix` are None.
    """

    def __init__(
        self,
        loc: Any = None,
        covariance_matrix: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope, name_scope("init", values=[loc, covariance_matrix]):
            scale_tril = None
            if covariance_matrix is not None:
                covariance = convert_to_tensor(covariance_matrix, name="covariance_matrix")
                if validate_args:
                    message = "Matrix was not symmetric"
                    check = checking.assert_near(covariance, matrix_transpose(covariance), message=message)
                    covariance = with_dependencies([check], covariance)
                scale_tril = cholesky(covariance)
        super().__init__(loc, scale_tril, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@RegisterKL(MultivariateNormalLinearOperator, MultivariateNormalLinearOperator)
def _kl_of_normals(
    a: MultivariateNormalLinearOperator, b: MultivariateNormalLinearOperator, name: str | None = None
) -> Any:
    with name_scope(name, "kl_mvn", values=[a.loc, b.loc, *a.scale.graph_parents, *b.scale.graph_parents]):
        # With A and B the scales: log|B| - log|A| + (-k + |B^-1 A|^2 + |B^-1 (mean b - mean a)|^2) / 2.
        if is_diagonal_scale(a.scale) and is_diagonal_scale(b.scale):
            ratio = (a.stddev() / b.stddev())[..., None]
        else:
            ratio = b.scale.solve(a.scale.to_dense())
        determinants = b.scale.log_abs_determinant() - a.scale.log_abs_determinant()
        squares = -cast(a.scale.domain_dimension_tensor(), a.dtype) + reduce_sum(square(ratio), axis=[-2, -1])
        distance = b.scale.solve((b.mean() - a.mean())[..., None])
        divergence = determinants + 0.5 * (squares + reduce_sum(square(distance), axis=[-2, -1]))
        divergence.set_shape(broadcast_static_shape(a.batch_shape, b.batch_shape))
        return divergence
