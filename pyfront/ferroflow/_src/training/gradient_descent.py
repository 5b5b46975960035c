"""Gradient descent."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Rate
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.training.optimizer import Optimizer
from ferroflow._src.variables.variable import reference_of


class GradientDescentOptimizer(Optimizer):
    """Gradient descent optimizer: `v -= learning_rate * gradient`.

    Args:
        learning_rate: float, scalar tensor, or function without arguments that gives one.
        use_locking: accepted; every update is atomic.
        name: name scope of the operations made.

    Example:
        >>> w = tf.Variable([1.0, 2.0])
        >>> train = tf.train.GradientDescentOptimizer(learning_rate=0.25).minimize(tf.reduce_sum(w * w))
        >>> sess.run(tf.global_variables_initializer())
        >>> sess.run(train)
        >>> print(sess.run(w))
        [0.5 1. ]
    """

    def __init__(self, learning_rate: Rate, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor: Any = None

    def _prepare(self) -> None:
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")

    def _rate(self, var: Any) -> Any:
        return cast(self._learning_rate_tensor, var.dtype.base_dtype)

    def _apply_dense(self, grad: Tensor, var: Any) -> Operation:
        return apply_op(
            "ApplyGradientDescent", [reference_of(var), self._rate(var), grad], {"use_locking": self._use_locking}
        )

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Operation:
        attrs = {"use_locking": self._use_locking}
        return apply_op("ResourceApplyGradientDescent", [var.handle, self._rate(var), grad], attrs)

    def _resource_apply_sparse_duplicate_indices(self, grad: Tensor, var: Any, indices: Tensor) -> Operation:
        # TF 1.x: a number is not rounded to float32 here.
        rate = self._learning_rate if isinstance(self._learning_rate, float | int) else self._rate(var)
        return apply_op("ResourceScatterAdd", [var.handle, indices, -grad * rate])

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        # Subtraction adds up what repeated indices bring: there is nothing to sum before.
        delta = IndexedSlices(grad.values * self._rate(var), grad.indices, grad.dense_shape)
        return var.scatter_sub(delta, use_locking=self._use_locking)
