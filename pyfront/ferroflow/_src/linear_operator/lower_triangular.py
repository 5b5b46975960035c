"""`LinearOperatorLowerTriangular`: a lower triangular matrix as operator."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.batch import matrix_triangular_solve_with_broadcast
from ferroflow._src.linear_operator.checks import (
    FLOATING,
    assert_no_entries_with_modulus_zero,
    check_dtype,
    check_ndims,
)
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.linalg import adjoint as adjoint_matrix, matmul, matrix_band_part, matrix_diag_part
from ferroflow._src.ops.math.reduction import reduce_prod, reduce_sum


class LinearOperatorLowerTriangular(LinearOperator):
    """The operator of a lower triangular matrix."""

    def __init__(
        self,
        tril: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        """Makes an operator of the lower half of a matrix.

        Args:
            tril: Tensor of a float or complex dtype, of shape [..., n, n]; elements above the diagonal are ignored.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: True, or None for that.
            name: str, its name, and the name scope of its operations.

        Raises:
            TypeError: if the dtype is not a floating one.
            ValueError: if there are fewer than two dimensions, or the hints contradict each other.
        """
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        with name_scope(name, values=[tril]):
            tril = convert_to_tensor(tril, name="tril")
            check_dtype(tril, "tril", FLOATING)
            check_ndims(tril, "tril", 2)
            self._tril = tril
            super().__init__(
                dtype=self._tril.dtype.base_dtype,
                graph_parents=[self._tril],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=True,
                name=name,
            )

    def _lower(self) -> Any:
        """Returns the matrix with zeros above the diagonal; each use adds its own operations, as in TensorFlow."""
        return matrix_band_part(self._tril, -1, 0)

    def _diag(self) -> Any:
        return matrix_diag_part(self._tril)

    def _shape(self) -> TensorShape:
        return self._tril.get_shape()

    def _shape_tensor(self) -> Any:
        return shaping.shape(self._tril)

    def _assert_non_singular(self) -> Operation:
        return assert_no_entries_with_modulus_zero(
            self._diag(), message="Singular operator:  Diagonal contained zero values."
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._lower(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_matrix(rhs) if adjoint_arg else rhs
        return matrix_triangular_solve_with_broadcast(self._lower(), rhs, lower=True, adjoint=adjoint)

    def _determinant(self) -> Any:
        return reduce_prod(self._diag(), axis=[-1])

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(elementwise.log(elementwise.abs(self._diag())), axis=[-1])

    def _to_dense(self) -> Any:
        return self._lower()
