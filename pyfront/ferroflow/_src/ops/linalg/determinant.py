"""Determinants of matrices and their logarithms."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.linalg.solving import cholesky
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.complex_parts import real
from ferroflow._src.ops.math.linalg import matrix_diag_part
from ferroflow._src.ops.math.reduction import reduce_sum


def matrix_determinant(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the determinants of square matrices.

    Args:
        input: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of shape [...].
    """
    return tensor_op("MatrixDeterminant", [input], name=name)


def log_matrix_determinant(input: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes the signs of determinants and the logarithms of their absolute values.

    Args:
        input: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n].
        name: str, name of the operation.

    Returns:
        (sign, or phase; logarithm), Tensors of the dtype of `input`, of shape [...].
    """
    sign, logarithm = apply_op("LogMatrixDeterminant", [input], None, name).outputs
    return sign, logarithm


def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logarithms of the determinants of positive definite matrices.

    Args:
        matrix: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n].
        name: str, name scope of the operations.

    Returns:
        Tensor of the real dtype of `matrix`, of shape [...].

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if a matrix is not positive definite.
    """
    with name_scope(name, "logdet", [matrix]):
        diagonal = matrix_diag_part(cholesky(matrix))
        return 2.0 * reduce_sum(elementwise.log(real(diagonal)), axis=[-1])
