"""Optimizers whose constraints have weights from the stationary distribution of a matrix."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.constrained_optimization.constrained_optimizer import RegretOptimizer
from ferroflow._src.contrib.constrained_optimization.projections import (
    maximal_eigenvector_power_method,
    project_log_stochastic_matrix_wrt_kl_divergence,
    project_stochastic_matrix_wrt_euclidean_norm,
)
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import ones, zeros
from ferroflow._src.ops.array.shaping import expand_dims
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast, to_float
from ferroflow._src.ops.math.elementwise import abs, exp, log
from ferroflow._src.ops.math.linalg import matmul, tensordot
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.training.optimizer import Optimizer


class _SwapRegretOptimizer(RegretOptimizer):
    _STATE_NAME = "swap_regret_optimizer_state"

    @abstractmethod
    def _stochastic_matrix(self, state: Any) -> Any:
        """Returns the matrix of a state, of shape [constraints + 1, constraints + 1]."""

    def _distribution(self, state: Any) -> Any:
        """Returns the weights of the objective and of the constraints, whose sum is 1."""
        found = abs(maximal_eigenvector_power_method(self._stochastic_matrix(state)))
        return found / reduce_sum(found)

    def _loss_and_ascent(self, state: Any, objective: Any, constraints: Any, proxies: Any) -> tuple[Any, Any]:
        with_zero = concat((zeros((1,), dtype=constraints.dtype), constraints), axis=0)
        parts = concat((expand_dims(objective, 0), proxies), axis=0)
        weights = self._distribution(state)
        loss = tensordot(cast(weights, parts.dtype), parts, 1)
        ascent = matmul(expand_dims(cast(with_zero, weights.dtype), 1), expand_dims(weights, 0))
        return loss, ascent


class AdditiveSwapRegretOptimizer(_SwapRegretOptimizer):
    """Optimizer with weights of constraints from a matrix, to which gradients are added.

    Args:
        optimizer: `tf.train.Optimizer` of the problem's variables.
        constraint_optimizer: `tf.train.Optimizer` of the matrix; None for `optimizer`.

    Source: Cotter, Jiang and Sridharan, Two-Player Games for Efficient Non-Convex Constrained Optimization, 2018.
    """

    def _initial_state(self, num_constraints: int) -> Tensor:
        size = num_constraints + 1
        return concat((ones((1, size)), zeros((size - 1, size))), axis=0)

    def _stochastic_matrix(self, state: Any) -> Any:
        return state

    def _projection_op(self, state: Any, name: str | None = None) -> Any:
        with colocate_with(state):
            return assign(state, project_stochastic_matrix_wrt_euclidean_norm(state), name=name)


class MultiplicativeSwapRegretOptimizer(_SwapRegretOptimizer):
    """Optimizer with weights of constraints from a matrix, to whose logarithms gradients are added.

    Args:
        optimizer: `tf.train.Optimizer` of the problem's variables.
        constraint_optimizer: `tf.train.Optimizer` of the matrix; None for `optimizer`.
        minimum_multiplier_radius: float between 0 and 1, the least sum of the elements of a column.
        initial_multiplier_radius: float of at least that, which sets the first matrix; None for the same.

    Raises:
        ValueError: if a radius is out of its range.

    Source: Cotter, Jiang and Sridharan, Two-Player Games for Efficient Non-Convex Constrained Optimization, 2018.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        constraint_optimizer: Optimizer | None = None,
        minimum_multiplier_radius: float = 1e-3,
        initial_multiplier_radius: float | None = None,
    ) -> None:
        super().__init__(optimizer, constraint_optimizer)
        if not 0.0 < minimum_multiplier_radius < 1.0:
            raise ValueError("minimum_multiplier_radius must be in the range (0,1)")
        if initial_multiplier_radius is None:
            initial_multiplier_radius = minimum_multiplier_radius
        elif initial_multiplier_radius < minimum_multiplier_radius:
            raise ValueError("initial_multiplier_radius must be in the range [minimum_multiplier_radius,1]")
        self._minimum_multiplier_radius = minimum_multiplier_radius
        self._initial_multiplier_radius = initial_multiplier_radius

    def _initial_state(self, num_constraints: int) -> Tensor:
        size = num_constraints + 1
        radius = self._initial_multiplier_radius
        first = math.log(1.0 - radius * (size - 1) / size)
        others = math.log(radius / size)
        return concat(
            (
                constant(first, dtype=dtypes.float32, shape=(1, size)),
                constant(others, dtype=dtypes.float32, shape=(size - 1, size)),
            ),
            axis=0,
        )

    def _stochastic_matrix(self, state: Any) -> Any:
        return exp(state)

    def _projection_op(self, state: Any, name: str | None = None) -> Any:
        with colocate_with(state):
            least = log(self._minimum_multiplier_radius / to_float(state.get_shape()[0].value))
            projected = maximum(project_log_stochastic_matrix_wrt_kl_divergence(state), least)
            return assign(state, projected, name=name)
