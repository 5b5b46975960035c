"""`LinearOperatorHouseholder`: reflections at hyperplanes."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.errors import InvalidArgumentError
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.checks import check_ndims
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.linalg.norm import normalize
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.linalg import adjoint as adjoint_matrix, eye, matmul


class LinearOperatorHouseholder(LinearOperator):
    """The reflection `I - 2 v v^H` at the hyperplane that is orthogonal to a vector `v` of length 1."""

    def __init__(
        self,
        reflection_axis: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        """Makes the reflection.

        Args:
            reflection_axis: Tensor of a float or complex dtype, of shape [..., n]: `v`, of any length but 0.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: True or None.
            is_positive_definite: False or None.
            is_square: True or None.
            name: str, its name, and the name scope of its operations.

        Raises:
            ValueError: if the axis is a scalar, or a hint contradicts that the operator is a reflection.
        """
        with name_scope(name, values=[reflection_axis]):
            self._reflection_axis = convert_to_tensor(reflection_axis, name="reflection_axis")
            check_ndims(self._reflection_axis, "reflection_axis", 1)
            if is_self_adjoint is False:
                raise ValueError("A Householder operator is always self adjoint.")
            if is_positive_definite:
                raise ValueError("A Householder operator is always non-positive definite.")
            if is_square is False:
                raise ValueError("A Householder operator is always square.")
            super().__init__(
                dtype=self._reflection_axis.dtype,
                graph_parents=[self._reflection_axis],
                is_non_singular=is_non_singular,
                is_self_adjoint=True,
                is_positive_definite=False,
                is_square=True,
                name=name,
            )

    @property
    def reflection_axis(self) -> Tensor:
        """The vector that the reflection negates, a Tensor of the operator's dtype and of shape [..., n]."""
        return self._reflection_axis

    def _shape(self) -> TensorShape:
        shape = self._reflection_axis.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        shape = shaping.shape(self._reflection_axis)
        return joining.concat((shape, shape[-1:]), 0)

    def _axis(self) -> Tensor:
        return normalize(self._reflection_axis, axis=-1)[0]

    def _assert_non_singular(self) -> Operation:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Operation:
        raise InvalidArgumentError(None, None, "Householder operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Operation:
        return no_op("assert_self_adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_matrix(x) if adjoint_arg else x
        axis = shaping.expand_dims(self._axis(), -1)
        # The part of each column along the axis is negated.
        return x - 2 * axis * matmul(axis, x, adjoint_a=True)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        # A reflection is its own inverse.
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        axis = shaping.expand_dims(self._axis(), -1)
        side = shaping.shape(self._reflection_axis)[-1]
        return eye(side, dtype=self.dtype) - 2 * matmul(axis, axis, adjoint_b=True)

    def _diag_part(self) -> Any:
        axis = self._axis()
        return 1 - 2 * axis * elementwise.conj(axis)

    def _of_batch(self, value: Any) -> Any:
        shape = self.batch_shape
        dims = shape.as_list() if shape.is_fully_defined() else self.batch_shape_tensor()
        return cast(value, self.dtype) * making.ones(dims, self.dtype)

    def _determinant(self) -> Any:
        return self._of_batch(-1)

    def _log_abs_determinant(self) -> Any:
        return self._of_batch(0)

    def _trace(self) -> Any:
        return self._of_batch(self.domain_dimension_tensor() - 2)
