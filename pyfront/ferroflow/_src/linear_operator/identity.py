"""`LinearOperatorIdentity`, `LinearOperatorScaledIdentity`, `LinearOperatorZeros`: operators made of their sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, IntLike, ShapeLike, TensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.batch import shape_tensor
from ferroflow._src.linear_operator.checks import assert_zero_imag_part
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.checking import assert_equal, assert_non_negative, assert_positive, assert_rank
from ferroflow._src.ops.flow.grouping import no_op, with_dependencies
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.arithmetic import minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.complex_parts import real
from ferroflow._src.ops.math.linalg import adjoint as adjoint_matrix, matrix_diag_part, matrix_set_diag


class _OfSizes(LinearOperator):
    """An operator with a given number of rows."""

    _assert_proper_shapes: bool

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Any:
        """Adds the operator's matrix to a tensor.

        Args:
            mat: Tensor of the operator's dtype, of a shape that broadcasts to the operator's.
            name: str, name scope of the operations.

        Returns:
            Tensor of the operator's dtype and shape.

        Raises:
            TypeError: if the dtype of `mat` is not that of the operator.
        """
        return super().add_to_tensor(mat, name)

    def _size(self, value: Any, argument: str, ndims: int) -> tuple[Tensor, Any]:
        """Returns a size, or sizes, as tensor and as far as it is known."""
        tensor = shape_tensor(value, name=argument)
        known = constant_value(tensor)
        kind = "a 0-D Tensor" if ndims == 0 else "a 1-D Tensor"
        if self._assert_proper_shapes:
            checks = [
                assert_rank(tensor, ndims, message=f"Argument {argument} must be {kind}."),
                assert_non_negative(tensor, message=f"Argument {argument} must be non-negative."),
            ]
            tensor = with_dependencies(checks, tensor)
        if not tensor.dtype.is_integer:
            raise TypeError(f"Argument {argument} must be integer type.  Found: {tensor}")
        if known is not None:
            if known.ndim != ndims:
                raise ValueError(f"Argument {argument} must be {kind}.  Found: {known}")
            if np.any(known < 0):
                raise ValueError(f"Argument {argument} must be non-negative.  Found: {known}")
        return tensor, known

    def _checked(self, x: Tensor) -> Any:
        """Returns the argument of a product, after an optional check of its dimension."""
        if not self._assert_proper_shapes:
            return x
        message = "Incompatible matrix dimensions.  shape[-2] of argument to be the same as this operator"
        return with_dependencies(
            [assert_equal(shaping.shape(x)[-2], self.domain_dimension_tensor(), message=message)], x
        )

    def _batch_of(self, value: int) -> Any:
        """Returns ones or zeros of the shape of the batch."""
        is_known = self.batch_shape.is_fully_defined()
        shape = self.batch_shape.as_list() if is_known else self.batch_shape_tensor()
        return (making.ones if value else making.zeros)(shape, dtype=self.dtype)

    def _diagonal_shape(self) -> Any:
        if self.shape.is_fully_defined():
            return [*self.batch_shape.as_list(), min(int(n) for n in self.shape[-2:])]
        shortest = minimum(self.range_dimension_tensor(), self.domain_dimension_tensor())
        return joining.concat([self.batch_shape_tensor(), shaping.expand_dims(shortest, 0)], axis=0)


class LinearOperatorIdentity(_OfSizes):
    """The identity: its product with a matrix is that matrix."""

    def __init__(
        self,
        num_rows: IntLike,
        batch_shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        """Makes an identity.

        Args:
            num_rows: int, or Tensor of an integer dtype of shape []: the side.
            batch_shape: list of int, or Tensor of an integer dtype of shape [n]: the batch dimensions, or None.
            dtype: DType of its arguments and results; None for float32.
            is_non_singular: True.
            is_self_adjoint: True.
            is_positive_definite: True.
            is_square: True.
            assert_proper_shapes: bool. If True, sizes that are not known now are checked in the step.
            name: str, its name, and the name scope of its operations.

        Raises:
            ValueError: if a hint is not True, or a size is negative or has the wrong number of dimensions.
            TypeError: if a size is not an integer.
        """
        self._assert_proper_shapes = assert_proper_shapes
        with name_scope(name):
            for hint, what in (
                (is_self_adjoint, "self adjoint"),
                (is_non_singular, "non-singular"),
                (is_positive_definite, "positive-definite"),
                (is_square, "square"),
            ):
                if not hint:
                    raise ValueError(f"An identity operator is always {what}.")
            super().__init__(
                dtype=dtypes.as_dtype(dtype or dtypes.float32),
                is_non_singular=True,
                is_self_adjoint=True,
                is_positive_definite=True,
                is_square=True,
                name=name,
            )
            self._num_rows, self._num_rows_static = self._size(num_rows, "num_rows", 0)
            self._batch_shape_arg: Tensor | None = None
            if batch_shape is not None:
                self._batch_shape_arg, self._batch_shape_static = self._size(batch_shape, "batch_shape", 1)

    def _shape(self) -> TensorShape:
        side = None if self._num_rows_static is None else int(self._num_rows_static)
        matrix_shape = TensorShape([side, side])
        if self._batch_shape_arg is None:
            return matrix_shape
        known = self._batch_shape_static
        return TensorShape(None if known is None else known.tolist()).concatenate(matrix_shape)

    def _shape_tensor(self) -> Any:
        sides = joining.stack([self._num_rows, self._num_rows])
        return sides if self._batch_shape_arg is None else joining.concat((self._batch_shape_arg, sides), 0)

    def _assert_non_singular(self) -> Operation:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Operation:
        return no_op("assert_positive_definite")

    def _assert_self_adjoint(self) -> Operation:
        return no_op("assert_self_adjoint")

    def _stretched(self, x: Any) -> Any:
        if self._batch_shape_arg is None:
            return x
        known = self.batch_shape.concatenate([1, 1])
        shape: Any = joining.concat((self.batch_shape_tensor(), [1, 1]), 0)
        if known.is_fully_defined():
            if shaping.broadcast_static_shape(x.get_shape(), known) == x.get_shape():
                return x
            shape = known
        return x + making.zeros(shape, dtype=self.dtype)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._stretched(self._checked(adjoint_matrix(x) if adjoint_arg else x))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return self._batch_of(1)

    def _log_abs_determinant(self) -> Any:
        return self._batch_of(0)

    def _trace(self) -> Any:
        return cast(self.domain_dimension_tensor(), self.dtype) * self._batch_of(1)

    def _diag_part(self) -> Any:
        return making.ones(self._diagonal_shape(), dtype=self.dtype)

    def _add_to_tensor(self, x: Tensor) -> Any:
        x = self._stretched(x)
        return matrix_set_diag(x, 1 + matrix_diag_part(x))


class LinearOperatorScaledIdentity(_OfSizes):
    """A multiple of the identity."""

    def __init__(
        self,
        num_rows: IntLike,
        multiplier: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        """Makes a multiple of the identity.

        Args:
            num_rows: int, or Tensor of an integer dtype of shape []: the side.
            multiplier: Tensor of a floating dtype, of the shape of the batch: the factor.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: True.
            assert_proper_shapes: bool. If True, sizes that are not known now are checked in the step.
            name: str, its name, and the name scope of its operations.

        Raises:
            ValueError: if the hints contradict each other, or the size is negative or no scalar.
            TypeError: if the size is not an integer.
        """
        self._assert_proper_shapes = assert_proper_shapes
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        with name_scope(name, values=[multiplier, num_rows]):
            self._multiplier = convert_to_tensor(multiplier, name="multiplier")
            super().__init__(
                dtype=self._multiplier.dtype.base_dtype,
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )
            self._num_rows, self._num_rows_static = self._size(num_rows, "num_rows", 0)

    @property
    def multiplier(self) -> Tensor:
        """The factor, of the shape of the batch."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        side = None if self._num_rows_static is None else int(self._num_rows_static)
        return self._multiplier.get_shape().concatenate(TensorShape([side, side]))

    def _shape_tensor(self) -> Any:
        return joining.concat((shaping.shape(self._multiplier), joining.stack([self._num_rows, self._num_rows])), 0)

    def _assert_non_singular(self) -> Operation:
        return assert_positive(elementwise.abs(self._multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Operation:
        return assert_positive(real(self._multiplier), message="LinearOperator was not positive definite.")

    def _assert_self_adjoint(self) -> Operation:
        return assert_zero_imag_part(self._multiplier, message="LinearOperator was not self-adjoint")

    def _factor(self, adjoint: bool) -> Any:
        factor = elementwise.conj(self._multiplier) if adjoint else self._multiplier
        return shaping.expand_dims(shaping.expand_dims(factor, -1), -1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._checked(adjoint_matrix(x) if adjoint_arg else x) * self._factor(adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._checked(adjoint_matrix(rhs) if adjoint_arg else rhs) / self._factor(adjoint)

    def _determinant(self) -> Any:
        return self._multiplier ** cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self) -> Any:
        side = cast(self._num_rows, self.dtype.real_dtype)
        return cast(side * elementwise.log(elementwise.abs(self._multiplier)), self.dtype)

    def _trace(self) -> Any:
        return self._multiplier * cast(self.domain_dimension_tensor(), self.dtype)

    def _diag_part(self) -> Any:
        return making.ones(self._diagonal_shape(), dtype=self.dtype) * shaping.expand_dims(self._multiplier, -1)

    def _add_to_tensor(self, x: Tensor) -> Any:
        x = x + making.zeros(joining.concat([self.batch_shape_tensor(), [1, 1]], 0), dtype=self.dtype)
        return matrix_set_diag(x, shaping.expand_dims(self._multiplier, -1) + matrix_diag_part(x))


class LinearOperatorZeros(_OfSizes):
    """The zero operator."""

    def __init__(
        self,
        num_rows: IntLike,
        num_columns: IntLike | None = None,
        batch_shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        """Makes an operator of zeros.

        Args:
            num_rows: int, or Tensor of an integer dtype of shape []: the range dimension.
            num_columns: int, or Tensor of an integer dtype of shape []: the domain dimension; None for `num_rows`.
            batch_shape: list of int, or Tensor of an integer dtype of shape [n]: the batch dimensions, or None.
            dtype: DType of its arguments and results; None for float32.
            is_non_singular: False.
            is_self_adjoint: bool; True if the operator is square.
            is_positive_definite: False.
            is_square: bool; True if the operator is square.
            assert_proper_shapes: bool. If True, sizes that are not known now are checked in the step.
            name: str, its name, and the name scope of its operations.

        Raises:
            ValueError: if a hint is wrong, or a size is negative or has the wrong number of dimensions.
            TypeError: if a size is not an integer.
        """
        self._assert_proper_shapes = assert_proper_shapes
        with name_scope(name):
            if is_non_singular:
                raise ValueError("A zero operator is always singular.")
            if is_positive_definite:
                raise ValueError("A zero operator is always not positive-definite.")
            super().__init__(
                dtype=dtypes.as_dtype(dtype or dtypes.float32),
                is_non_singular=False,
                is_self_adjoint=is_self_adjoint and is_square,
                is_positive_definite=False,
                is_square=is_square,
                name=name,
            )
            self._num_rows, self._num_rows_static = self._size(num_rows, "num_rows", 0)
            self._num_columns, self._num_columns_static = (
                (self._num_rows, self._num_rows_static)
                if num_columns is None
                else self._size(num_columns, "num_columns", 0)
            )
            self._batch_shape_arg: Tensor | None = None
            if batch_shape is not None:
                self._batch_shape_arg, self._batch_shape_static = self._size(batch_shape, "batch_shape", 1)
            sides = (self._num_rows_static, self._num_columns_static)
            if is_square and None not in sides and sides[0] != sides[1]:
                raise ValueError("LinearOperatorZeros initialized as is_square=True but num_rows != num_columns.")

    def _shape(self) -> TensorShape:
        sides = [None if n is None else int(n) for n in (self._num_rows_static, self._num_columns_static)]
        if self._batch_shape_arg is None:
            return TensorShape(sides)
        known = self._batch_shape_static
        return TensorShape(None if known is None else known.tolist()).concatenate(TensorShape(sides))

    def _shape_tensor(self) -> Any:
        sides = joining.stack([self._num_rows, self._num_columns])
        return sides if self._batch_shape_arg is None else joining.concat((self._batch_shape_arg, sides), 0)

    def _assert_non_singular(self) -> Operation:
        raise ValueError("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Operation:
        raise ValueError("Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Operation:
        return no_op("assert_self_adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_matrix(x) if adjoint_arg else x
        rows = self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()
        batch = shaping.broadcast_dynamic_shape(shaping.shape(x)[:-2], self.batch_shape_tensor())
        result = making.zeros(joining.concat([batch, joining.stack([rows, shaping.shape(x)[-1]])], 0), dtype=self.dtype)
        if x.get_shape().ndims is not None:
            known = shaping.broadcast_static_shape(x.get_shape()[:-2], self.batch_shape)
            side = self.domain_dimension if adjoint else self.range_dimension
            result.set_shape(known.concatenate([side, x.get_shape()[-1]]))
        return result

    def _determinant(self) -> Any:
        return self._batch_of(0)

    def _trace(self) -> Any:
        return self._batch_of(0)

    def _diag_part(self) -> Any:
        return making.zeros(self._diagonal_shape(), dtype=self.dtype)

    def _to_dense(self) -> Any:
        is_known = self.shape.is_fully_defined()
        return making.zeros(self.shape.as_list() if is_known else self.shape_tensor(), dtype=self.dtype)

    def _add_to_tensor(self, x: Tensor) -> Any:
        return x + making.zeros(joining.concat([self.batch_shape_tensor(), [1, 1]], 0), dtype=self.dtype)
