"""Products of factors at the observed entries of a matrix, and the normal equations of their least squares."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.sparse.arithmetic import sparse_tensor_dense_matmul

__all__ = ["masked_matmul", "wals_compute_partial_lhs_and_rhs"]


def masked_matmul(
    a: TensorLike,
    b: TensorLike,
    mask_indices: TensorLike,
    transpose_a: bool,
    transpose_b: bool,
    name: str | None = None,
) -> Tensor:
    """Returns entries of the product of two matrices.

    Args:
        a: Tensor of float32, of shape [m, k], or [k, m] if `transpose_a` is True.
        b: Tensor of float32, of shape [k, n], or [n, k] if `transpose_b` is True.
        mask_indices: Tensor of int64, of shape [entries, 2]: the row and column of each entry.
        transpose_a: bool. If True, the first matrix is the transpose of `a`.
        transpose_b: bool. If True, the second matrix is the transpose of `b`.
        name: str, the name scope of the operations; None for "MaskedMatmul".

    Returns:
        Tensor of float32, of shape [entries].

    Raises:
        tf.errors.InvalidArgumentError: when a step runs, if an index is out of range.
    """
    with name_scope(name, "MaskedMatmul", [a, b, mask_indices]):
        left, right, places = convert_to_tensor(a), convert_to_tensor(b), convert_to_tensor(mask_indices, dtypes.int64)
        rows = shaping.transpose(left) if transpose_a else left
        columns = right if transpose_b else shaping.transpose(right)
        return reduce_sum(gather(rows, places[:, 0]) * gather(columns, places[:, 1]), 1)


def wals_compute_partial_lhs_and_rhs(
    factors: TensorLike,
    factor_weights: TensorLike,
    unobserved_weights: TensorLike,
    input_weights: TensorLike,
    input_indices: TensorLike,
    input_values: TensorLike,
    entry_weights: TensorLike,
    input_block_size: IntLike,
    input_is_transpose: bool,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the parts of the normal equations that the observed entries contribute.

    Row `i` has the matrix `sum_j(w_ij * f_j * f_j^T)` and the vector `sum_j((w_ij + w_0) * a_ij * f_j)`, over the
    columns `j` of its observed entries `a_ij`.

    Args:
        factors: Tensor of float32, of shape [columns, k]: the factors `f` of the other side.
        factor_weights: Tensor of float32, of shape [columns]; of shape [0] if `entry_weights` is given.
        unobserved_weights: Tensor of float32, of shape []: the weight `w_0`.
        input_weights: Tensor of float32, of shape [rows]; of shape [0] if `entry_weights` is given.
        input_indices: Tensor of int64, of shape [entries, 2]: the row and column of each entry.
        input_values: Tensor of float32, of shape [entries].
        entry_weights: Tensor of float32, of shape [entries]: the weights `w`. If it has shape [0], they are the
            products of the row's and the column's weights.
        input_block_size: int, or Tensor of int64, of shape []: the number of rows.
        input_is_transpose: bool. If True, the entries' indices are (column, row).
        name: str, the name scope of the operations; None for "WALSComputePartialLhsAndRhs".

    Returns:
        (Tensor of float32, of shape [rows, k, k]: the matrices; Tensor of float32, of shape [rows, k]: the vectors).

    Raises:
        ValueError: if the size of `entry_weights` is not known when the graph is built.
        tf.errors.InvalidArgumentError: when a step runs, if an index is out of range.
    """
    with name_scope(name, "WALSComputePartialLhsAndRhs", [factors, input_indices, input_values]):
        others, places, values = (
            convert_to_tensor(factors),
            convert_to_tensor(input_indices, dtypes.int64),
            convert_to_tensor(input_values),
        )
        rows, columns = (1, 0) if input_is_transpose else (0, 1)
        weights = convert_to_tensor(entry_weights, dtypes.float32)
        count = weights.shape.num_elements()
        if count is None:
            raise ValueError(f"entry_weights must have a known shape, got {weights.shape}.")
        if count == 0:
            weights = gather(input_weights, places[:, rows]) * gather(factor_weights, places[:, columns])
        size = stack([cast(input_block_size, dtypes.int64), cast(shaping.shape(others)[0], dtypes.int64)])
        placed = stack([places[:, rows], places[:, columns]], 1)
        squares = shaping.expand_dims(others, 2) * shaping.expand_dims(others, 1)
        length = shaping.shape(others)[1]
        flat = shaping.reshape(squares, [-1, length * length])
        lhs: Any = sparse_tensor_dense_matmul(SparseTensor(placed, weights, size), flat)
        rhs: Any = sparse_tensor_dense_matmul(
            SparseTensor(placed, (weights + unobserved_weights) * values, size), others
        )
        return shaping.reshape(lhs, [-1, length, length]), rhs
