"""Functions of matrices: exponential, logarithm, square root."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Tensor


def matrix_exponential(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the exponentials of square matrices.

    Args:
        input: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.
    """
    return tensor_op("MatrixExponential", [input], name=name)


def matrix_logarithm(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the principal logarithms of square matrices.

    Args:
        input: Tensor of complex64 or complex128, of shape [..., n, n].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.
    """
    return tensor_op("MatrixLogarithm", [input], name=name)


def matrix_square_root(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the principal square roots of square matrices.

    Args:
        input: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n]; of real matrices the root must
            be real.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.
    """
    return tensor_op("MatrixSquareRoot", [input], name=name)
