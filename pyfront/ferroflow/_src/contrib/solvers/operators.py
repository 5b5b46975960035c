"""Matrices as objects that multiply vectors, and norms of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ferroflow._src.base.dtypes import DType
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import shape as shape_of
from ferroflow._src.ops.math.elementwise import conj, sqrt
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.normalization import l2_loss


class LinearOperator(NamedTuple):
    """A matrix of shape `shape`, by its products with columns, and those of its adjoint."""

    shape: Any
    dtype: DType
    apply: Callable[[Any], Any]
    apply_adjoint: Callable[[Any], Any]


def _shape(matrix: Any) -> Any:
    shape = matrix.get_shape()
    return shape.as_list() if shape.is_fully_defined() else shape_of(matrix)


def create_operator(matrix: Tensor) -> LinearOperator:
    """Returns the operator of a matrix.

    Args:
        matrix: Tensor of a float or complex dtype, of shape [m, n].

    Returns:
        LinearOperator.
    """
    return LinearOperator(
        _shape(matrix),
        matrix.dtype,
        lambda v: matmul(matrix, v),
        lambda v: matmul(matrix, v, adjoint_a=True),
    )


def identity_operator(matrix: Tensor) -> LinearOperator:
    """Returns the operator that changes nothing, of a matrix's shape.

    Args:
        matrix: Tensor of a float or complex dtype, of shape [n, n].

    Returns:
        LinearOperator.
    """
    return LinearOperator(_shape(matrix), matrix.dtype, lambda v: v, lambda v: v)


def dot(x: Any, y: Any) -> Tensor:
    """Returns the product of two vectors.

    Args:
        x: Tensor of a float or complex dtype, of any shape.
        y: Tensor of the dtype and shape of `x`.

    Returns:
        Tensor of their dtype, of shape [].
    """
    return reduce_sum(conj(x) * y)


def l2norm_squared(v: Any) -> Tensor:
    """Returns the square of a vector's length.

    Args:
        v: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of its dtype, of shape [].
    """
    squared: Tensor = 2.0 * l2_loss(v)
    return squared


def l2norm(v: Any) -> Tensor:
    """Returns a vector's length.

    Args:
        v: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of its dtype, of shape [].
    """
    return sqrt(l2norm_squared(v))


def l2normalize(v: Any) -> tuple[Tensor, Tensor]:
    """Returns a vector of length 1, and its length before.

    Args:
        v: Tensor of a float dtype, of any shape.

    Returns:
        (Tensor of the dtype and shape of `v`, Tensor of that dtype, of shape []).
    """
    norm = l2norm(v)
    return v / norm, norm
