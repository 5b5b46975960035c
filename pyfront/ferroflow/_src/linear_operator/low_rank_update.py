"""`LinearOperatorLowRankUpdate`: an operator plus a product of thin matrices."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.batch import (
    cholesky_solve_with_broadcast,
    matmul_with_broadcast,
    matrix_solve_with_broadcast,
)
from ferroflow._src.linear_operator.checks import REAL
from ferroflow._src.linear_operator.diag import LinearOperatorDiag
from ferroflow._src.linear_operator.identity import LinearOperatorIdentity
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.flow.checking import assert_same_float_dtype
from ferroflow._src.ops.linalg.determinant import matrix_determinant
from ferroflow._src.ops.linalg.solving import cholesky
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.linalg import matrix_diag_part
from ferroflow._src.ops.math.reduction import reduce_sum


class LinearOperatorLowRankUpdate(LinearOperator):
    """L + U D V*, with an operator L, thin matrices U and V and a diagonal matrix D.

    It is inverted by way of the small matrix C = D^-1 + V* L^-1 U.

    Source: Woodbury's identity and the matrix determinant lemma.
    """

    def __init__(
        self,
        base_operator: LinearOperator,
        u: TensorLike,
        diag_update: TensorLike | None = None,
        v: TensorLike | None = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        """Makes the operator.

        Args:
            base_operator: LinearOperator of float16, float32 or float64, square and non-singular: L.
            u: Tensor of its dtype, of shape [..., n, k]: U.
            diag_update: Tensor of its dtype, of shape [..., k]: the diagonal of D; None for ones.
            v: Tensor of its dtype, of shape [..., n, k]: V; None for U.
            is_diag_update_positive: bool; True if the diagonal of D is positive; None if unknown.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: bool, as in `LinearOperator`.
            name: str, its name, and the name scope of its operations.

        Raises:
            TypeError: if the dtypes differ or are not supported.
            ValueError: if shapes are incompatible, or the hints contradict each other.
        """
        dtype = base_operator.dtype
        if dtype not in REAL:
            raise TypeError(f"Argument matrix must have dtype in {list(REAL)}.  Found: {dtype}")
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Default diagonal is the identity, which is positive.  However, user set "
                    "'is_diag_update_positive' to False."
                )
            is_diag_update_positive = True
        self._use_cholesky = bool(
            base_operator.is_positive_definite
            and base_operator.is_self_adjoint
            and is_diag_update_positive
            and v is None
        )
        if base_operator.is_self_adjoint and v is None:
            if is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is self-adjoint, this must "
                    "be a self-adjoint operator."
                )
            is_self_adjoint = True
        if self._use_cholesky:
            if is_positive_definite is False or is_non_singular is False:
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = True
        with name_scope(name, values=[*base_operator.graph_parents, u, diag_update, v]):
            self._u = convert_to_tensor(u, name="u")
            self._v = self._u if v is None else convert_to_tensor(v, name="v")
            self._diag_update = None if diag_update is None else convert_to_tensor(diag_update, name="diag_update")
            self._base_operator = base_operator
            self._is_diag_update_positive = is_diag_update_positive
            own = [t for t in (self._u, self._diag_update, self._v) if t is not None]
            super().__init__(
                dtype=dtype,
                graph_parents=[*base_operator.graph_parents, *own],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )
            assert_same_float_dtype(own, dtype)
            self._check_shapes()
            self._diag_operator, diag_inverse = self._diag_operators()
            image = base_operator.solve(self._u)
            self._capacitance = diag_inverse.add_to_tensor(matmul_with_broadcast(self._v, image, adjoint_a=True))
            if self._use_cholesky:
                self._chol_capacitance = cholesky(self._capacitance)

    def _check_shapes(self) -> None:
        thin = shaping.broadcast_static_shape(self._u.get_shape(), self._v.get_shape())
        batch = shaping.broadcast_static_shape(self._base_operator.batch_shape, thin[:-2])
        self._base_operator.domain_dimension.assert_is_compatible_with(thin[-2])
        if self._diag_update is not None:
            diagonal = self._diag_update.get_shape()
            thin[-1].assert_is_compatible_with(diagonal[-1])
            shaping.broadcast_static_shape(batch, diagonal[:-1])

    def _diag_operators(self) -> tuple[LinearOperator, LinearOperator]:
        """Returns D and its inverse."""
        if self._diag_update is None:
            rank = self._u.get_shape()[-1].value
            identity = LinearOperatorIdentity(shaping.shape(self._u)[-1] if rank is None else rank, dtype=self.dtype)
            return identity, identity
        is_positive = self._is_diag_update_positive
        return (
            LinearOperatorDiag(self._diag_update, is_positive_definite=is_positive),
            LinearOperatorDiag(1.0 / self._diag_update, is_positive_definite=is_positive),
        )

    @property
    def base_operator(self) -> LinearOperator:
        """L."""
        return self._base_operator

    @property
    def u(self) -> Tensor:
        """U, a Tensor of the operator's dtype, of shape [..., n, k]."""
        return self._u

    @property
    def v(self) -> Tensor:
        """V, a Tensor of the operator's dtype, of shape [..., n, k]."""
        return self._v

    @property
    def diag_update(self) -> Tensor | None:
        """The diagonal of D, a Tensor of the operator's dtype, of shape [..., k]; None for ones."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """D as operator."""
        return self._diag_operator

    @property
    def is_diag_update_positive(self) -> bool | None:
        """True if the diagonal of D is positive; None if unknown."""
        return self._is_diag_update_positive

    def _shape(self) -> TensorShape:
        batch = shaping.broadcast_static_shape(self._base_operator.batch_shape, self._u.get_shape()[:-2])
        shape: TensorShape = batch.concatenate(self._base_operator.shape[-2:])
        return shape

    def _shape_tensor(self) -> Any:
        batch = shaping.broadcast_dynamic_shape(self._base_operator.batch_shape_tensor(), shaping.shape(self._u)[:-2])
        return joining.concat([batch, self._base_operator.shape_tensor()[-2:]], axis=0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        leading = self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul_with_broadcast(v, x, adjoint_a=True, adjoint_b=adjoint_arg)
        return leading + matmul_with_broadcast(u, self._diag_operator.matmul(inner, adjoint=adjoint))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        base = self._base_operator
        if base.is_non_singular is False:
            raise ValueError("Solve not implemented unless this is a perturbation of a non-singular LinearOperator.")
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        leading = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul_with_broadcast(v, leading, adjoint_a=True)
        if self._use_cholesky:
            inner = cholesky_solve_with_broadcast(self._chol_capacitance, inner)
        else:
            inner = matrix_solve_with_broadcast(self._capacitance, inner, adjoint=adjoint)
        return leading - base.solve(matmul_with_broadcast(u, inner), adjoint=adjoint)

    def _determinant(self) -> Any:
        if self.is_positive_definite:
            return elementwise.exp(self.log_abs_determinant())
        small = matrix_determinant(self._capacitance)
        return small * self._diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self) -> Any:
        others = self._diag_operator.log_abs_determinant() + self._base_operator.log_abs_determinant()
        if self._use_cholesky:
            small = 2 * reduce_sum(elementwise.log(matrix_diag_part(self._chol_capacitance)), axis=[-1])
        else:
            small = elementwise.log(elementwise.abs(matrix_determinant(self._capacitance)))
        return small + others
