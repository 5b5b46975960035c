"""Gradient rules of inverses, solutions, determinants and decompositions of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.autodiff.rules.registering import register
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.linalg.decomposing import self_adjoint_eig, svd
from ferroflow._src.ops.linalg.solving import (
    cholesky_solve,
    matrix_inverse,
    matrix_solve,
    matrix_triangular_solve,
    regularized_gramian_cholesky,
)
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.linalg import (
    adjoint,
    eye,
    matmul,
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    matrix_transpose,
)
from ferroflow._src.ops.math.reduction import reduce_sum

# Sources: Giles, An extended collection of matrix derivative results, 2008; Ionescu, Vantzos and Sminchisescu,
# Training deep networks with structured layers, 2015; Townsend, Differentiating the singular value decomposition, 2016.


def _matrix_inverse(op: Operation, g: Tensor) -> Tensor:
    inverse = op.outputs[0]
    if op.get_attr("adjoint"):
        return -matmul(inverse, matmul(g, inverse, adjoint_a=True))
    return -matmul(inverse, matmul(g, inverse, adjoint_b=True), adjoint_a=True)


def _scaled(matrices: Tensor, factors: Tensor) -> Tensor:
    """Returns each matrix times its factor."""
    return matrices * shaping.expand_dims(shaping.expand_dims(factors, -1), -1)


def _matrix_determinant(op: Operation, g: Tensor) -> Tensor:
    return _scaled(matrix_inverse(op.inputs[0], adjoint=True), g * elementwise.conj(op.outputs[0]))


def _log_matrix_determinant(op: Operation, g_sign: Any, g_log: Tensor) -> Tensor:
    # The sign is constant wherever it has a derivative.
    del g_sign
    return _scaled(matrix_inverse(op.inputs[0], adjoint=True), g_log)


def _cholesky(op: Operation, g: Tensor) -> Tensor:
    factor = op.outputs[0]
    dims = shaping.shape(factor)
    identity = eye(dims[-1], batch_shape=dims[:-2], dtype=factor.dtype.base_dtype)
    inverse = matrix_triangular_solve(factor, identity)
    middle = matmul(factor, g, adjoint_a=True)
    middle = matrix_set_diag(middle, 0.5 * matrix_diag_part(middle))
    middle = matrix_band_part(middle, -1, 0)
    result = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
    return (result + adjoint(result)) * 0.5


def _matrix_solve(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    a, x = op.inputs[0], op.outputs[0]
    is_adjoint = op.get_attr("adjoint")
    g_b = matrix_solve(a, g, adjoint=not is_adjoint)
    g_a = matmul(x, g_b, adjoint_b=True) if is_adjoint else matmul(g_b, x, adjoint_b=True)
    return -g_a, g_b


def _matrix_triangular_solve(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    a, x = op.inputs[0], op.outputs[0]
    is_adjoint, is_lower = op.get_attr("adjoint"), op.get_attr("lower")
    g_b = matrix_triangular_solve(a, g, lower=is_lower, adjoint=not is_adjoint)
    g_a = matmul(x, g_b, adjoint_b=True) if is_adjoint else matmul(g_b, x, adjoint_b=True)
    return matrix_band_part(-g_a, -1, 0) if is_lower else matrix_band_part(-g_a, 0, -1), g_b


def _tall_least_squares(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    a, b, x = op.inputs[0], op.inputs[1], op.outputs[0]
    chol = regularized_gramian_cholesky(a, cast(op.inputs[2], a.dtype.base_dtype), first_kind=True)
    z = cholesky_solve(chol, g)
    xz = matmul(x, z, adjoint_b=True)
    g_a = matmul(b, z, adjoint_b=True) - matmul(a, xz + adjoint(xz))
    return g_a, matmul(a, z)


def _wide_least_squares(op: Operation, g: Tensor) -> tuple[Tensor, Tensor]:
    a, b = op.inputs[0], op.inputs[1]
    chol = regularized_gramian_cholesky(a, cast(op.inputs[2], a.dtype.base_dtype), first_kind=False)
    g_b = cholesky_solve(chol, matmul(a, g))
    y = cholesky_solve(chol, b)
    rest = g - matmul(a, g_b, adjoint_a=True)
    g_a = matmul(y, rest, adjoint_b=True) - matmul(g_b, matmul(y, a, adjoint_a=True))
    return g_a, g_b


def _matrix_solve_ls(op: Operation, g: Tensor) -> tuple[Tensor, Tensor, None]:
    if not op.get_attr("fast"):
        raise ValueError("Gradient not defined for fast=False")
    shape = op.inputs[0].get_shape()
    sides = shape[-2:] if shape.ndims is not None else None
    if sides is None or not sides.is_fully_defined():
        now = shaping.shape(op.inputs[0])[-2:]
        is_tall = now[0] >= now[1]
        g_a, g_b = cond(is_tall, lambda: _tall_least_squares(op, g), lambda: _wide_least_squares(op, g))
        return g_a, g_b, None
    rule = _tall_least_squares if sides[0].value >= sides[1].value else _wide_least_squares
    return (*rule(op, g), None)


def _qr(op: Operation, g_q: Tensor, g_r: Tensor) -> Tensor:
    q, r = op.outputs
    if q.dtype.is_complex:
        # TF 1.x refuses the same cases, in these words; so does the gradient of Svd.
        raise NotImplementedError(f"QrGrad not implemented for dtype: {q.dtype}")
    shape = r.get_shape()
    if shape.ndims is None or shape[-2].value is None or shape[-1].value is None:
        raise NotImplementedError("QrGrad not implemented with dynamic shapes.")
    if shape[-2].value != shape[-1].value:
        raise NotImplementedError(
            "QrGrad not implemented when ncols > nrows or full_matrices is true and ncols != nrows."
        )
    qg, rg = matmul(q, g_q, adjoint_a=True), matmul(r, g_r, adjoint_b=True)
    lower = matrix_band_part(qg - adjoint(qg) + rg - adjoint(rg), -1, 0)

    def times_inverse_adjoint(x: Tensor) -> Tensor:
        return adjoint(matrix_triangular_solve(r, adjoint(x), lower=False))

    return matmul(q, g_r + times_inverse_adjoint(lower)) + times_inverse_adjoint(g_q - matmul(q, qg))


def _inverse_differences(values: Tensor) -> Tensor:
    """Returns 1 / (x_j - x_i) beside the diagonal, zeros on it; infinite where two values are equal."""
    differences = shaping.expand_dims(values, -2) - shaping.expand_dims(values, -1)
    return matrix_set_diag(elementwise.reciprocal(differences), making.zeros_like(values))


def _self_adjoint_eig(op: Operation, g_e: Tensor, g_v: Tensor) -> Tensor:
    e = op.outputs[0]
    with control_dependencies([g_e, g_v]):
        if op.get_attr("compute_v"):
            v = op.outputs[1]
            inner = matrix_diag(g_e) + _inverse_differences(e) * matmul(v, g_v, adjoint_a=True)
        else:
            _, v = self_adjoint_eig(op.inputs[0])
            inner = matrix_diag(g_e)
        result = matmul(v, matmul(inner, v, adjoint_b=True))
        # The op reads the lower half alone.
        result = matrix_band_part(result + adjoint(result), -1, 0)
        return matrix_set_diag(result, 0.5 * matrix_diag_part(result))


def _svd(op: Operation, g_s: Tensor, g_u: Tensor, g_v: Tensor) -> Tensor:
    a = op.inputs[0]
    a_shape = a.get_shape().with_rank_at_least(2)
    g_values = matrix_diag(g_s)
    if not op.get_attr("compute_uv"):
        _, u, v = svd(a, compute_uv=True)
        result = matmul(u, matmul(g_values, v, adjoint_b=True))
        result.set_shape(a_shape)
        return result
    full = op.get_attr("full_matrices")
    if a.dtype.is_complex:
        raise NotImplementedError("SVD gradient is not implemented for complex types and compute_uv=True.")
    g_u_shape, g_v_shape = g_u.get_shape().with_rank_at_least(2), g_v.get_shape().with_rank_at_least(2)
    rows = a_shape[-2].merge_with(g_u_shape[-2]).value
    columns = a_shape[-1].merge_with(g_v_shape[-2]).value
    if rows is None or columns is None:
        raise NotImplementedError("SVD gradient has not been implemented for input with unknown inner matrix shape.")
    if full and abs(rows - columns) > 1:
        raise NotImplementedError("svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True")
    batch = a_shape[:-2].merge_with(g_u_shape[:-2]).merge_with(g_v_shape[:-2])
    s, u, v = op.outputs
    is_tall = rows > columns
    with control_dependencies([g_s, g_u, g_v]):
        # A tall matrix is the transpose of a wide one, with U and V exchanged.
        sides = (columns, rows, v, u, g_v, g_u) if is_tall else (rows, columns, u, v, g_u, g_v)
        result = _wide_svd(s, g_values, full, *sides)
        if is_tall:
            result = matrix_transpose(result)
    result.set_shape(batch.concatenate([rows, columns]))
    return result


def _wide_svd(
    s: Tensor, g_values: Tensor, full: bool, rows: int, columns: int, u: Tensor, v: Tensor, g_u: Tensor, g_v: Tensor
) -> Tensor:
    f = _inverse_differences(elementwise.square(s))
    values = matrix_diag(s)
    v1, g_v1 = v[..., :, :rows], g_v[..., :, :rows]
    f_u = f * matmul(u, g_u, adjoint_a=True)
    f_v = f * matmul(v1, g_v1, adjoint_a=True)
    inner = g_values + matmul(f_u + adjoint(f_u), values) + matmul(values, f_v + adjoint(f_v))
    result = matmul(u, matmul(inner, v1, adjoint_b=True))
    if rows == columns:
        return result
    transposed = matrix_transpose(g_v1)
    beside = transposed - matmul(matmul(transposed, v1), v1, adjoint_b=True)
    if full:
        v2, g_v2 = v[..., :, rows:columns], g_v[..., :, rows:columns]
        beside -= matmul(matmul(v1, g_v2, adjoint_a=True), v2, adjoint_b=True)
    return result + matmul(matmul(u, matrix_diag(elementwise.reciprocal(s))), beside)


def _of_matrix_function(op: Operation, g: Tensor) -> Tensor:
    """Returns the gradient of an analytic function of a matrix.

    f([[B, G], [0, B]]) has in its upper right block the derivative of f at B in direction G; the gradient is that at
    the adjoint of the input.

    Source: Mathias, A chain rule for matrix functions and applications, 1996.
    """
    b = adjoint(op.inputs[0])
    above = joining.concat([b, g], -1)
    below = joining.concat([making.zeros_like(b), b], -1)
    n = shaping.shape(b)[-1]
    result = tensor_op(op.type, [joining.concat([above, below], -2)])[..., :n, n:]
    # A side of unknown size is as long as the other one.
    result.set_shape(op.outputs[0].get_shape())
    return result


def _next_rows(x: Tensor) -> Tensor:
    """Returns each row's next one; zeros behind the last."""
    return joining.concat([x[..., 1:, :], making.zeros_like(x[..., :1, :])], -2)


def _rows_before(x: Tensor) -> Tensor:
    """Returns the row before each one; zeros before the first."""
    return joining.concat([making.zeros_like(x[..., :1, :]), x[..., :-1, :]], -2)


def _three_diagonals(g: Tensor, x: Tensor) -> list[Tensor]:
    """Returns the upper, main and lower diagonal of the products g x*."""
    rows = [elementwise.conj(part) for part in (_next_rows(x), x, _rows_before(x))]
    return [reduce_sum(g * row, axis=-1) for row in rows]


def _tridiagonal_mat_mul(op: Operation, g: Tensor) -> list[Tensor]:
    upper, main, lower = (adjoint(op.inputs[i]) for i in range(3))
    x = op.inputs[3]
    of_diagonals = [shaping.expand_dims(d, -2) for d in _three_diagonals(g, x)]
    return [*of_diagonals, _rows_before(upper * g) + main * g + _next_rows(lower * g)]


def _tridiagonal_solve(op: Operation, g: Tensor) -> list[Tensor]:
    x = op.outputs[0]
    diagonals = elementwise.conj(op.inputs[0])
    upper, main, lower = (shaping.expand_dims(diagonals[..., i, :], -1) for i in range(3))
    of_adjoint = [shaping.squeeze(d, [-1]) for d in (_next_rows(lower), main, _rows_before(upper))]
    attrs = {"partial_pivoting": op.get_attr("partial_pivoting")}
    g_b = tensor_op("TridiagonalSolve", [joining.stack(of_adjoint, axis=-2), g], attrs)
    return [-joining.stack(_three_diagonals(g_b, x), axis=-2), g_b]


_Rule = Callable[..., Any]
_RULES: dict[str, _Rule] = {
    "Cholesky": _cholesky,
    "LogMatrixDeterminant": _log_matrix_determinant,
    "MatrixDeterminant": _matrix_determinant,
    "MatrixExponential": _of_matrix_function,
    "MatrixInverse": _matrix_inverse,
    "MatrixLogarithm": _of_matrix_function,
    "MatrixSolve": _matrix_solve,
    "MatrixSolveLs": _matrix_solve_ls,
    "MatrixSquareRoot": _of_matrix_function,
    "MatrixTriangularSolve": _matrix_triangular_solve,
    "Qr": _qr,
    "SelfAdjointEigV2": _self_adjoint_eig,
    "Svd": _svd,
    "TridiagonalMatMul": _tridiagonal_mat_mul,
    "TridiagonalSolve": _tridiagonal_solve,
}

register(_RULES)
# The names of before 1.0, which TF does not differentiate either.
