"""Optimizers whose steps are followed by the proximal operator of L1 and L2 penalties."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer


class _Penalties:
    """The learning rate and the penalties of a proximal optimizer."""

    def __init__(self, learning_rate: Any, l1: Any, l2: Any) -> None:
        self._given = (learning_rate, l1, l2)
        self._tensors: list[Tensor] = []

    def prepare(self) -> None:
        """Makes tensors of them."""
        names = ("learning_rate", "l1_regularization_strength", "l2_regularization_strength")
        self._tensors = [hyper_parameter(value, name) for value, name in zip(self._given, names, strict=True)]

    def of(self, var: Any) -> list[Tensor]:
        """Returns them in the dtype of a variable."""
        return cast_to(var, *self._tensors)


@fused
class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent, each step followed by the proximal operator of the penalties.

    `moved = variable - learning_rate * gradient`,
    `variable = sign(moved) * max(abs(moved) - learning_rate * l1, 0) / (1 + learning_rate * l2)`. A sparse gradient
    changes only its own rows.

    Source: Duchi, Singer, "Efficient learning using forward-backward splitting", NIPS 2009.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        l1_regularization_strength: as `learning_rate`, at least zero.
        l2_regularization_strength: as `learning_rate`, at least zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made.
    """

    def __init__(
        self,
        learning_rate: Rate,
        l1_regularization_strength: Rate = 0.0,
        l2_regularization_strength: Rate = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._penalties = _Penalties(learning_rate, l1_regularization_strength, l2_regularization_strength)

    def _prepare(self) -> None:
        self._penalties.prepare()

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        return "ApplyProximalGradientDescent", [var, *self._penalties.of(var), *gradient], {}


@fused
class ProximalAdagradOptimizer(Optimizer):
    """Adagrad, each step followed by the proximal operator of the penalties.

    `sum += gradient ** 2`, `rate = learning_rate / sqrt(sum)`, and then as `ProximalGradientDescentOptimizer` with that
    rate. A sparse gradient changes only its own rows.

    Source: Duchi, Singer, "Efficient learning using forward-backward splitting", NIPS 2009.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        initial_accumulator_value: float above zero, the sum before the first step.
        l1_regularization_strength: as `learning_rate`, at least zero.
        l2_regularization_strength: as `learning_rate`, at least zero.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slot.

    Raises:
        ValueError: if `initial_accumulator_value` is not above zero.
    """

    def __init__(
        self,
        learning_rate: Rate,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Rate = 0.0,
        l2_regularization_strength: Rate = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._penalties = _Penalties(learning_rate, l1_regularization_strength, l2_regularization_strength)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            with colocate_with(var):
                initial = constant(self._initial_accumulator_value, dtype=var.dtype.base_dtype, shape=var.get_shape())
            self._get_or_make_slot(var, initial, "accumulator", self._name)

    def _prepare(self) -> None:
        self._penalties.prepare()

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        inputs = [var, self.get_slot(var, "accumulator"), *self._penalties.of(var), *gradient]
        return "ApplyProximalAdagrad", inputs, {}
