"""Iterations over products of a matrix: conjugate gradients and Lanczos's bidiagonalization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.solvers.operators import LinearOperator, dot, l2norm_squared, l2normalize
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import identity, zeros, zeros_like
from ferroflow._src.ops.array.shaping import expand_dims, squeeze
from ferroflow._src.ops.linalg.norm import norm
from ferroflow._src.ops.math.comparison import logical_and
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.random.sampling import random_uniform
from ferroflow._src.ops.tensor_array import TensorArray


class SolverState(NamedTuple):
    """The state of a solver: steps, solution, residual, direction, and the square of the residual's length."""

    i: Tensor
    x: Tensor
    r: Tensor
    p: Tensor
    gamma: Tensor


class LanczosBidiagState(NamedTuple):
    """A bidiagonalization: left and right vectors as columns, the diagonal, and the lower diagonal."""

    u: Any
    v: Any
    alpha: Any
    beta: Any


def _vectors(state: SolverState) -> SolverState:
    return state._replace(x=squeeze(state.x), r=squeeze(state.r), p=squeeze(state.p))


def conjugate_gradient(
    operator: LinearOperator,
    rhs: Any,
    preconditioner: LinearOperator | None = None,
    x: Any = None,
    tol: float = 1e-4,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> SolverState:
    """Solves `A x = rhs` for a self-adjoint, positive definite matrix.

    Args:
        operator: LinearOperator of `A`, of shape [n, n].
        rhs: Tensor of a float dtype, of shape [n].
        preconditioner: LinearOperator whose product is near that of the inverse of `A`; None for the identity.
        x: Tensor of that dtype, of shape [n]: the first solution; None for zeros.
        tol: float, the part of the first residual's length at which the iteration ends.
        max_iter: int, the most steps.
        name: str, name scope of the operations.

    Returns:
        SolverState.
    """
    improved: Callable[[Any], Any] = identity if preconditioner is None else preconditioner.apply
    with name_scope(name):
        column = expand_dims(rhs, -1)
        start = zeros_like(column) if x is None else expand_dims(x, -1)
        residual = column if x is None else column - operator.apply(start)
        direction = improved(residual)
        limit = tol * norm(residual)

        def step(i: Any, state: SolverState) -> tuple[Any, SolverState]:
            moved = operator.apply(state.p)
            alpha = state.gamma / dot(state.p, moved)
            r = state.r - alpha * moved
            ahead = improved(r)
            gamma = dot(r, ahead)
            p = ahead + gamma / state.gamma * state.p
            return i + 1, SolverState(i + 1, state.x + alpha * state.p, r, p, gamma)

        first = SolverState(zeros([], "int32"), start, residual, direction, dot(residual, direction))
        _, state = while_loop(lambda i, state: logical_and(i < max_iter, norm(state.r) > limit), step, [first.i, first])
        return _vectors(state)


def cgls(operator: LinearOperator, rhs: Any, tol: float = 1e-6, max_iter: int = 20, name: str = "cgls") -> SolverState:
    """Finds the least squares solution of `A x = rhs` by conjugate gradients.

    Args:
        operator: LinearOperator of `A`, of shape [m, n].
        rhs: Tensor of a float dtype, of shape [m].
        tol: float, the part of the first length of the normal equations' residual at which the iteration ends.
        max_iter: int, the most steps.
        name: str, name scope of the operations.

    Returns:
        SolverState, whose `gamma` is the square of the length of the normal equations' residual.
    """
    with name_scope(name):
        column = expand_dims(rhs, -1)
        direction = operator.apply_adjoint(column)
        start = expand_dims(zeros(operator.shape[1:], column.dtype.base_dtype), -1)
        gamma = l2norm_squared(direction)
        limit = tol * tol * gamma

        def step(i: Any, state: SolverState) -> tuple[Any, SolverState]:
            moved = operator.apply(state.p)
            alpha = state.gamma / l2norm_squared(moved)
            r = state.r - alpha * moved
            normal = operator.apply_adjoint(r)
            after = l2norm_squared(normal)
            p = normal + after / state.gamma * state.p
            return i + 1, SolverState(i + 1, state.x + alpha * state.p, r, p, after)

        first = SolverState(zeros([], "int32"), start, column, direction, gamma)
        _, state = while_loop(lambda i, state: logical_and(i < max_iter, state.gamma > limit), step, [first.i, first])
        return _vectors(state)


def lanczos_bidiag(
    operator: LinearOperator,
    k: int,
    orthogonalize: bool = True,
    starting_vector: Any = None,
    name: str = "lanczos_bidiag",
) -> LanczosBidiagState:
    """Computes `k` steps of Lanczos's bidiagonalization: `A V = U B`, with a lower bidiagonal matrix `B`.

    Args:
        operator: LinearOperator of `A`, of shape [m, n].
        k: int, the number of steps.
        orthogonalize: bool. If True, each vector is made orthogonal to all before it.
        starting_vector: Tensor of the operator's dtype, of shape [m]; None for a random one.
        name: str, name scope of the operations.

    Returns:
        LanczosBidiagState: `u` of shape [m, k + 1], `v` of shape [n, k], `alpha` and `beta` of shape [k].

    Source: Golub, Kahan, Calculating the Singular Values and Pseudo-Inverse of a Matrix, 1965.
    """
    with name_scope(name):
        dtype = operator.dtype
        if starting_vector is None:
            starting_vector = random_uniform(operator.shape[:1], -1, 1, dtype=dtype)

        def against(vector: Any, basis: Any) -> Any:
            # Twice is enough: after the second pass the products are of the size of rounding errors.
            for _ in range(2 if orthogonalize else 0):
                vector = vector - matmul(basis, matmul(basis, vector, adjoint_a=True))
            return vector

        def array(size: Any) -> TensorArray:
            return TensorArray(dtype, size=size, clear_after_read=False)

        first, _ = l2normalize(expand_dims(starting_vector, -1))
        left, right = concat([first, zeros([operator.shape[0], 0], dtype)], 1), zeros([operator.shape[1], 0], dtype)

        def step(i: Any, us: Any, vs: Any, last_v: Any, last_beta: Any, alphas: Any, betas: Any) -> Any:
            u = us[:, -1:]
            v, alpha = l2normalize(against(operator.apply_adjoint(u) - last_beta * last_v, vs))
            u, beta = l2normalize(against(operator.apply(v) - alpha * u, us))
            grown = concat([us, u], 1), concat([vs, v], 1)
            return i + 1, *grown, v, beta, alphas.write(i, alpha), betas.write(i, beta)

        start = (
            zeros([], "int32"),
            left,
            right,
            zeros([operator.shape[1], 1], dtype),
            zeros([], dtype),
            array(k),
            array(k),
        )
        unknown = [None, None]
        invariants = [x.get_shape() if isinstance(x, Tensor) else x.flow.get_shape() for x in start]
        invariants[1] = TensorShape([left.get_shape()[0], unknown[0]])
        invariants[2] = TensorShape([right.get_shape()[0], unknown[0]])
        invariants[3] = TensorShape(unknown)
        _, us, vs, _, _, alphas, betas = while_loop(
            lambda i, *_: i < k, step, start, shape_invariants=tuple(invariants)
        )
        return LanczosBidiagState(us, vs, alphas.stack(), betas.stack())


def bidiag_matmul(matrix: Any, alpha: Any, beta: Any, adjoint_b: bool = False, name: str = "bidiag_matmul") -> Tensor:
    """Multiplies a matrix by a lower bidiagonal one.

    Args:
        matrix: Tensor of a float dtype, of shape [m, k + 1], or [m, k] with `adjoint_b`.
        alpha: Tensor of that dtype, of shape [k]: the diagonal.
        beta: Tensor of that dtype, of shape [k]: the lower diagonal.
        adjoint_b: bool. If True, the second matrix is the transpose of its first k rows.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype, of shape [m, k].
    """
    with name_scope(name):
        if not adjoint_b:
            sum_of_both: Tensor = matrix[:, :-1] * alpha + matrix[:, 1:] * beta
            return sum_of_both
        below = zeros_like(matrix[:, :1])
        product: Tensor = matrix * alpha + concat([below, matrix[:, :-1] * beta[:-1]], 1)
        return product
