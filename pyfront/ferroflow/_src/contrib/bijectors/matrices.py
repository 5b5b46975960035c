"""Bijectors of matrices: Cholesky factors, triangles, inverses, diagonals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.bijectors.affine_scalar import AffineScalar
from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.contrib.bijectors.chain import Chain
from ferroflow._src.contrib.bijectors.squashing import Softplus
from ferroflow._src.contrib.distributions.matrices_and_vectors import fill_triangular, fill_triangular_inverse
from ferroflow._src.contrib.distributions.static_shapes import known_size
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.linalg.solving import cholesky, matrix_triangular_solve
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, log, sqrt
from ferroflow._src.ops.math.linalg import eye, matmul, matrix_band_part, matrix_diag_part, matrix_set_diag
from ferroflow._src.ops.math.reduction import reduce_sum


class CholeskyOuterProduct(Bijector):
    """The function `y = x @ x^T` of lower triangular matrices with a positive diagonal.

    Args:
        validate_args: bool. If True, steps check that arguments are such matrices.
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "cholesky_outer_product") -> None:
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        if self.validate_args:
            shape = shaping.shape(x)
            checks = [checking.assert_rank_at_least(x, 2), checking.assert_equal(shape[-2], shape[-1])]
            x = with_dependencies(checks, x)
        lower = matrix_band_part(x, -1, 0)
        return matmul(lower, lower, adjoint_b=True)

    def _inverse(self, y: Any) -> Any:
        return cholesky(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # The derivatives of the lower triangle of y by that of x, both row by row, are a triangular matrix. Row i of y
        # depends on the diagonal element x[j, j] for j up to i, twice for j = i: 2 ** n * prod x[j, j] ** (n - j).
        diagonal = matrix_diag_part(x)
        if self.validate_args:
            shape = shaping.shape(x)
            checks = [
                checking.assert_rank_at_least(x, 2, message="Input must be a (batch of) matrix."),
                checking.assert_equal(shape[-2], shape[-1], message="Input must be a (batch of) square matrix."),
                checking.assert_positive(diagonal, message="Input must be positive definite."),
            ]
            diagonal = with_dependencies(checks, diagonal)
        static = x.get_shape()
        known = None if static.ndims is None else known_size(static[-1])
        size: Any
        powers: Any
        if known is None:
            size = cast(shaping.shape(x)[-1], x.dtype)
            powers = making.lin_space(size, making.ones([], x.dtype), shaping.shape(x)[-1])
        else:
            size = np.array(known, x.dtype.as_numpy_dtype)
            powers = np.arange(known, 0, -1).astype(x.dtype.as_numpy_dtype)
        return size * math.log(2.0) + reduce_sum(log(diagonal) * powers, axis=-1)


def _side_of_triangle(size: Any, validate_args: bool) -> Any:
    """Returns the n for which n * (n + 1) / 2 is a size, an int or a Tensor of int32."""
    message = "Vector length is not a triangular number"
    if isinstance(size, int):
        n = (math.isqrt(1 + 8 * size) - 1) // 2
        if n * (n + 1) // 2 != size:
            raise ValueError(f"{message}.")
        return n
    root = (-1.0 + sqrt(1.0 + 8.0 * cast(size, dtypes.float32))) / 2.0
    if validate_args:
        whole = cast(cast(root, dtypes.int32), dtypes.float32)
        root = with_dependencies([checking.assert_equal(whole, root, message=message)], root)
    return cast(root, size.dtype)


class FillTriangular(Bijector):
    """The function `fill_triangular` of vectors, whose values are triangular matrices.

    Args:
        upper: bool. If True, the matrices are upper triangular; if not, lower.
        validate_args: bool. If True, steps check shapes that are not known before.
        name: str, name scope of its operations.
    """

    def __init__(self, upper: bool = False, validate_args: bool = False, name: str = "fill_triangular") -> None:
        self._upper = upper
        super().__init__(forward_min_event_ndims=1, inverse_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return fill_triangular(x, upper=self._upper)

    def _inverse(self, y: Any) -> Any:
        return fill_triangular_inverse(y, upper=self._upper)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return making.zeros_like(x[..., 0])

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return making.zeros_like(y[..., 0, 0])

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        size = known_size(input_shape[-1])
        n = None if size is None else _side_of_triangle(size, self.validate_args)
        return input_shape[:-1].concatenate([n, n])

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        rows, columns = known_size(output_shape[-2]), known_size(output_shape[-1])
        size = None
        if rows is not None and columns is not None:
            if rows != columns:
                raise ValueError(f"Matrix must be square. (saw [{rows}, {columns}])")
            size = rows * (rows + 1) // 2
        return output_shape[:-2].concatenate([size])

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        n = _side_of_triangle(input_shape[-1], self.validate_args)
        return joining.concat([input_shape[:-1], joining.stack([n, n])], 0)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        n = output_shape[-1]
        if self.validate_args:
            check = checking.assert_equal(n, output_shape[-2], message="Matrix must be square.")
            n = with_dependencies([check], n)
        return joining.concat([output_shape[:-2], joining.stack([n * (n + 1) // 2])], 0)


class MatrixInverseTriL(Bijector):
    """The inverse of lower triangular matrices.

    Args:
        validate_args: bool. If True, steps check that arguments are such matrices and not singular.
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "matrix_inverse_tril") -> None:
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        with control_dependencies(self._checks(x)):
            shape = shaping.shape(x)
            identity = eye(shape[-1], batch_shape=shape[:-2], dtype=x.dtype)
            return matrix_triangular_solve(x, identity, lower=True)

    def _inverse(self, y: Any) -> Any:
        return self._forward(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # Source: Magnus, Neudecker, Matrix differential calculus: d(x^-1) = -x^-1 dx x^-1, both factors triangular.
        # Element (i, j) contributes 1 / (x[i, i] * x[j, j]), so each diagonal element counts n + 1 times.
        with control_dependencies(self._checks(x)):
            times = cast(shaping.shape(x)[-1] + 1, x.dtype.base_dtype)
            return -times * reduce_sum(log(absolute(matrix_diag_part(x))), axis=-1)

    def _checks(self, x: Any) -> list[Any]:
        if not self.validate_args:
            return []
        shape = shaping.shape(x)
        diagonal = matrix_diag_part(x)
        above = matrix_band_part(matrix_set_diag(x, making.zeros_like(diagonal)), 0, -1)
        singular = "Input must have all diagonal entries nonzero."
        return [
            checking.assert_rank_at_least(x, 2, message="Input must have rank at least 2."),
            checking.assert_equal(shape[-2], shape[-1], message="Input must be a square matrix."),
            checking.assert_equal(above, making.zeros_like(above), message="Input must be lower triangular."),
            checking.assert_none_equal(diagonal, making.zeros_like(diagonal), message=singular),
        ]


class TransformDiagonal(Bijector):
    """A bijector of vectors that is applied to the diagonals of matrices.

    Args:
        diag_bijector: Bijector of vectors.
        validate_args: bool, without an effect: the bijector checks its own arguments.
        name: str, name scope of its operations.
    """

    def __init__(self, diag_bijector: Bijector, validate_args: bool = False, name: str = "transform_diagonal") -> None:
        self._diag_bijector = diag_bijector
        super().__init__(forward_min_event_ndims=2, inverse_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return matrix_set_diag(x, self._diag_bijector.forward(matrix_diag_part(x)))

    def _inverse(self, y: Any) -> Any:
        return matrix_set_diag(y, self._diag_bijector.inverse(matrix_diag_part(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return self._diag_bijector.forward_log_det_jacobian(matrix_diag_part(x), event_ndims=1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return self._diag_bijector.inverse_log_det_jacobian(matrix_diag_part(y), event_ndims=1)


class ScaleTriL(Chain):
    """The function of vectors that fills lower triangular matrices and makes their diagonals positive.

    Args:
        diag_bijector: Bijector whose values are positive; None for `Softplus`.
        diag_shift: float, added to the diagonals so that they stay off 0; None for 0.
        validate_args: bool. If True, steps check arguments.
        name: str, name scope of its operations.
    """

    def __init__(
        self,
        diag_bijector: Bijector | None = None,
        diag_shift: Any = 1e-5,
        validate_args: bool = False,
        name: str = "scale_tril",
    ) -> None:
        inner = Softplus(validate_args=False) if diag_bijector is None else diag_bijector
        if diag_shift is not None:
            inner = Chain([AffineScalar(shift=diag_shift), inner])
        super().__init__(
            [TransformDiagonal(diag_bijector=inner), FillTriangular()], validate_args=validate_args, name=name
        )
