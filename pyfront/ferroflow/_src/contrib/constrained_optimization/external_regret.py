"""`AdditiveExternalRegretOptimizer`: gradients of a Lagrangian, with bounded multipliers."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.constrained_optimization.constrained_optimizer import RegretOptimizer
from ferroflow._src.contrib.constrained_optimization.projections import project_multipliers_wrt_euclidean_norm
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.linalg import tensordot
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.training.optimizer import Optimizer


class AdditiveExternalRegretOptimizer(RegretOptimizer):
    """Optimizer that adds the constraints to the objective, with multipliers that grow while constraints are violated.

    Args:
        optimizer: `tf.train.Optimizer` of the problem's variables.
        constraint_optimizer: `tf.train.Optimizer` of the multipliers; None for `optimizer`.
        maximum_multiplier_radius: float, the greatest sum of the multipliers; None for no bound.

    Raises:
        ValueError: if `maximum_multiplier_radius` is negative.

    Source: Cotter, Jiang and Sridharan, Two-Player Games for Efficient Non-Convex Constrained Optimization, 2018.
    """

    _STATE_NAME = "external_regret_optimizer_state"

    def __init__(
        self,
        optimizer: Optimizer,
        constraint_optimizer: Optimizer | None = None,
        maximum_multiplier_radius: float | None = None,
    ) -> None:
        super().__init__(optimizer, constraint_optimizer)
        if maximum_multiplier_radius and maximum_multiplier_radius <= 0.0:
            raise ValueError("maximum_multiplier_radius must be strictly positive")
        self._maximum_multiplier_radius = maximum_multiplier_radius

    def _initial_state(self, num_constraints: int) -> Tensor:
        return zeros((num_constraints,), dtype=dtypes.float32)

    def _lagrange_multipliers(self, state: Any) -> Any:
        """Returns the multipliers of a state, of shape [constraints]."""
        return state

    def _loss_and_ascent(self, state: Any, objective: Any, constraints: Any, proxies: Any) -> tuple[Any, Any]:
        multipliers = self._lagrange_multipliers(state)
        weights = multipliers if multipliers.dtype.base_dtype == proxies.dtype else cast(multipliers, proxies.dtype)
        return objective + tensordot(weights, proxies, 1), cast(constraints, multipliers.dtype)

    def _projection_op(self, state: Any, name: str | None = None) -> Any:
        with colocate_with(state):
            if self._maximum_multiplier_radius:
                projected = project_multipliers_wrt_euclidean_norm(state, self._maximum_multiplier_radius)
            else:
                projected = maximum(state, 0.0)
            return assign(state, projected, name=name)
