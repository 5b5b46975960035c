"""Wishart distributions of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.distributions.static_shapes import known_size
from ferroflow._src.distributions.distribution import Distribution
from ferroflow._src.distributions.parameterization import gen_new_seed
from ferroflow._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.linear_operator.lower_triangular import LinearOperatorLowerTriangular
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.linalg.solving import cholesky
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import digamma, lgamma, log, sqrt, square
from ferroflow._src.ops.math.linalg import matmul, matrix_band_part, matrix_diag_part, matrix_set_diag, matrix_transpose
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.random.sampling import random_gamma, random_normal


class WishartLinearOperator(Distribution):
    """The Wishart distribution of positive definite matrices, whose scale is the square of an operator.

    Args:
        df: Tensor of a float dtype, at least the size of the matrices: the degrees of freedom.
        scale_operator: LinearOperator of the same dtype, of shape [..., k, k]: the Cholesky factor of the scale.
        cholesky_input_output_matrices: bool. If True, samples and values are Cholesky factors of the matrices.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        TypeError: if the scale is not of a float dtype.
        ValueError: if the scale is not square, or `df` is known to be less than its size.
    """

    def __init__(
        self,
        df: Any,
        scale_operator: Any,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        self._cholesky_input_output_matrices = cholesky_input_output_matrices
        with name_scope(name, "Wishart") as scope, name_scope("init", values=[df, *scale_operator.graph_parents]):
            dtype = scale_operator.dtype
            if not dtype.is_floating:
                raise TypeError(f"scale_operator.dtype={dtype} is not a floating-point type")
            if not scale_operator.is_square:
                raise ValueError("scale_operator must be square.")
            self._scale_operator = scale_operator
            self._df = convert_to_tensor(df, dtype=dtype, name="df")
            static = scale_operator.shape
            size = None if static.ndims is None else known_size(static[-1])
            if size is None:
                self._dimension = cast(scale_operator.domain_dimension_tensor(), dtype, name="dimension")
            else:
                self._dimension = convert_to_tensor(size, dtype=dtype, name="dimension")
            known = constant_value(self._df)
            message = (
                f"Degrees of freedom (df = {self._df if known is None else known}) cannot be less than dimension of "
                f"scale matrix (scale.dimension = {self._dimension if size is None else size})"
            )
            if known is not None and size is not None:
                if np.any(known < size):
                    raise ValueError(message)
            elif validate_args:
                check = checking.assert_less_equal(self._dimension, self._df, message=message)
                self._df = with_dependencies([check], self._df)
        super().__init__(
            dtype=dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._df, self._dimension, *scale_operator.graph_parents],
            name=scope,
        )

    @property
    def df(self) -> Any:
        """The degrees of freedom, a Tensor of `dtype`."""
        return self._df

    @property
    def scale_operator(self) -> Any:
        """The Cholesky factor of the scale, a LinearOperator."""
        return self._scale_operator

    @property
    def cholesky_input_output_matrices(self) -> bool:
        """True if samples and values are Cholesky factors."""
        return self._cholesky_input_output_matrices

    @property
    def dimension(self) -> Any:
        """The size of the matrices, a Tensor of `dtype`."""
        return self._dimension

    def _square_scale(self) -> Any:
        return self._scale_operator.matmul(self._scale_operator.to_dense(), adjoint_arg=True)

    def scale(self) -> Any:
        """Returns the scale, or its Cholesky factor if samples are Cholesky factors, of shape [..., k, k]."""
        if self._cholesky_input_output_matrices:
            return self._scale_operator.to_dense()
        return self._square_scale()

    def _event_shape_tensor(self) -> Any:
        size = self._scale_operator.domain_dimension_tensor()
        return joining.stack([size, size])

    def _event_shape(self) -> Any:
        size = self._scale_operator.domain_dimension
        return TensorShape([size, size])

    def _batch_shape_tensor(self) -> Any:
        return self._scale_operator.batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return self._scale_operator.batch_shape

    def _times_scale(self, function: Any, x: Any) -> Any:
        """Applies a function of the operator to matrices with dimensions of samples before the batch's."""
        batch, event = self.batch_shape_tensor(), self.event_shape_tensor()
        rank = shaping.rank(x)
        samples = rank - shaping.shape(batch)[0] - 2
        shape = shaping.shape(x)[:samples]
        behind = joining.concat([making.range(samples, rank), making.range(0, samples)], 0)
        columns = joining.concat([batch, event[:1], [-1]], 0)
        x = function(shaping.reshape(shaping.transpose(x, behind), columns))
        x = shaping.reshape(x, joining.concat([batch, event, shape], 0))
        before = joining.concat([making.range(rank - samples, rank), making.range(0, rank - samples)], 0)
        return shaping.transpose(x, before)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # Source: Bartlett's decomposition.
        shape = joining.concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        below = random_normal(shape=shape, mean=0.0, stddev=1.0, dtype=self.dtype, seed=seed)
        df = self._df * making.ones(self._scale_operator.batch_shape_tensor(), dtype=self._df.dtype.base_dtype)
        squares = random_gamma(
            shape=[n],
            alpha=self._gamma_sequence(0.5 * df),
            beta=0.5,
            dtype=self.dtype,
            seed=gen_new_seed(seed, "wishart"),
        )
        factor = matrix_set_diag(matrix_band_part(below, -1, 0), sqrt(squares))
        x = self._times_scale(self._scale_operator.matmul, factor)
        return x if self._cholesky_input_output_matrices else matmul(x, x, adjoint_b=True)

    def _log_prob(self, value: Any) -> Any:
        factor = value if self._cholesky_input_output_matrices else cholesky(value)
        solved = self._times_scale(self._scale_operator.solve, factor)
        trace = reduce_sum(square(solved), axis=[-2, -1])
        half_log_det = reduce_sum(log(matrix_diag_part(factor)), axis=[-1])
        unnormalized = (self._df - self._dimension - 1.0) * half_log_det - 0.5 * trace
        log_prob = unnormalized - self.log_normalization()
        static = value.get_shape()
        if static.ndims is not None:
            log_prob.set_shape(static[:-2])
        return log_prob

    def _entropy(self) -> Any:
        half_dp1 = 0.5 * self._dimension + 0.5
        half_df = 0.5 * self._df
        return (
            self._dimension * (half_df + half_dp1 * math.log(2.0))
            + 2.0 * half_dp1 * self._scale_operator.log_abs_determinant()
            + self._multi_lgamma(half_df)
            + (half_dp1 - half_df) * self._multi_digamma(half_df)
        )

    def _batch_of_matrices(self, x: Any) -> Any:
        """Gives a parameter of the batch two dimensions of size 1, to multiply matrices by it."""
        return x if x.get_shape().ndims == 0 else x[..., None, None]

    def _mean(self) -> Any:
        if self._cholesky_input_output_matrices:
            return self._batch_of_matrices(sqrt(self._df)) * self._scale_operator.to_dense()
        return self._batch_of_matrices(self._df) * self._square_scale()

    def _variance(self) -> Any:
        x = self._batch_of_matrices(sqrt(self._df)) * self._square_scale()
        diagonal = shaping.expand_dims(matrix_diag_part(x), -1)
        variance = square(x) + matmul(diagonal, diagonal, adjoint_b=True)
        return cholesky(variance) if self._cholesky_input_output_matrices else variance

    def _stddev(self) -> Any:
        if self._cholesky_input_output_matrices:
            raise ValueError("Computing std. dev. when is cholesky_input_output_matrices=True does not make sense.")
        return cholesky(self.variance())

    def _mode(self) -> Any:
        s = self._df - self._dimension - 1.0
        s = where(s < 0.0, making.fill(shaping.shape(s), self.dtype.as_numpy_dtype(np.nan)), s)
        if self._cholesky_input_output_matrices:
            return self._batch_of_matrices(sqrt(s)) * self._scale_operator.to_dense()
        return self._batch_of_matrices(s) * self._square_scale()

    def mean_log_det(self, name: str = "mean_log_det") -> Any:
        """Returns the mean of the logarithms of the matrices' determinants, of shape `batch_shape`."""
        with self._name_scope(name):
            return (
                self._multi_digamma(0.5 * self._df)
                + self._dimension * math.log(2.0)
                + 2.0 * self._scale_operator.log_abs_determinant()
            )

    def log_normalization(self, name: str = "log_normalization") -> Any:
        """Returns the logarithm of the density's normalizer, of shape `batch_shape`."""
        with self._name_scope(name):
            return (
                self._df * self._scale_operator.log_abs_determinant()
                + 0.5 * self._df * self._dimension * math.log(2.0)
                + self._multi_lgamma(0.5 * self._df)
            )

    def _gamma_sequence(self, a: Any) -> Any:
        """Returns a, a - 1/2, ..., a - (k - 1) / 2 along a new last dimension, for matrices of size k."""
        with self._name_scope("multi_gamma_sequence", values=[a]):
            last = 0.5 - 0.5 * self._dimension
            steps = making.lin_space(constant(0.0, dtype=self.dtype), last, cast(self._dimension, dtypes.int32))
            return steps + shaping.expand_dims(a, -1)

    def _multi_lgamma(self, a: Any) -> Any:
        with self._name_scope("multi_lgamma", values=[a]):
            p = self._dimension
            first = 0.25 * p * (p - 1.0) * math.log(math.pi)
            return first + reduce_sum(lgamma(self._gamma_sequence(a)), axis=[-1])

    def _multi_digamma(self, a: Any) -> Any:
        with self._name_scope("multi_digamma", values=[a]):
            return reduce_sum(digamma(self._gamma_sequence(a)), axis=[-1])


def _of_factor(factor: Any) -> LinearOperatorLowerTriangular:
    return LinearOperatorLowerTriangular(tril=factor, is_non_singular=True, is_positive_definite=True, is_square=True)


class WishartCholesky(WishartLinearOperator):
    """The Wishart distribution of positive definite matrices, whose scale is given by its Cholesky factor.

    Args:
        df: Tensor of a float dtype, at least k: the degrees of freedom.
        scale: Tensor of the same dtype, of shape [..., k, k], lower triangular with a positive diagonal.
        cholesky_input_output_matrices: bool. If True, samples and values are Cholesky factors of the matrices.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `df` is known to be less than k.
    """

    def __init__(
        self,
        df: Any,
        scale: Any,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartCholesky",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[scale]) as scope, name_scope("init", values=[scale]):
            factor = convert_to_tensor(scale)
            if validate_args:
                shape = shaping.shape(factor)
                positive = "scale must be positive definite"
                checks = [
                    checking.assert_positive(matrix_diag_part(factor), message=positive),
                    checking.assert_equal(shape[-1], shape[-2], message="scale must be square"),
                ]
                factor = with_dependencies(checks, factor)
        super().__init__(df, _of_factor(factor), cholesky_input_output_matrices, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


class WishartFull(WishartLinearOperator):
    """The Wishart distribution of positive definite matrices.

    Its density is proportional to `det(x) ** ((df - k - 1) / 2) * exp(-trace(scale^-1 x) / 2)`.

    Args:
        df: Tensor of a float dtype, at least k: the degrees of freedom.
        scale: Tensor of the same dtype, of shape [..., k, k], positive definite.
        cholesky_input_output_matrices: bool. If True, samples and values are Cholesky factors of the matrices.
        validate_args: bool. If True, steps check the parameters.
        allow_nan_stats: bool. If True, a statistic that is not defined is NaN; else an error.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `df` is known to be less than k.
    """

    def __init__(
        self,
        df: Any,
        scale: Any,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartFull",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope, name_scope("init", values=[scale]):
            matrix = convert_to_tensor(scale)
            if validate_args:
                check = checking.assert_equal(matrix, matrix_transpose(matrix))
                matrix = with_dependencies([check], matrix)
            factor = cholesky(matrix)
            if validate_args:
                factor = with_dependencies([checking.assert_positive(matrix_diag_part(factor))], factor)
        super().__init__(df, _of_factor(factor), cholesky_input_output_matrices, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
