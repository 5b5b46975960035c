"""RMSProp."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import ones_like
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.initializers import Ones


@fused
class RMSPropOptimizer(Optimizer):
    """Divides each gradient by the root of its running mean square.

    `mean += (1 - decay) * (gradient ** 2 - mean)`,
    `step = momentum * step + learning_rate * gradient / sqrt(mean + epsilon)`, `variable -= step`. If `centered` is
    True, the square of the gradient's running mean is subtracted from `mean` under the root. A sparse gradient changes
    only its own rows, in the variable and in the slots.

    Source: Tieleman, Hinton, "Neural networks for machine learning", lecture 6e, 2012.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        decay: as `learning_rate`; the fraction of the means that each step keeps.
        momentum: as `learning_rate`; the fraction of the last step that is added again.
        epsilon: as `learning_rate`; keeps the denominator from zero.
        use_locking: accepted; every update is atomic.
        centered: If True, gradients are divided by the root of their running variance.
        name: name scope of the operations made, and name of the slots.

    Example:
        >>> w = tf.Variable(5.0)
        >>> train = tf.train.RMSPropOptimizer(learning_rate=0.1).minimize(tf.square(w - 3.0))
        >>> sess.run(tf.global_variables_initializer())
        >>> for _ in range(100):
        ...     sess.run(train)
        >>> print(sess.run(w).round(1))
        3.0
    """

    def __init__(
        self,
        learning_rate: Rate,
        decay: Rate = 0.9,
        momentum: Rate = 0.0,
        epsilon: Rate = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._learning_rate_tensor: Any = None
        self._decay_tensor: Any = None
        self._momentum_tensor: Any = None
        self._epsilon_tensor: Any = None

    def _first_mean(self, var: Any) -> Any:
        """Returns the initial value, or its initializer, of a variable's mean squared gradient."""
        return Ones(var.dtype.base_dtype) if var.get_shape().is_fully_defined() else ones_like(var)

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            dtype, shape = var.dtype.base_dtype, var.get_shape()
            self._get_or_make_slot_with_initializer(var, self._first_mean(var), shape, dtype, "rms", self._name)
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = hyper_parameter(self._learning_rate, "learning_rate")
        self._decay_tensor = hyper_parameter(self._decay, "decay")
        self._momentum_tensor = hyper_parameter(self._momentum, "momentum")
        self._epsilon_tensor = hyper_parameter(self._epsilon, "epsilon")

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        names = ("mg", "rms", "momentum") if self._centered else ("rms", "momentum")
        parameters = cast_to(
            var, self._learning_rate_tensor, self._decay_tensor, self._momentum_tensor, self._epsilon_tensor
        )
        inputs = [var, *(self.get_slot(var, name) for name in names), *parameters, *gradient]
        return "ApplyCenteredRMSProp" if self._centered else "ApplyRMSProp", inputs, {}
