"""`LinearOperatorToeplitz`: matrices whose diagonals are constant."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.checks import check_ndims
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.checking import assert_equal
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.complex_parts import real
from ferroflow._src.ops.math.linalg import adjoint as adjoint_matrix, matrix_transpose
from ferroflow._src.ops.spectral import fourier


class LinearOperatorToeplitz(LinearOperator):
    """A square matrix with constant diagonals, given by its first column and first row."""

    def __init__(
        self,
        col: TensorLike,
        row: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        """Makes the operator.

        Args:
            col: Tensor of a float or complex dtype, of shape [..., n]: the first column.
            row: Tensor of the same dtype, of shape [..., n]: the first row; its first element does not count.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: True or None.
            name: str, its name, and the name scope of its operations.

        Raises:
            TypeError: if `col` and `row` have different dtypes.
            ValueError: if `col` or `row` is a scalar, or they have different lengths, or `is_square` is False.
        """
        with name_scope(name, values=[col, row]):
            self._col = convert_to_tensor(col, name="col")
            self._row = convert_to_tensor(row, name="row")
            for tensor, argument in ((self._col, "col"), (self._row, "row")):
                check_ndims(tensor, argument, 1)
            if self._col.dtype.base_dtype != self._row.dtype.base_dtype:
                raise TypeError(f"row and col must have one dtype.  Found: {self._row} and {self._col}")
            if not self._row.shape[-1:].is_compatible_with(self._col.shape[-1:]):
                raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
            if is_square is False:
                raise ValueError("Only square Toeplitz operators currently supported.")
            super().__init__(
                dtype=self._row.dtype,
                graph_parents=[self._row, self._col],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=True,
                name=name,
            )

    @property
    def col(self) -> Tensor:
        """The first column, a Tensor of the operator's dtype and of shape [..., n]."""
        return self._col

    @property
    def row(self) -> Tensor:
        """The first row, a Tensor of the operator's dtype and of shape [..., n]."""
        return self._row

    def _shape(self) -> TensorShape:
        shape = TensorShape(self._col.get_shape()).merge_with(self._row.get_shape())
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        shape = shaping.shape(self._row)
        return joining.concat((shape, shape[-1:]), 0)

    def _assert_self_adjoint(self) -> Operation:
        message = "row and col are not the same, and so this operator is not self-adjoint."
        return assert_equal(self._row, elementwise.conj(self._col), message=message)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_matrix(x) if adjoint_arg else x
        col, row = self._col, self._row
        if adjoint:
            corner = elementwise.conj(col[..., :1])
            rest = [elementwise.conj(t[..., 1:]) for t in (row, col)]
            col, row = (joining.concat([corner, part], -1) for part in rest)
        wide = self.dtype in (dtypes.float64, dtypes.complex128)
        dtype = dtypes.complex128 if wide else dtypes.complex64
        # The matrix is a block of the circulant matrix with this first column, whose product is a convolution.
        column = joining.concat([col, making.zeros_like(col[..., :1]), shaping.reverse(row[..., 1:], [-1])], -1)
        rows = matrix_transpose(x)
        padded = joining.concat([rows, making.zeros_like(rows)], -1)
        spectrum = shaping.expand_dims(fourier.fft(cast(column, dtype)), -2)
        product = fourier.ifft(spectrum * fourier.fft(cast(padded, dtype)))
        side = shaping.shape(self._row)[-1]
        found = matrix_transpose(product[..., :side])
        return cast(found if self.dtype.is_complex else real(found), self.dtype)

    def _diag_part(self) -> Any:
        return self._col[..., :1] * making.ones_like(self._col)

    def _trace(self) -> Any:
        return self._col[..., 0] * cast(self.domain_dimension_tensor(), self.dtype)
