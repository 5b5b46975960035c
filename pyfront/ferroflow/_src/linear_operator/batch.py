"""Matrix operations whose arguments have batch dimensions that are broadcast."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ShapeLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.linalg.solving import cholesky_solve, matrix_solve, matrix_triangular_solve
from ferroflow._src.ops.math.linalg import matmul


def shape_tensor(shape: ShapeLike, name: str | None = None) -> Tensor:
    """Returns a shape as int32 vector, the empty one too."""
    is_empty = isinstance(shape, (tuple, list)) and not shape
    return convert_to_tensor(shape, dtype=dtypes.int32 if is_empty else None, name=name)


def broadcast_matrix_batch_dims(batch_matrices: Iterable[Any], name: str | None = None) -> list[Tensor]:
    """Returns the matrices with one shape of batch dimensions.

    Raises:
        ValueError: if a matrix has fewer than two dimensions, or the shapes cannot be broadcast.
    """
    matrices = list(batch_matrices)
    with name_scope(name or "broadcast_matrix_batch_dims", values=matrices):
        matrices = [convert_to_tensor(m) for m in matrices]
        for m in matrices:
            if m.get_shape().ndims is not None and m.get_shape().ndims < 2:
                raise ValueError(f"Expected [batch] matrix to have at least two dimensions.  Found: {m}")
        if len(matrices) < 2:
            return matrices
        known = matrices[0].get_shape()[:-2]
        for m in matrices[1:]:
            known = shaping.broadcast_static_shape(known, m.get_shape()[:-2])
        if known.is_fully_defined():
            zeros_shape = known.concatenate([1, 1])
            return [m if m.get_shape()[:-2] == known else _stretched(m, zeros_shape) for m in matrices]
        batch = shaping.shape(matrices[0])[:-2]
        for m in matrices[1:]:
            batch = shaping.broadcast_dynamic_shape(batch, shaping.shape(m)[:-2])
        now = joining.concat([batch, [1, 1]], axis=0)
        return [_stretched(m, now) for m in matrices]


def _stretched(matrix: Tensor, shape: Any) -> Any:
    return matrix + making.zeros(shape, dtype=matrix.dtype.base_dtype)


def matmul_with_broadcast(
    a: TensorLike, b: TensorLike, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """Returns `matmul` of matrices whose batch dimensions are broadcast."""
    with name_scope(name, "MatMulWithBroadcast", [a, b]):
        a, b = broadcast_matrix_batch_dims([a, b])
        return matmul(a, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def cholesky_solve_with_broadcast(chol: Any, rhs: TensorLike, name: str | None = None) -> Tensor:
    """Returns `cholesky_solve` of matrices whose batch dimensions are broadcast."""
    with name_scope(name, "CholeskySolveWithBroadcast", [chol, rhs]):
        chol, rhs = broadcast_matrix_batch_dims([chol, rhs])
        return cholesky_solve(chol, rhs)


def matrix_solve_with_broadcast(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Returns `matrix_solve` of matrices whose batch dimensions are broadcast."""
    with name_scope(name, "MatrixSolveWithBroadcast", [matrix, rhs]):
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return matrix_solve(matrix, rhs, adjoint=adjoint)


def matrix_triangular_solve_with_broadcast(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Returns `matrix_triangular_solve` of matrices whose batch dimensions are broadcast."""
    with name_scope(name, "MatrixTriangularSolve", [matrix, rhs]):
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)
