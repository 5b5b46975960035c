"""`LinearOperatorCirculant`, `LinearOperatorCirculant2D`, `LinearOperatorCirculant3D`: cyclic convolutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.batch import broadcast_matrix_batch_dims
from ferroflow._src.linear_operator.checks import (
    assert_no_entries_with_modulus_zero,
    assert_zero_imag_part,
    check_dtype,
    check_ndims,
)
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.checking import assert_less, assert_positive
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.complex_parts import imag, real
from ferroflow._src.ops.math.linalg import adjoint as adjoint_matrix, matrix_transpose
from ferroflow._src.ops.math.reduction import reduce_prod, reduce_sum
from ferroflow._src.ops.spectral import fourier

_FFT = {1: fourier.fft, 2: fourier.fft2d, 3: fourier.fft3d}
_IFFT = {1: fourier.ifft, 2: fourier.ifft2d, 3: fourier.ifft3d}
_SPECTRUM_DTYPES = (dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


class _Circulant(LinearOperator):
    """A cyclic convolution over blocks of one, two or three dimensions, given by its spectrum."""

    _block_depth: int

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        """Makes the convolution.

        Args:
            spectrum: Tensor of float32, float64, complex64 or complex128, of shape [..., the sizes of the block]: the
                Fourier transform of the kernel.
            input_output_dtype: DType of its arguments and results.
            is_non_singular: bool, as in `LinearOperator`.
            is_self_adjoint: bool, as in `LinearOperator`.
            is_positive_definite: bool, as in `LinearOperator`.
            is_square: True.
            name: str, its name, and the name scope of its operations; None for that of the class.

        Raises:
            TypeError: if the spectrum's dtype is not one of the listed dtypes.
            ValueError: if the spectrum has too few dimensions, or a hint contradicts another hint or the spectrum.
        """
        name = name or type(self).__name__
        with name_scope(name, values=[spectrum]):
            self._spectrum = convert_to_tensor(spectrum, name="spectrum")
            check_dtype(self._spectrum, "spectrum", _SPECTRUM_DTYPES)
            check_ndims(self._spectrum, "spectrum", self._block_depth)
            if not self._spectrum.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
                is_self_adjoint = True
            if is_square is False:
                raise ValueError("A [[nested] block] circulant operator is always square.")
            is_wide = self._spectrum.dtype.base_dtype in (dtypes.float64, dtypes.complex128)
            self._complex_dtype = dtypes.complex128 if is_wide else dtypes.complex64
            super().__init__(
                dtype=dtypes.as_dtype(input_output_dtype),
                graph_parents=[self._spectrum],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=True,
                name=name,
            )

    @property
    def spectrum(self) -> Tensor:
        """The Fourier transform of the kernel, a Tensor of shape [..., the sizes of the block]."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number of dimensions of a block."""
        return self._block_depth

    @property
    def block_shape(self) -> TensorShape:
        """The TensorShape of a block."""
        return self._spectrum.get_shape()[-self._block_depth :]

    def block_shape_tensor(self) -> Any:
        """Returns the shape of a block as int32 vector."""
        return shaping.shape(self._spectrum)[-self._block_depth :]

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Returns the kernel, of the operator's dtype and the shape of the spectrum."""
        with self._name_scope(name):
            return cast(_IFFT[self._block_depth](self._complex_spectrum(False)), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Operation:
        """Returns an operation that fails in the step where the kernel is not real."""
        with self._name_scope(name):
            real_dtype = self.dtype.real_dtype
            largest = cast(self.domain_dimension_tensor(), real_dtype) * float(np.finfo(real_dtype.as_numpy_dtype).eps)
            rest = elementwise.abs(imag(self.convolution_kernel()))
            return assert_less(rest, largest, message="Spectrum was not Hermitian")

    def _complex_spectrum(self, adjoint: bool) -> Any:
        spectrum = cast(self._spectrum, self._complex_dtype)
        return elementwise.conj(spectrum) if adjoint else spectrum

    def _block_axes(self) -> list[int]:
        return list(range(-self._block_depth, 0))

    def _shape(self) -> TensorShape:
        block = self.block_shape
        side = math.prod(int(n) for n in block) if block.is_fully_defined() else None
        return self._spectrum.get_shape()[: -self._block_depth].concatenate([side, side])

    def _shape_tensor(self) -> Any:
        found = shaping.shape(self._spectrum)
        side = reduce_prod(found[-self._block_depth :])
        return joining.concat((found[: -self._block_depth], joining.stack([side, side])), 0)

    def _assert_non_singular(self) -> Operation:
        return assert_no_entries_with_modulus_zero(
            self._spectrum, message="Singular operator:  Spectrum contained zero values."
        )

    def _assert_positive_definite(self) -> Operation:
        message = "Not positive definite:  Real part of spectrum was not all positive."
        return assert_positive(real(self._spectrum), message=message)

    def _assert_self_adjoint(self) -> Operation:
        message = "Not self-adjoint:  The spectrum contained non-zero imaginary part."
        return assert_zero_imag_part(self._spectrum, message=message)

    def _filtered(self, x: Tensor, adjoint: bool, adjoint_arg: bool, divides: bool) -> Any:
        """Returns the columns of `x` with their spectra multiplied, or divided, by that of the operator."""
        x = adjoint_matrix(x) if adjoint_arg else x
        column = joining.concat((self.batch_shape_tensor(), [-1, 1]), axis=0)
        columns = cast(x, self._complex_dtype)
        columns, spectrum = broadcast_matrix_batch_dims(
            (columns, shaping.reshape(self._complex_spectrum(adjoint), column))
        )
        flat = shaping.shape(matrix_transpose(columns))
        blocks = shaping.reshape(
            matrix_transpose(columns), joining.concat((flat[:-1], self.block_shape_tensor()), axis=0)
        )
        factor_shape = joining.concat((flat[:-2], [1], self.block_shape_tensor()), axis=0)
        factor = shaping.reshape(spectrum, factor_shape)
        frequencies = _FFT[self._block_depth](blocks)
        filtered = frequencies / factor if divides else frequencies * factor
        result = matrix_transpose(shaping.reshape(_IFFT[self._block_depth](filtered), flat))
        if x.get_shape().ndims is not None:
            batch = shaping.broadcast_static_shape(x.get_shape()[:-2], self.batch_shape)
            result.set_shape(batch.concatenate([self.range_dimension, x.get_shape()[-1]]))
        return cast(result, self.dtype)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._filtered(x, adjoint, adjoint_arg, divides=False)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._filtered(rhs, adjoint, adjoint_arg, divides=True)

    def _determinant(self) -> Any:
        return cast(reduce_prod(self._spectrum, axis=self._block_axes()), self.dtype)

    def _log_abs_determinant(self) -> Any:
        logarithms = elementwise.log(elementwise.abs(self._spectrum))
        return cast(reduce_sum(logarithms, axis=self._block_axes()), self.dtype)

    def _trace(self) -> Any:
        values = real(self._spectrum) if not self.dtype.is_complex else self._spectrum
        return cast(reduce_sum(values, axis=self._block_axes()), self.dtype)

    def _diag_part(self) -> Any:
        is_known = self.shape.is_fully_defined()
        shape = self.shape[:-1].as_list() if is_known else self.shape_tensor()[:-1]
        mean = self.trace() / cast(self.domain_dimension_tensor(), self.dtype)
        return shaping.expand_dims(mean, -1) * making.ones(shape, dtype=self.dtype)


class LinearOperatorCirculant(_Circulant):
    """The operator of a circulant matrix: a cyclic convolution.

    Args:
        spectrum: Tensor of float32, float64, complex64 or complex128, of shape [..., n]: the Fourier transform of the
            kernel.
        input_output_dtype: DType of its arguments and results.
        is_non_singular: bool, as in `LinearOperator`.
        is_self_adjoint: bool, as in `LinearOperator`.
        is_positive_definite: bool, as in `LinearOperator`.
        is_square: True.
        name: str, its name, and the name scope of its operations; None for that of the class.

    Raises:
        TypeError: if the spectrum's dtype is not one of the listed dtypes.
        ValueError: if the spectrum has too few dimensions, or a hint contradicts another hint or the spectrum.
    """

    _block_depth = 1


class LinearOperatorCirculant2D(_Circulant):
    """The operator of a block circulant matrix of circulant blocks: a cyclic convolution in the plane.

    Args:
        spectrum: Tensor of float32, float64, complex64 or complex128, of shape [..., n1, n2]: the Fourier transform of
            the kernel.
        input_output_dtype: DType of its arguments and results.
        is_non_singular: bool, as in `LinearOperator`.
        is_self_adjoint: bool, as in `LinearOperator`.
        is_positive_definite: bool, as in `LinearOperator`.
        is_square: True.
        name: str, its name, and the name scope of its operations; None for that of the class.

    Raises:
        TypeError: if the spectrum's dtype is not one of the listed dtypes.
        ValueError: if the spectrum has too few dimensions, or a hint contradicts another hint or the spectrum.
    """

    _block_depth = 2


class LinearOperatorCirculant3D(_Circulant):
    """The operator of a nested block circulant matrix: a cyclic convolution in space.

    Args:
        spectrum: Tensor of float32, float64, complex64 or complex128, of shape [..., n1, n2, n3]: the Fourier transform
            of the kernel.
        input_output_dtype: DType of its arguments and results.
        is_non_singular: bool, as in `LinearOperator`.
        is_self_adjoint: bool, as in `LinearOperator`.
        is_positive_definite: bool, as in `LinearOperator`.
        is_square: True.
        name: str, its name, and the name scope of its operations; None for that of the class.

    Raises:
        TypeError: if the spectrum's dtype is not one of the listed dtypes.
        ValueError: if the spectrum has too few dimensions, or a hint contradicts another hint or the spectrum.
    """

    _block_depth = 3
