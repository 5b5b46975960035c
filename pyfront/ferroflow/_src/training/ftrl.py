"""FTRL: follow the regularized leader."""

from __future__ import annotations

from numbers import Real
from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer


@fused
class FtrlOptimizer(Optimizer):
    """Sets each variable to the minimum of its linearized losses so far and regularizers, which makes many zero.

    Source: McMahan et al., "Ad click prediction: a view from the trenches", KDD 2013. With shrinkage,
        `2 * l2_shrinkage_regularization_strength * variable` is added to each gradient. A sparse gradient changes only
        its own rows.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        learning_rate_power: as `learning_rate`, at most zero: the power of the sum of squared gradients that the
            learning rate falls with.
        initial_accumulator_value: float of at least zero, the sum of squared gradients before the first step.
        l1_regularization_strength: as `learning_rate`, at least zero.
        l2_regularization_strength: as `learning_rate`, at least zero; the pull of the steps to zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made.
        accum_name: name of the slot with the sum of squared gradients; `name` by default.
        linear_name: name of the slot of the linear term; `name` by default.
        l2_shrinkage_regularization_strength: as `learning_rate`, at least zero; the pull of the variable to zero.

    Raises:
        ValueError: if a number is out of its range.
    """

    def __init__(
        self,
        learning_rate: Rate,
        learning_rate_power: Any = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Rate = 0.0,
        l2_regularization_strength: Rate = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: Any = 0.0,
    ) -> None:
        super().__init__(use_locking, name)
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value {initial_accumulator_value:f} needs to be be positive or zero")
        if isinstance(learning_rate_power, Real) and float(learning_rate_power) > 0.0:
            raise ValueError(f"learning_rate_power {float(learning_rate_power):f} needs to be negative or zero")
        for argument, value in (
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if isinstance(value, Real) and float(value) < 0.0:
                raise ValueError(f"{argument} {float(value):f} needs to be positive or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._accum_name = accum_name
        self._linear_name = linear_name
        self._learning_rate_tensor: Any = None
        self._l1_regularization_strength_tensor: Any = None
        self._l2_regularization_strength_tensor: Any = None
        self._l2_shrinkage_regularization_strength_tensor: Any = None
        self._learning_rate_power_tensor: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            with colocate_with(var):
                initial = constant(self._initial_accumulator_value, dtype=var.dtype.base_dtype, shape=var.get_shape())
                self._get_or_make_slot(var, initial, "accum", self._accum_name or self._name)
                self._zeros_slot(var, "linear", self._linear_name or self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = hyper_parameter(self._learning_rate, "learning_rate")
        self._l1_regularization_strength_tensor = hyper_parameter(
            self._l1_regularization_strength, "l1_regularization_strength"
        )
        self._l2_regularization_strength_tensor = hyper_parameter(
            self._l2_regularization_strength, "l2_regularization_strength"
        )
        self._l2_shrinkage_regularization_strength_tensor = hyper_parameter(
            self._l2_shrinkage_regularization_strength, "l2_shrinkage_regularization_strength"
        )
        self._learning_rate_power_tensor = hyper_parameter(self._learning_rate_power, "learning_rate_power")

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        shrinkage = self._l2_shrinkage_regularization_strength
        shrinks = not isinstance(shrinkage, Real) or float(shrinkage) > 0.0
        parameters = cast_to(
            var,
            self._learning_rate_tensor,
            self._l1_regularization_strength_tensor,
            self._l2_regularization_strength_tensor,
            *([self._l2_shrinkage_regularization_strength_tensor] if shrinks else []),
            self._learning_rate_power_tensor,
        )
        inputs = [var, self.get_slot(var, "accum"), self.get_slot(var, "linear"), *gradient, *parameters]
        return "ApplyFtrlV2" if shrinks else "ApplyFtrl", inputs, {}
