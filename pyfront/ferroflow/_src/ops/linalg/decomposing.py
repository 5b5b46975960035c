"""Eigenvalues, singular values, QR and LU factors of matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.complex_parts import real


def self_adjoint_eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Finds the eigenvalues and eigenvectors of self-adjoint matrices.

    Args:
        tensor: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n]; only the lower half is read.
        name: str, name of the operation.

    Returns:
        (eigenvalues in ascending order, of shape [..., n]; eigenvectors as columns, of shape [..., n, n]), Tensors of
        the dtype of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if an element is not finite.
    """
    values, vectors = apply_op("SelfAdjointEigV2", [tensor], {"compute_v": True}, name).outputs
    return values, vectors


def self_adjoint_eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Finds the eigenvalues of self-adjoint matrices.

    Args:
        tensor: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n]; only the lower half is read.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `tensor`, of shape [..., n], in ascending order.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if an element is not finite.
    """
    return apply_op("SelfAdjointEigV2", [tensor], {"compute_v": False}, name).outputs[0]


def svd(tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Decomposes matrices into U diag(s) V*, with orthonormal columns in U and V.

    Args:
        tensor: Tensor of float32, float64, complex64 or complex128, of shape [..., m, n]; p is the smaller of m and n.
        full_matrices: bool. If True, U and V are made square.
        compute_uv: bool. If True, U and V are computed.
        name: str, name of the operation.

    Returns:
        (s, U, V), Tensors; or only s. The singular values are real and in descending order, of shape [..., p]. U has
        the shape [..., m, p] or [..., m, m], V has the shape [..., n, p] or [..., n, n].

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if an element is not finite.
    """
    attrs = {"compute_uv": compute_uv, "full_matrices": full_matrices}
    s, u, v = apply_op("Svd", [tensor], attrs, name).outputs
    values: Tensor = real(s)
    return (values, u, v) if compute_uv else values


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Decomposes matrices into Q R, with orthonormal columns in Q and R upper triangular.

    Args:
        input: Tensor of float32, float64, complex64 or complex128, of shape [..., m, n]; p is the smaller of m and n.
        full_matrices: bool. If True, Q is made square.
        name: str, name of the operation.

    Returns:
        (Q, of shape [..., m, p] or [..., m, m]; R, of shape [..., p, n] or [..., m, n]), Tensors of the dtype of
        `input`.
    """
    q, r = apply_op("Qr", [input], {"full_matrices": full_matrices}, name).outputs
    return q, r


class Lu(NamedTuple):
    """Result of `lu`.

    Attributes:
        lu: Tensor of the dtype and shape of the input: both factors, without the ones on the lower one's diagonal.
        p: Tensor of int32 or int64, of shape [..., n]: the row of the input that each row of the product is.
    """

    lu: Tensor
    p: Tensor


def lu(input: TensorLike, output_idx_type: DTypeLike = dtypes.int32, name: str | None = None) -> Lu:
    """Decomposes matrices with exchanged rows into L U: lower triangular with ones on its diagonal, upper triangular.

    Args:
        input: Tensor of float32, float64, complex64 or complex128, of shape [..., n, n].
        output_idx_type: int32 or int64, the dtype of `p`.
        name: str, name of the operation.

    Returns:
        Lu, a named tuple of Tensors `lu` and `p`.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if a matrix is singular.
    """
    return Lu(*apply_op("Lu", [input], {"output_idx_type": output_idx_type}, name).outputs)
