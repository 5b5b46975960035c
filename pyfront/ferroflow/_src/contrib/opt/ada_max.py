"""AdaMax."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.elementwise import abs
from ferroflow._src.ops.state.assigning import scatter_add, scatter_update
from ferroflow._src.training.adam import AdamOptimizer
from ferroflow._src.training.fused_optimizer import cast_to


class AdaMaxOptimizer(AdamOptimizer):
    """AdaMax optimizer: moves each variable by its running mean gradient over its decayed maximum gradient.

    In step t, `m += (1 - beta1) * (gradient - m)`, `v = max(beta2 * v, abs(gradient))`,
    `variable -= learning_rate / (1 - beta1 ** t) * m / (v + epsilon)`. A sparse gradient changes only its own rows, in
    the variable and in the slots.

    Source: Kingma, Ba, "Adam: a method for stochastic optimization", ICLR 2015, section 7.1.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        beta1: as `learning_rate`; the fraction of the mean gradient that each step keeps.
        beta2: as `learning_rate`; how much of the largest gradient stays in a step.
        epsilon: as `learning_rate`; keeps the denominator from zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slots.
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: Rate = 0.9,
        beta2: Rate = 0.999,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _get_beta_accumulators(self) -> Any:
        return self._get_non_slot_variable("beta1_power", get_default_graph())

    def _create_slots(self, var_list: list[Any]) -> None:
        first = min(var_list, key=lambda v: v.name)
        beta1 = self._beta1() if callable(self._beta1) else self._beta1
        self._create_non_slot_variable(beta1, "beta1_power", first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _parameters(self, var: Any) -> list[Tensor]:
        return cast_to(var, self._get_beta_accumulators(), self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        slots = [self.get_slot(var, "m"), self.get_slot(var, "v")]
        return "ApplyAdaMax", [var, *slots, *self._parameters(var), *gradient], {}

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        beta1_power, lr, beta1, beta2, epsilon = self._parameters(var)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        rows, locking = grad.indices, self._use_locking
        new_m = gather(m, rows) * beta1 + grad.values * (1 - beta1)
        new_v = maximum(gather(v, rows) * beta2, abs(grad.values))
        step = -lr / (1 - beta1_power) * (new_m / (new_v + epsilon))
        return group(
            scatter_add(var, rows, step, use_locking=locking),
            scatter_update(m, rows, new_m, use_locking=locking),
            scatter_update(v, rows, new_v, use_locking=locking),
        )

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        power = self._get_beta_accumulators()
        with control_dependencies(update_ops), colocate_with(power):
            updated = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return group(*update_ops, updated, name=name_scope)
