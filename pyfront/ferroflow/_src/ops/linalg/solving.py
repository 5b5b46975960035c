"""Inverses, and solutions of systems of linear equations."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import FloatLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.linalg import eye, matmul

# TF 1.x: matrices of more bytes than this, in batches of more than their shorter side, are solved one by one.
_CACHE_BYTES = 256000


def matrix_inverse(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Inverts square matrices.

    Args:
        input: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n].
        adjoint: bool. If True, the adjoint of each matrix is inverted.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if a matrix is singular.
    """
    return tensor_op("MatrixInverse", [input], {"adjoint": adjoint}, name=name)


def matrix_solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves A X = B for square matrices A.

    Args:
        matrix: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n]: A.
        rhs: Tensor of the dtype of `matrix`, of shape [..., n, k]: B.
        adjoint: bool. If True, the adjoint of A is used.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `rhs`: X.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if a matrix is singular.
    """
    return tensor_op("MatrixSolve", [matrix, rhs], {"adjoint": adjoint}, name=name)


def matrix_triangular_solve(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves A X = B for triangular matrices A.

    Args:
        matrix: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n]: A; only one half is read.
        rhs: Tensor of the dtype of `matrix`, of shape [..., n, k]: B.
        lower: bool. If True, the lower half of `matrix` is read, else the upper.
        adjoint: bool. If True, the adjoint of A is used.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `rhs`: X.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if an element on a diagonal is zero.
    """
    return tensor_op("MatrixTriangularSolve", [matrix, rhs], {"lower": lower, "adjoint": adjoint}, name=name)


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """Decomposes positive definite matrices into L L*, L lower triangular.

    Args:
        input: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n]; only the lower half is read.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `input`: L, with zeros above its diagonal.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if a matrix is not positive definite.
    """
    return tensor_op("Cholesky", [input], name=name)


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """Solves A X = B by the Cholesky decomposition of A.

    Args:
        chol: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n]: the result of `cholesky` for A.
        rhs: Tensor of the dtype of `chol`, of shape [..., n, k]: B.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `rhs`: X.
    """
    with name_scope(name, "cholesky_solve", [chol, rhs]):
        y = matrix_triangular_solve(chol, rhs, adjoint=False, lower=True)
        return matrix_triangular_solve(chol, y, adjoint=True, lower=True)


def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """Finds the X of least |A X - B|^2 + l2_regularizer |X|^2; of several the smallest.

    Args:
        matrix: Tensor of float32, float64, complex64 or complex128, of shape [..., m, n]: A.
        rhs: Tensor of the dtype of `matrix`, of shape [..., m, k]: B.
        l2_regularizer: float, or Tensor of float64 of shape []; not used unless `fast`.
        fast: bool. If True, the normal equations are solved, which needs matrices of full rank that are not
            ill-conditioned.
        name: str, name of the operations.

    Returns:
        Tensor of the dtype of `matrix`, of shape [..., n, k]: X.

    Raises:
        NotImplementedError: if a regularizer is given for complex128.
        tf.errors.InvalidArgumentError: when the step runs, if a matrix does not have full rank and `fast` is True.
    """
    matrix = convert_to_tensor(matrix, name="matrix")
    is_regularized = isinstance(l2_regularizer, Tensor) or l2_regularizer != 0
    if matrix.dtype.base_dtype == dtypes.complex128 and is_regularized:
        raise NotImplementedError(
            "matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due to poor accuracy."
        )
    shape = matrix.get_shape()
    sides = shape[-2:] if shape.ndims is not None else None
    if not fast or sides is None or not sides.is_fully_defined() or _reads_memory_often(matrix):
        # TF 1.x: unknown sides are decided by a cond; the op itself decides here.
        return tensor_op("MatrixSolveLs", [matrix, rhs, l2_regularizer], {"fast": fast}, name=name)
    with name_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]):
        is_tall = sides[0].value >= sides[1].value
        chol = regularized_gramian_cholesky(matrix, l2_regularizer, first_kind=is_tall)
        if is_tall:
            return cholesky_solve(chol, matmul(matrix, rhs, adjoint_a=True))
        return matmul(matrix, cholesky_solve(chol, rhs), adjoint_a=True)


def _reads_memory_often(matrix: Tensor) -> bool:
    """Returns True if results of the whole batch exceed the caches, so that a graph of several ops is limited by
    memory.
    """
    shape = matrix.get_shape()
    if not shape.is_fully_defined():
        return False
    *batch, rows, columns = (int(n) for n in shape)
    count = math.prod(batch)
    return count * rows * columns * matrix.dtype.size > _CACHE_BYTES and count > min(rows, columns)


def regularized_gramian_cholesky(matrix: Any, l2_regularizer: FloatLike, first_kind: bool) -> Tensor:
    """Decomposes the Gramian of matrices, with a multiple of the identity added.

    Args:
        matrix: Tensor of float32, float64, complex64 or complex128, of shape [..., m, n]: A.
        l2_regularizer: float, or Tensor of shape []: added to the diagonal.
        first_kind: bool. If True, the Gramian is A* A, else A A*.

    Returns:
        Tensor of the dtype of `matrix`, of shape [..., n, n] or [..., m, m]: the Cholesky decomposition.
    """
    gramian = matmul(matrix, matrix, adjoint_a=first_kind, adjoint_b=not first_kind)
    if isinstance(l2_regularizer, Tensor) or l2_regularizer != 0:
        dims = shaping.shape(matrix)
        side = dims[-1] if first_kind else dims[-2]
        identity = eye(side, batch_shape=dims[:-2], dtype=matrix.dtype.base_dtype)
        known = matrix.get_shape()
        if known.ndims is not None:
            known_side = known[-1 if first_kind else -2]
            identity.set_shape(known[:-2].concatenate([known_side, known_side]))
        gramian += l2_regularizer * identity
    return cholesky(gramian)
