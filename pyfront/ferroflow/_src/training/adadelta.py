"""Adadelta."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer


@fused
class AdadeltaOptimizer(Optimizer):
    """Scales each gradient by the root of the running mean squares of past steps and past gradients.

    `mean += (1 - rho) * (gradient ** 2 - mean)`, `step = gradient * sqrt(steps + epsilon) / sqrt(mean + epsilon)`,
    `steps += (1 - rho) * (step ** 2 - steps)`, `variable -= learning_rate * step`. A sparse gradient changes only its
    own rows.

    Source: Zeiler, "ADADELTA: an adaptive learning rate method", arXiv:1212.5701; there the learning rate is 1.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        rho: as `learning_rate`; the fraction of the means that each step keeps.
        epsilon: as `learning_rate`; keeps the roots from zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slots.
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: Rate = 0.95,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon
        self._lr_t: Any = None
        self._rho_t: Any = None
        self._epsilon_t: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)

    def _prepare(self) -> None:
        self._lr_t = hyper_parameter(self._lr, "lr")
        self._rho_t = hyper_parameter(self._rho, "rho")
        self._epsilon_t = hyper_parameter(self._epsilon, "epsilon")

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        means = [self.get_slot(var, "accum"), self.get_slot(var, "accum_update")]
        parameters = cast_to(var, self._lr_t, self._rho_t, self._epsilon_t)
        return "ApplyAdadelta", [var, *means, *parameters, *gradient], {}
