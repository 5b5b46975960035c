"""Gradient descent with momentum."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer


@fused
class MomentumOptimizer(Optimizer):
    """Moves each variable against a decayed sum of its gradients.

    `sum = momentum * sum + gradient`, `variable -= learning_rate * sum`; with Nesterov's rule
    `variable -= learning_rate * (gradient + momentum * sum)`. A sparse gradient changes only its own rows, in the
    variable and in the sum.

    Source of Nesterov's rule: Sutskever et al., "On the importance of initialization and momentum in deep learning",
    ICML 2013.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        momentum: as `learning_rate`; the fraction of the sum that each step keeps.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slot.
        use_nesterov: If True, use Nesterov's rule.

    Example:
        >>> w = tf.Variable(1.0)
        >>> train = tf.train.MomentumOptimizer(learning_rate=0.5, momentum=0.5).minimize(2.0 * w)
        >>> sess.run(tf.global_variables_initializer())
        >>> for _ in range(3):
        ...     sess.run(train)
        ...     print(sess.run(w))
        0.0
        -1.5
        -3.25
    """

    def __init__(
        self,
        learning_rate: Rate,
        momentum: Rate,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov
        self._learning_rate_tensor: Any = None
        self._momentum_tensor: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = hyper_parameter(self._learning_rate, "learning_rate")
        self._momentum_tensor = hyper_parameter(self._momentum, "momentum")

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        rate, momentum = cast_to(var, self._learning_rate_tensor, self._momentum_tensor)
        inputs = [var, self.get_slot(var, "momentum"), rate, *gradient, momentum]
        return "ApplyMomentum", inputs, {"use_nesterov": self._use_nesterov}
