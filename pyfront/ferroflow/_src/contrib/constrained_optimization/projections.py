"""Projections of the states of constrained optimizers, and the stationary distribution of a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import ones_like
from ferroflow._src.ops.array.shaping import expand_dims
from ferroflow._src.ops.linalg.norm import norm
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import logical_and, not_equal
from ferroflow._src.ops.math.elementwise import exp, log
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import reduce_any, reduce_max, reduce_sum


def _check_float(values: Any) -> None:
    if not values.dtype.is_floating:
        raise ValueError("multipliers must have a floating-point dtype")


def _projected(values: Any, steps: int, move: Callable[[Any, Any], Any]) -> Any:
    """Moves values along the elements above 0, until no more elements become 0.

    Args:
        values: Tensor of a float dtype.
        steps: int, the greatest number of moves.
        move: function of values, and of 1 for elements above 0 and 0 for others, that returns the moved values.

    Returns:
        Tensor of the same dtype and shape.
    """

    def goes_on(iteration: Any, _: Any, positive: Any, positive_before: Any) -> Any:
        is_left = iteration < steps
        return logical_and(is_left, reduce_any(not_equal(positive, positive_before)))

    def step(iteration: Any, values: Any, positive: Any, _: Any) -> Any:
        iteration += 1
        values = move(values, positive)
        still_positive = cast(values > 0, values.dtype)
        return iteration, values * still_positive, still_positive, positive

    count = constant(0)
    positive = ones_like(values, dtype=values.dtype)
    # The first step is before the loop, because only then is there something to compare.
    first = step(count, values, positive, positive)
    return while_loop(goes_on, step, loop_vars=first, name="euclidean_projection")[1]


def project_multipliers_wrt_euclidean_norm(multipliers: Any, radius: float) -> Any:
    """Returns the nearest multipliers that are not negative, with a sum of at most `radius`.

    Args:
        multipliers: Tensor or Variable of a float dtype, of shape [constraints].
        radius: float, the greatest sum.

    Returns:
        Tensor of the same dtype and shape.

    Raises:
        ValueError: if the dtype is not a float dtype, or the shape is not known or has another rank.
    """
    _check_float(multipliers)
    shape = multipliers.get_shape()
    if shape.ndims is None:
        raise ValueError("multipliers must have known shape")
    if shape.ndims != 1:
        raise ValueError(f"multipliers must be one dimensional (instead is {shape.ndims}-dimensional)")
    if shape[0].value is None:
        raise ValueError("multipliers must have fully-known shape")

    def move(values: Any, positive: Any) -> Any:
        excess: Any = radius - reduce_sum(values)
        return values + minimum(0.0, excess / maximum(1.0, reduce_sum(positive))) * positive

    return _projected(multipliers, shape[0].value, move)


def project_stochastic_matrix_wrt_euclidean_norm(matrix: Any) -> Any:
    """Returns the nearest matrix of elements that are not negative, whose columns have sums of 1.

    Args:
        matrix: Tensor or Variable of a float dtype, of shape [n, n].

    Returns:
        Tensor of the same dtype and shape.

    Raises:
        ValueError: if the dtype is not a float dtype, or the matrix is not square, or its shape is not known.
    """
    _check_float(matrix)
    shape = matrix.get_shape()
    if shape.ndims is None:
        raise ValueError("matrix must have known shape")
    if shape.ndims != 2:
        raise ValueError(f"matrix must be two dimensional (instead is {shape.ndims}-dimensional)")
    rows, columns = shape.as_list()
    if rows != columns:
        raise ValueError(f"matrix must be square (instead has shape ({rows},{columns}))")
    if rows is None:
        raise ValueError("matrix must have fully-known shape")

    def move(values: Any, positive: Any) -> Any:
        missing: Any = 1.0 - reduce_sum(values, axis=0, keepdims=True)
        return values + missing / maximum(1.0, reduce_sum(positive, axis=0, keepdims=True)) * positive

    return _projected(matrix, rows, move)


def project_log_stochastic_matrix_wrt_kl_divergence(log_matrix: Any) -> Any:
    """Returns the logarithms of a matrix whose columns are divided by their sums.

    Args:
        log_matrix: Tensor or Variable of a float dtype, of shape [n, n]: logarithms of the elements.

    Returns:
        Tensor of the same dtype and shape.
    """
    # Without the greatest element, `exp` could overflow.
    log_matrix = log_matrix - reduce_max(log_matrix, axis=0, keepdims=True)
    return log_matrix - log(reduce_sum(exp(log_matrix), axis=0, keepdims=True))


def maximal_eigenvector_power_method(matrix: Any, epsilon: float = 1e-6, maximum_iterations: int = 100) -> Any:
    """Returns the eigenvector of the greatest eigenvalue, of length 1, found by repeated products.

    Args:
        matrix: Tensor of a float dtype, of shape [n, n].
        epsilon: float, the length of the last change at which the iterations end.
        maximum_iterations: int, the greatest number of products.

    Returns:
        Tensor of the same dtype, of shape [n].

    Raises:
        ValueError: if the dtype is not a float dtype, or another argument is not above 0.
    """
    _check_float(matrix)
    if epsilon <= 0.0:
        raise ValueError("epsilon must be strictly positive")
    if maximum_iterations <= 0:
        raise ValueError("maximum_iterations must be strictly positive")

    def goes_on(iteration: Any, vector: Any, vector_before: Any) -> Any:
        is_left = iteration < maximum_iterations
        return logical_and(is_left, norm(vector - vector_before) > epsilon)

    def step(iteration: Any, vector: Any, _: Any) -> Any:
        iteration += 1
        product: Any = matmul(matrix, expand_dims(vector, 1))[:, 0]
        return iteration, product / norm(product), vector

    count = constant(0)
    start: Any = ones_like(matrix[:, 0])
    start /= norm(start)
    return while_loop(goes_on, step, loop_vars=step(count, start, start), name="power_method")[1]
