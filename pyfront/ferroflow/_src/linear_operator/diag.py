"""`LinearOperatorDiag`: a diagonal matrix as operator."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.checks import (
    FLOATING,
    assert_no_entries_with_modulus_zero,
    assert_zero_imag_part,
    check_dtype,
    check_ndims,
)
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.flow.checking import assert_positive
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.complex_parts import real
from ferroflow._src.ops.math.linalg import adjoint as adjoint_matrix, matrix_diag, matrix_diag_part, matrix_set_diag
from ferroflow._src.ops.math.reduction import reduce_prod, reduce_sum


class LinearOperatorDiag(LinearOperator):
    """The operator of a diagonal matrix."""

    def __init__(
        self,
        diag: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        """Makes an operator of its diagonal.

        Args:
            diag: Tensor of a float or complex dtype, of shape [..., n].
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: True, or None for that.
            name: str, its name, and the name scope of its operations.

        Raises:
            TypeError: if the dtype is not a floating one.
            ValueError: if `diag` is a scalar, or a hint contradicts another hint or the diagonal form.
        """
        with name_scope(name, values=[diag]):
            self._diag = convert_to_tensor(diag, name="diag")
            check_dtype(self._diag, "diag", FLOATING)
            check_ndims(self._diag, "diag", 1)
            if not self._diag.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real diagonal operator is always self adjoint.")
                is_self_adjoint = True
            if is_square is False:
                raise ValueError("Only square diagonal operators currently supported.")
            super().__init__(
                dtype=self._diag.dtype.base_dtype,
                graph_parents=[self._diag],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=True,
                name=name,
            )

    @property
    def diag(self) -> Tensor:
        """The diagonal, a Tensor of the operator's dtype, of shape [..., n]."""
        return self._diag

    def _shape(self) -> TensorShape:
        shape = self._diag.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        found = shaping.shape(self._diag)
        return joining.concat((found, found[-1:]), 0)

    def _assert_non_singular(self) -> Operation:
        return assert_no_entries_with_modulus_zero(
            self._diag, message="Singular operator:  Diagonal contained zero values."
        )

    def _assert_positive_definite(self) -> Operation:
        message = "Real diagonal operator had non-positive diagonal entries, thus was not positive definite."
        if self.dtype.is_complex:
            message = (
                "Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
            )
        return assert_positive(real(self._diag), message=message)

    def _assert_self_adjoint(self) -> Operation:
        return assert_zero_imag_part(
            self._diag,
            message="This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint.",
        )

    def _column(self, adjoint: bool) -> Any:
        return shaping.expand_dims(elementwise.conj(self._diag) if adjoint else self._diag, -1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._column(adjoint) * (adjoint_matrix(x) if adjoint_arg else x)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return (adjoint_matrix(rhs) if adjoint_arg else rhs) * (1.0 / self._column(adjoint))

    def _determinant(self) -> Any:
        return reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(elementwise.log(elementwise.abs(self._diag)), axis=[-1])

    def _to_dense(self) -> Any:
        return matrix_diag(self._diag)

    def _diag_part(self) -> Any:
        return self._diag

    def _add_to_tensor(self, x: Tensor) -> Any:
        return matrix_set_diag(x, self._diag + matrix_diag_part(x))
