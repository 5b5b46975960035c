"""Roots of symmetric positive definite matrices by iteration."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.linalg.norm import norm
from ferroflow._src.ops.math.arithmetic import pow
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import logical_and
from ferroflow._src.ops.math.elementwise import abs, sqrt
from ferroflow._src.ops.math.linalg import eye, matmul
from ferroflow._src.ops.math.reduction import reduce_max, reduce_sum


def matrix_square_root(mat_a: Tensor, mat_a_size: int, iter_count: int = 100, ridge_epsilon: float = 1e-4) -> Tensor:
    """Returns the square root of a matrix, by the coupled Newton-Schulz iteration.

    Args:
        mat_a: Tensor of float32, of shape [n, n], symmetric and positive definite.
        mat_a_size: int, n.
        iter_count: int, the most iterations; fewer run if the error stops falling.
        ridge_epsilon: float, added to the diagonal.

    Returns:
        Tensor of float32, of shape [n, n].
    """
    identity = eye(cast(mat_a_size, dtypes.int32))
    mat_a = mat_a + ridge_epsilon * identity
    size = sqrt(reduce_sum(mat_a * mat_a))

    def goes_on(i: Tensor, y: Tensor, y_before: Tensor, z: Tensor, error: Tensor, error_before: Tensor) -> Tensor:
        del y, y_before, z
        return logical_and(i < iter_count, error < error_before)

    def refined(
        i: Tensor, y: Tensor, y_before: Tensor, z: Tensor, error: Tensor, error_before: Tensor
    ) -> tuple[Tensor, ...]:
        del y_before, error_before
        factor = 0.5 * (3.0 * identity - matmul(z, y))
        y_next = matmul(y, factor)
        root = y_next * sqrt(size)
        rest = mat_a - matmul(root, root)
        return i + 1, y_next, y, matmul(factor, z), sqrt(reduce_sum(rest * rest)) / size, error

    start = mat_a / size
    # The last iteration is the one that made the error greater.
    found = while_loop(goes_on, refined, [0, start, start, identity, size, size + 1.0])
    root: Tensor = found[2] * sqrt(size)
    return root


def matrix_inverse_pth_root(
    mat_g: Tensor,
    mat_g_size: int,
    alpha: float,
    iter_count: int = 100,
    epsilon: float = 1e-6,
    ridge_epsilon: float = 1e-6,
) -> Tensor:
    """Returns a matrix to the power of `alpha`, -1 / p for an integer p, by the coupled Newton iteration.

    Args:
        mat_g: Tensor of float32, of shape [n, n], symmetric and positive definite.
        mat_g_size: int, n.
        alpha: float, -1 / p.
        iter_count: int, the most iterations.
        epsilon: float, the error at which the iteration ends.
        ridge_epsilon: float, added to the diagonal.

    Returns:
        Tensor of float32, of shape [n, n].

    Raises:
        ValueError: if -1 / `alpha` is not a positive integer.
    """
    root = -1.0 / alpha
    if root != int(root) or root <= 0:
        raise ValueError(f"-1 / alpha must be a positive integer, got {root}")
    if mat_g_size == 1:
        return pow(mat_g + ridge_epsilon, alpha)
    identity = eye(cast(mat_g_size, dtypes.int32))
    damped = mat_g + ridge_epsilon * identity
    scale = (1 - 1 / alpha) / (2 * norm(damped))

    def goes_on(i: Tensor, m: Tensor, x: Tensor) -> Tensor:
        del x
        return logical_and(i < iter_count, reduce_max(abs(m - identity)) > epsilon)

    def refined(i: Tensor, m: Tensor, x: Tensor) -> tuple[Tensor, ...]:
        factor = (1 - alpha) * identity + alpha * m
        return i + 1, matmul(_power(factor, int(root)), m), matmul(x, factor)

    found: Tensor = while_loop(goes_on, refined, [0, damped * scale, identity * pow(scale, -alpha)])[2]
    return found


def _power(matrix: Tensor, exponent: int) -> Any:
    """Returns a matrix to a positive power, by repeated squares."""
    product: Any = None
    while exponent > 0:
        if exponent % 2 == 1:
            product = matrix if product is None else matmul(matrix, product)
        exponent //= 2
        if exponent:
            matrix = matmul(matrix, matrix)
    return product
