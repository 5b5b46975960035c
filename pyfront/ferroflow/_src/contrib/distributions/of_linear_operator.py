"""Distributions of vectors that are a linear operator times independent numbers: normal, Laplace, exponential."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.bijectors.affine_linear_operator import AffineLinearOperator
from ferroflow._src.contrib.distributions.scales import is_diagonal_scale, make_diag_scale, shapes_from_loc_and_scale
from ferroflow._src.contrib.distributions.transformed import TransformedDistribution
from ferroflow._src.distributions.exponential import Exponential
from ferroflow._src.distributions.laplace import Laplace
from ferroflow._src.distributions.normal import Normal
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.linear_operator.low_rank_update import LinearOperatorLowRankUpdate
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.math.elementwise import abs as absolute, sqrt, square
from ferroflow._src.ops.math.linalg import matrix_diag, matrix_diag_part


class OfLinearOperator(TransformedDistribution):
    """The distribution of `scale @ z + loc`, z a vector of independent numbers of a standard distribution."""

    # The variance of a number of the standard distribution.
    _VARIANCE: ClassVar[float] = 1.0

    def __init__(
        self,
        standard: Any,
        loc: Any,
        scale: Any,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        parameters: dict[str, Any],
    ) -> None:
        if scale is None:
            raise ValueError("Missing required `scale` parameter.")
        if not scale.dtype.is_floating:
            raise TypeError("`scale` parameter must have floating-point dtype.")
        with name_scope(name, values=[loc, *scale.graph_parents]) as scope:
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            batch_shape, event_shape = shapes_from_loc_and_scale(loc, scale)
        # TF 1.x: the parts' operations are outside of this distribution's name scope.
        super().__init__(
            distribution=standard(scale.dtype),
            bijector=AffineLinearOperator(shift=loc, scale=scale, validate_args=validate_args),
            batch_shape=batch_shape,
            event_shape=event_shape,
            validate_args=validate_args,
            name=scope,
        )
        self._allow_nan_stats = allow_nan_stats
        self._parameters = parameters

    @property
    def loc(self) -> Any:
        """The shift, a Tensor of a float dtype; None for 0."""
        return self.bijector.shift

    @property
    def scale(self) -> Any:
        """The LinearOperator."""
        return self.bijector.scale

    def _batch_event_shape(self) -> Any:
        shape = self.batch_shape.concatenate(self.event_shape)
        if shape.is_fully_defined():
            return shape
        return joining.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)

    def _mean(self) -> Any:
        shape = self._batch_event_shape()
        if self.loc is None:
            return making.zeros(shape, self.dtype)
        if isinstance(shape, TensorShape) and shape == self.loc.get_shape():
            return making.identity(self.loc)
        return making.identity(self.loc) + making.zeros(shape, self.dtype)

    def _mode(self) -> Any:
        return self._mean()

    def _covariance(self) -> Any:
        if is_diagonal_scale(self.scale):
            return self._times(self._VARIANCE, matrix_diag(square(self.scale.diag_part())))
        return self._times(self._VARIANCE, self.scale.matmul(self.scale.to_dense(), adjoint_arg=True))

    @staticmethod
    def _times(factor: float, x: Any) -> Any:
        return x if factor == 1 else factor * x

    def _standard_variance(self) -> Any:
        scale = self.scale
        if is_diagonal_scale(scale):
            return square(scale.diag_part())
        if isinstance(scale, LinearOperatorLowRankUpdate) and scale.is_self_adjoint:
            return matrix_diag_part(scale.matmul(scale.to_dense()))
        return matrix_diag_part(scale.matmul(scale.to_dense(), adjoint_arg=True))

    def _variance(self) -> Any:
        return self._times(self._VARIANCE, self._standard_variance())

    def _stddev(self) -> Any:
        of_standard = math.sqrt(self._VARIANCE)
        if is_diagonal_scale(self.scale):
            return self._times(of_standard, absolute(self.scale.diag_part()))
        return self._times(of_standard, sqrt(self._standard_variance()))


class MultivariateNormalLinearOperator(OfLinearOperator):
    """The normal distribution of vectors of mean `loc` and covariance `scale @ scale^T`.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]; None for 0.
        scale: LinearOperator of the same dtype, of shape [..., k, k], not singular.
        validate_args: bool. If True, steps check that `scale` is not singular.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `scale` is None.
        TypeError: if `scale` is not of a float dtype, or the dtypes differ.
    """

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        parameters = dict(locals())

        def standard(dtype: Any) -> Normal:
            return Normal(loc=making.zeros([], dtype=dtype), scale=making.ones([], dtype=dtype))

        super().__init__(standard, loc, scale, validate_args, allow_nan_stats, name, parameters)


class VectorLaplaceLinearOperator(OfLinearOperator):
    """The distribution of `scale @ z + loc`, z a vector of independent numbers of the standard Laplace distribution.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]; None for 0.
        scale: LinearOperator of the same dtype, of shape [..., k, k], not singular.
        validate_args: bool. If True, steps check that `scale` is not singular.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `scale` is None.
        TypeError: if `scale` is not of a float dtype, or the dtypes differ.
    """

    _VARIANCE = 2.0

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceLinearOperator",
    ) -> None:
        parameters = dict(locals())

        def standard(dtype: Any) -> Laplace:
            return Laplace(loc=making.zeros([], dtype=dtype), scale=making.ones([], dtype=dtype))

        super().__init__(standard, loc, scale, validate_args, allow_nan_stats, name, parameters)


class VectorLaplaceDiag(VectorLaplaceLinearOperator):
    """`VectorLaplaceLinearOperator` of a diagonal matrix, `diag(scale_diag + scale_identity_multiplier)`.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]; None for 0.
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
        name: str = "VectorLaplaceDiag",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope, name_scope("init", values=[loc, scale_diag, scale_identity_multiplier]):
            scale = make_diag_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class VectorExponentialLinearOperator(OfLinearOperator):
    """The distribution of `scale @ z + loc`, z a vector of independent exponential numbers of rate 1.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]; None for 0.
        scale: LinearOperator of the same dtype, of shape [..., k, k], not singular.
        validate_args: bool. If True, steps check that `scale` is not singular.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `scale` is None.
        TypeError: if `scale` is not of a float dtype, or the dtypes differ.
    """

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialLinearOperator",
    ) -> None:
        parameters = dict(locals())

        def standard(dtype: Any) -> Exponential:
            return Exponential(rate=making.ones([], dtype=dtype), allow_nan_stats=allow_nan_stats)

        super().__init__(standard, loc, scale, validate_args, allow_nan_stats, name, parameters)

    def _moved(self, of_standard: Any) -> Any:
        """Returns the scale times a vector of one number, plus the location."""
        moved = self.scale.matvec(of_standard(self._batch_event_shape(), self.dtype))
        return moved if self.loc is None else self.loc + moved

    def _mean(self) -> Any:
        return self._moved(making.ones)

    def _mode(self) -> Any:
        return self._moved(making.zeros)


class VectorExponentialDiag(VectorExponentialLinearOperator):
    """`VectorExponentialLinearOperator` of a diagonal matrix, `diag(scale_diag + scale_identity_multiplier)`.

    Args:
        loc: Tensor of a float dtype, of shape [..., k]; None for 0.
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
        name: str = "VectorExponentialDiag",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope, name_scope("init", values=[loc, scale_diag, scale_identity_multiplier]):
            scale = make_diag_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
