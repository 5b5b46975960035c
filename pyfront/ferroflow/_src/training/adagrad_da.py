"""AdagradDA: Adagrad by dual averaging."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate, TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import colocate_with, device
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import identity
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer


@fused
class AdagradDAOptimizer(Optimizer):
    """Computes each variable from the sums of its gradients and squared gradients, whatever its initial value.

    `total += gradient`, `squares += gradient ** 2`, and with t the number of steps, this one counted,
    `variable = -learning_rate * sign(total) * max(abs(total) - l1 * t, 0) / (l2 * t * learning_rate + sqrt(squares))`.
    Of a sparse gradient only the rows it names change, and as if they had changed at every step. Made for linear models
    with many zeros.

    Source: Duchi, Hazan, Singer, "Adaptive subgradient methods for online learning and stochastic optimization",
    JMLR 12, 2011.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        global_step: int64 scalar variable or tensor: the steps done before.
        initial_gradient_squared_accumulator_value: float above zero, the sum of squares before the first step.
        l1_regularization_strength: float or scalar tensor, at least zero.
        l2_regularization_strength: float or scalar tensor, at least zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slots.

    Raises:
        ValueError: if `initial_gradient_squared_accumulator_value` is not above zero.
    """

    def __init__(
        self,
        learning_rate: Rate,
        global_step: TensorLike,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: Rate = 0.0,
        l2_regularization_strength: Rate = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        initial = initial_gradient_squared_accumulator_value
        if initial <= 0.0:
            raise ValueError(f"initial_gradient_squared_accumulator_value must be positive: {initial}")
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_gradient_squared_accumulator_value = initial
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step
        self._learning_rate_tensor: Any = None
        self._global_step_on_worker: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        first = self._initial_gradient_squared_accumulator_value
        for var in var_list:
            dtype, shape = var.dtype.base_dtype, var.get_shape()
            with colocate_with(var):
                total = constant(0.0, dtype=dtype, shape=shape)
                squares = constant(first, dtype=dtype, shape=shape)
            self._get_or_make_slot(var, total, "gradient_accumulator", self._name)
            self._get_or_make_slot(var, squares, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = hyper_parameter(self._learning_rate, "learning_rate")
        with colocate_with(self._learning_rate_tensor):
            self._global_step_on_worker = identity(self._global_step) + 1

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        with device(var.device):
            global_step = identity(self._global_step_on_worker)
        parameters = cast_to(
            var, self._learning_rate_tensor, self._l1_regularization_strength, self._l2_regularization_strength
        )
        slots = [self.get_slot(var, name) for name in ("gradient_accumulator", "gradient_squared_accumulator")]
        return "ApplyAdagradDA", [var, *slots, *gradient, *parameters, global_step], {}
