"""Products and systems of matrices that have three diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.math.elementwise import conj
from ferroflow._src.ops.math.linalg import matrix_transpose

_FORMATS = ("compact", "sequence", "matrix")


def _diagonal(matrices: Tensor, offset: int) -> Tensor:
    """Returns the diagonal above (1), on (0) or below (-1) the main one, with a zero outside of the matrix."""
    size = _size(matrices)
    if size is None:
        raise ValueError('The size of the matrix needs to be known for diagonals_format="matrix"')
    # In the flat matrix, elements of a diagonal are one row and one column apart.
    dims = shaping.shape(matrices)
    flat = shaping.reshape(matrices, joining.concat([dims[:-2], [size * size]], 0))
    if offset == 0:
        return flat[..., :: size + 1]
    if offset > 0:
        return _with_zero(flat[..., 1 : size * (size - 1) + 1 : size + 1], before=False)
    return _with_zero(flat[..., size :: size + 1], before=True)


def _with_zero(x: Tensor, before: bool) -> Tensor:
    """Returns vectors that are longer by a zero, as first or as last element."""
    dims = shaping.shape(x)
    zero = zeros(joining.concat([dims[:-1], [1]], 0), x.dtype)
    return joining.concat([zero, x] if before else [x, zero], -1)


def _size(tensor: Tensor) -> int | None:
    """Returns the last dimension; None if it is unknown."""
    return None if tensor.shape.ndims is None else tensor.shape.as_list()[-1]


def _of_sequence(diagonals: Any) -> list[Tensor]:
    """Returns three diagonals of one length, the unused elements of the outer ones being zeros."""
    if not isinstance(diagonals, tuple | list) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    upper, main, lower = (convert_to_tensor(d) for d in diagonals)
    if not (
        lower.shape[:-1].is_compatible_with(main.shape[:-1]) and upper.shape[:-1].is_compatible_with(main.shape[:-1])
    ):
        raise ValueError(
            "Tensors representing the three diagonals must have the same shape,except for the last dimension, got "
            f"{lower.shape}, {main.shape}, {upper.shape}"
        )
    length = _size(main)

    def filled(x: Tensor, name: str, before: bool) -> Tensor:
        own = _size(x)
        if not own or own == length:
            return x
        if length is not None and own == length - 1:
            return _with_zero(x, before)
        raise ValueError(f"Expected {name} to be have length {length} or {(length or 1) - 1}, got {own}.")

    return [filled(upper, "superdiagonal", False), main, filled(lower, "subdiagonal", True)]


def _three(diagonals: Any, diagonals_format: str) -> list[Tensor]:
    """Returns the upper, main and lower diagonal, each of the length of the main one."""
    if diagonals_format not in _FORMATS:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    if diagonals_format == "sequence":
        return _of_sequence(diagonals)
    tensor = convert_to_tensor(diagonals)
    rank = tensor.shape.ndims
    if rank is not None and rank < 2:
        raise ValueError(f"Expected diagonals to have rank at least 2, got {rank}")
    rows, columns = (None, None) if rank is None else tensor.shape.as_list()[-2:]
    if diagonals_format == "matrix":
        if rows and columns and rows != columns:
            raise ValueError(f"Expected last two dimensions of diagonals to be same, got {columns} and {rows}")
        return [_diagonal(tensor, offset) for offset in (1, 0, -1)]
    if rows not in (None, 3):
        raise ValueError(f"Expected 3 diagonals got {rows}")
    return [tensor[..., i, :] for i in range(3)]


def tridiagonal_matmul(
    diagonals: Tensor | Sequence[TensorLike],
    rhs: TensorLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices that have three diagonals by matrices.

    Args:
        diagonals: the diagonals of [m, m] matrices, of float32, float64, complex64 or complex128. "compact": Tensor of
            shape [..., 3, m], the upper, main and lower diagonal; the last element of the upper and the first of the
            lower one are not used. "sequence": three Tensors of shape [..., m], the outer ones [..., m] or
            [..., m - 1]. "matrix": Tensor of shape [..., m, m], of which other elements are not read.
        rhs: Tensor of the same dtype, of shape [..., m, n].
        diagonals_format: "compact", "sequence" or "matrix".
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `rhs`.

    Raises:
        ValueError: if the format is unknown, or the shapes are incompatible.
    """
    rows = [shaping.expand_dims(d, -2) for d in _three(diagonals, diagonals_format)]
    return tensor_op("TridiagonalMatMul", [*rows, rhs], name=name)


def tridiagonal_solve(
    diagonals: Tensor | Sequence[TensorLike],
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
) -> Tensor:
    """Solves systems whose matrices have three diagonals.

    Args:
        diagonals: as for `tridiagonal_matmul`.
        rhs: Tensor of the dtype of the diagonals, of shape [..., m] or [..., m, n].
        diagonals_format: "compact", "sequence" or "matrix".
        transpose_rhs: bool. If True, `rhs` and the result are [..., n, m]; vectors stay as they are.
        conjugate_rhs: bool. If True, the complex conjugate of `rhs` is used.
        name: str, name of the operation.
        partial_pivoting: bool. If False, rows are not exchanged: faster, and wrong for some matrices.

    Returns:
        Tensor of the dtype and shape of `rhs`.

    Raises:
        ValueError: if the format is unknown, or the shapes are incompatible.
        tf.errors.InvalidArgumentError: when the step runs, if a pivot is zero.
    """
    if diagonals_format == "compact":
        compact = convert_to_tensor(diagonals)
    else:
        compact = joining.stack(_three(diagonals, diagonals_format), axis=-2)
    right = convert_to_tensor(rhs)
    rank, right_rank = compact.shape.ndims, right.shape.ndims
    if rank is None or right_rank is None:
        raise ValueError("tridiagonal_solve needs diagonals and rhs of known rank")
    if rank < 2:
        raise ValueError(f"Expected diagonals to have rank at least 2, got {rank}")
    if right_rank not in (rank, rank - 1):
        raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {right_rank}")
    count, length = compact.shape.as_list()[-2:]
    if count and count != 3:
        raise ValueError(f"Expected 3 diagonals got {count}")
    if not compact.shape[:-2].is_compatible_with(right.shape[: rank - 2]):
        raise ValueError(f"Batch shapes {compact.shape[:-2]} and {right.shape[: rank - 2]} are incompatible")
    is_vector = right_rank == rank - 1
    if conjugate_rhs:
        right = conj(right)
    if is_vector:
        right = shaping.expand_dims(right, -1)
    elif transpose_rhs:
        right = matrix_transpose(right)
    own = right.shape.as_list()[-2]
    if length and own and length != own:
        raise ValueError(f"Expected number of left-hand sided and right-hand sides to be equal, got {length} and {own}")
    attrs = {"partial_pivoting": partial_pivoting}
    result = tensor_op("TridiagonalSolve", [compact, right], attrs, name=name)
    if is_vector:
        return shaping.squeeze(result, [-1])
    return matrix_transpose(result) if transpose_rhs else result
