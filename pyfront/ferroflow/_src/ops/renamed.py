"""Functions by the names that they had before TensorFlow 1.0: each call warns and names the new one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining
from ferroflow._src.ops.linalg import decomposing
from ferroflow._src.ops.math import arithmetic, elementwise, linalg

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _renamed(old: str, new: str, function: _Function) -> _Function:
    return deprecated(f"tf.{new}", name=f"tf.{old}")(function)


mul = _renamed("mul", "multiply", arithmetic.multiply)
sub = _renamed("sub", "subtract", arithmetic.subtract)
neg = _renamed("neg", "negative", elementwise.negative)
inv = _renamed("inv", "reciprocal", elementwise.reciprocal)
complex_abs = _renamed("complex_abs", "abs", elementwise.abs)
pack = _renamed("pack", "stack", joining.stack)
unpack = _renamed("unpack", "unstack", joining.unstack)
concat_v2 = _renamed("concat_v2", "concat", joining.concat)
batch_matrix_transpose = _renamed("batch_matrix_transpose", "matrix_transpose", linalg.matrix_transpose)
batch_matrix_diag = _renamed("batch_matrix_diag", "matrix_diag", linalg.matrix_diag)
batch_matrix_diag_part = _renamed("batch_matrix_diag_part", "matrix_diag_part", linalg.matrix_diag_part)
batch_matrix_set_diag = _renamed("batch_matrix_set_diag", "matrix_set_diag", linalg.matrix_set_diag)
batch_matrix_band_part = _renamed("batch_matrix_band_part", "matrix_band_part", linalg.matrix_band_part)


@deprecated("tf.where", name="tf.select")
def select(condition: TensorLike, t: TensorLike, e: TensorLike, name: str | None = None) -> Tensor:
    """Selects elements of two tensors by a condition.

    Args:
        condition: Tensor of bool, of the shape of `t`, or of shape [] or [first dimension of `t`].
        t: Tensor of any dtype: the value where the condition holds.
        e: Tensor of the dtype and shape of `t`: the value elsewhere.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `t`.

    Raises:
        ValueError: if the shapes are incompatible.
    """
    return indexing.where(condition, t, e, name=name)


@deprecated("tf.matmul", name="tf.batch_matmul")
def batch_matmul(
    x: TensorLike, y: TensorLike, adj_x: bool = False, adj_y: bool = False, name: str | None = None
) -> Tensor:
    """Multiplies batches of matrices.

    Args:
        x: Tensor of a number dtype, of shape [..., m, k].
        y: Tensor of the dtype of `x`, of shape [..., k, n].
        adj_x: bool. If True, `x` is given conjugated and transposed.
        adj_y: bool. If True, `y` is given conjugated and transposed.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `x`, of shape [..., m, n].

    Raises:
        ValueError: if the shapes are incompatible.
    """
    return linalg.matmul(x, y, adjoint_a=bool(adj_x), adjoint_b=bool(adj_y), name=name)


@deprecated("tf.svd", name="tf.batch_svd")
def batch_svd(input: TensorLike, compute_uv: bool = True, full_matrices: bool = False, name: str | None = None) -> Any:
    """Computes the singular value decompositions of a batch of matrices.

    Args:
        input: Tensor of float32, float64, complex64 or complex128, of shape [..., m, n]; p is the smaller of m and n.
        compute_uv: bool. If False, only the singular values are computed.
        full_matrices: bool. If True, the matrices of singular vectors are square.
        name: str, name of the operation.

    Returns:
        (s, of shape [..., p]; u, of shape [..., m, p]; v, of shape [..., n, p]), Tensors of the dtype of `input`; only
        s if `compute_uv` is False.
    """
    return decomposing.svd(input, full_matrices, compute_uv, name=name)


@deprecated("tf.split", name="tf.split_v")
def split_v(
    value: Any, size_splits: Any, split_dim: Any = 0, num: int | None = None, name: str = "split_v"
) -> list[Tensor]:
    """Splits a tensor into pieces of given sizes along a dimension.

    Args:
        value: Tensor of any dtype, of rank 1 or more.
        size_splits: Tensor of int32 or int64, of shape [n]: the sizes.
        split_dim: Tensor of int32, of shape []: the dimension.
        num: int, the number of pieces; None to take it from the shape of `size_splits`.
        name: str, name of the operation.

    Returns:
        list of Tensors of the dtype of `value`.

    Raises:
        ValueError: if the number of pieces is unknown, or the sizes are incompatible.
    """
    return joining.split(value, size_splits, axis=split_dim, num=num, name=name)
