"""Adagrad."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import fill
from ferroflow._src.ops.array.shaping import shape as shape_of
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.training.fused_optimizer import cast_to, fused, hyper_parameter
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.initializers import Constant


@fused
class AdagradOptimizer(Optimizer):
    """Divides each gradient by the root of the sum of its squares so far.

    `sum += gradient ** 2`, `variable -= learning_rate * gradient / sqrt(sum)`. A sparse gradient changes only its own
    rows.

    Source: Duchi, Hazan, Singer, "Adaptive subgradient methods for online learning and stochastic optimization",
    JMLR 12, 2011.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        initial_accumulator_value: float above zero, the sum before the first step.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made, and name of the slot.

    Raises:
        ValueError: if `initial_accumulator_value` is not above zero.

    Example:
        >>> w = tf.Variable([5.0, -1.0])
        >>> train = tf.train.AdagradOptimizer(learning_rate=0.5).minimize(tf.reduce_sum(tf.square(w - 3.0)))
        >>> sess.run(tf.global_variables_initializer())
        >>> for _ in range(100):
        ...     sess.run(train)
        >>> print(sess.run(w).round(2))
        [3.   2.98]
    """

    def __init__(
        self,
        learning_rate: Rate,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._learning_rate_tensor: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            dtype, shape = var.dtype.base_dtype, var.get_shape()
            initial: Any = Constant(self._initial_accumulator_value, dtype=dtype)
            if not shape.is_fully_defined():
                with colocate_with(var):
                    initial = cast(fill(shape_of(var), self._initial_accumulator_value), dtype)
            self._get_or_make_slot_with_initializer(var, initial, shape, dtype, "accumulator", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = hyper_parameter(self._learning_rate, "learning_rate")

    def _update_op(self, var: Any, gradient: list[Tensor]) -> tuple[str, list[Any], dict[str, Any]]:
        inputs = [var, self.get_slot(var, "accumulator"), *cast_to(var, self._learning_rate_tensor), *gradient]
        return "ApplyAdagrad", inputs, {}
