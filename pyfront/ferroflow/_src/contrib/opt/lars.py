"""`LARSOptimizer`: momentum with a learning rate for each layer."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.linalg.norm import norm
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer


@fused
class LARSOptimizer(Optimizer):
    """Momentum optimizer that scales each variable's learning rate by the ratio of the norms of variable and gradient.

    `ratio = eeta * |variable| / (|gradient| + weight_decay * |variable| + epsilon)`, and 1 if a norm is zero. The
    accumulator adds `learning_rate * ratio * (gradient + weight_decay * variable)`. Sparse gradients take part without
    a ratio and without weight decay.

    Source: You, Gitman, Ginsburg, "Large batch training of convolutional networks", 2017.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        momentum: float, not negative; how much of the accumulator stays in a step.
        weight_decay: float, not negative.
        eeta: float, the factor of the ratio.
        epsilon: float, keeps the denominator from zero.
        name: name scope of the operations made, and name of the slot.
        skip_list: list of str; variables whose names contain one of them have no ratio and no weight decay.
        use_nesterov: bool. If True, the step is Nesterov's.

    Raises:
        ValueError: if `momentum` or `weight_decay` is negative.
    """

    def __init__(
        self,
        learning_rate: Rate,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: list[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(False, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list
        self._use_nesterov = use_nesterov
        self._learning_rate_tensor: Any = None
        self._momentum_tensor: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = hyper_parameter(self._learning_rate, "learning_rate")
        self._momentum_tensor = hyper_parameter(self._momentum, "momentum")

    def compute_lr(self, grad: Tensor, var: Any) -> tuple[Any, Any]:
        """Returns the learning rate of a variable, and its gradient with weight decay.

        Args:
            grad: Tensor of the dtype and shape of `var`.
            var: a variable.

        Returns:
            The learning rate, a float or Tensor of the dtype of `var`, of shape []; and the gradient, Tensor.
        """
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        if self._skip_list is not None and any(part in var.name for part in self._skip_list):
            return rate, grad
        size, slope = norm(var, ord=2), norm(grad, ord=2)
        ratio = self._eeta * size / (slope + self._weight_decay * size + self._epsilon)
        one = cast(1.0, var.dtype.base_dtype)
        ratio = where(greater(size, 0), where(greater(slope, 0), ratio, one), one)
        return rate * ratio, grad + self._weight_decay * var

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        attrs, slot = {"use_nesterov": self._use_nesterov}, self.get_slot(var, "momentum")
        if len(gradient) == 1:
            rate, decayed = self.compute_lr(gradient[0], var)
            one = cast(1.0, var.dtype.base_dtype)
            return "ApplyMomentum", [var, slot, one, decayed * rate, self._momentum], attrs
        sparse_rate, momentum = cast_to(var, self._learning_rate_tensor, self._momentum_tensor)
        return "ApplyMomentum", [var, slot, sparse_rate, *gradient, momentum], attrs
