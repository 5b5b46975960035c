"""`LinearOperatorFullMatrix`: a matrix as operator."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.checks import FLOATING, check_dtype, check_ndims
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.linalg import matmul


class LinearOperatorFullMatrix(LinearOperator):
    """The operator of a given matrix."""

    def __init__(
        self,
        matrix: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        """Makes an operator of its matrix.

        Args:
            matrix: Tensor of a float or complex dtype, of shape [..., m, n].
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: bool, as in `LinearOperator`.
            name: str, its name, and the name scope of its operations.

        Raises:
            TypeError: if the dtype is not a floating one.
            ValueError: if there are fewer than two dimensions, or the hints contradict each other.
        """
        with name_scope(name, values=[matrix]):
            self._matrix = convert_to_tensor(matrix, name="matrix")
            check_dtype(self._matrix, "matrix", FLOATING)
            check_ndims(self._matrix, "matrix", 2)
            super().__init__(
                dtype=self._matrix.dtype.base_dtype,
                graph_parents=[self._matrix],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    def _shape(self) -> TensorShape:
        return self._matrix.get_shape()

    def _shape_tensor(self) -> Any:
        return shaping.shape(self._matrix)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return self._matrix
