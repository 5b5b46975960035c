"""Loss scale managers: factors of a loss that keep its float16 gradients from becoming zero."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import BoolLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.elementwise import is_finite
from ferroflow._src.ops.state.assigning import assign, assign_add
from ferroflow._src.variables.variable import Variable


class LossScaleManager(ABC):
    """Base class of loss scale managers, which `LossScaleOptimizer` takes."""

    @abstractmethod
    def get_loss_scale(self) -> Any:
        """Returns the factor of the loss, a float32 Tensor of shape []."""

    @abstractmethod
    def update_loss_scale(self, finite_grads: BoolLike) -> Operation:
        """Returns the operation that adapts the factor.

        Args:
            finite_grads: bool Tensor of shape [], True if all gradients of the step are finite.

        Returns:
            Operation.
        """


class FixedLossScaleManager(LossScaleManager):
    """Manager of a factor that stays as it is.

    Args:
        loss_scale: float, the factor; at least 1.

    Raises:
        ValueError: if `loss_scale` is below 1.
    """

    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = convert_to_tensor(loss_scale, dtype=dtypes.float32)

    def get_loss_scale(self) -> Tensor:
        """Returns the factor, a float32 Tensor of shape []."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: BoolLike) -> Operation:
        """Returns an operation that does nothing.

        Args:
            finite_grads: not used.

        Returns:
            Operation.
        """
        return no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """Manager of a factor that grows after steps in a row with finite gradients, and shrinks after others.

    The factor stays at least 1, and finite. Each change starts both counts again.

    Args:
        init_loss_scale: float, the first factor.
        incr_every_n_steps: int, the number of steps in a row with finite gradients after which the factor grows.
        decr_every_n_nan_or_inf: int, the number of steps with other gradients after which it shrinks.
        incr_ratio: float, by which the factor is multiplied to grow.
        decr_ratio: float below 1, by which the factor is multiplied to shrink.
    """

    def __init__(
        self,
        init_loss_scale: float,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        first = convert_to_tensor(init_loss_scale, dtypes.float32)
        self._loss_scale: Any = Variable(first, trainable=False, name="loss_scale", dtype=dtypes.float32)
        self._num_good_steps: Any = Variable(0, trainable=False, name="good_steps", dtype=dtypes.int32)
        self._num_bad_steps: Any = Variable(0, trainable=False, name="bad_steps", dtype=dtypes.int32)

    def get_loss_scale(self) -> Any:
        """Returns the factor, a float32 Variable of shape []."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: BoolLike) -> Operation:
        """Returns the operation that counts the step, and adapts the factor.

        Args:
            finite_grads: bool Tensor of shape [], True if all gradients of the step are finite.

        Returns:
            Operation.
        """
        updated: Operation = cond(finite_grads, self._count_good_step, self._count_bad_step)
        return updated

    def _change(self, factor: Any) -> Operation:
        changed = assign(self._loss_scale, factor)
        return group(changed, group(assign(self._num_good_steps, 0), assign(self._num_bad_steps, 0)))

    def _count_good_step(self) -> Any:
        return cond(
            self._num_good_steps + 1 >= self._incr_every_n_steps,
            self._grow,
            lambda: assign_add(self._num_good_steps, 1).op,
        )

    def _grow(self) -> Operation:
        larger = cond(
            is_finite(self._loss_scale * self._incr_ratio),
            lambda: self._loss_scale * self._incr_ratio,
            lambda: self._loss_scale,
        )
        return self._change(larger)

    def _count_bad_step(self) -> Any:
        return cond(
            self._num_bad_steps + 1 >= self._decr_every_n_nan_or_inf,
            lambda: self._change(maximum(1.0, self._loss_scale * self._decr_ratio)),
            lambda: group(assign_add(self._num_bad_steps, 1), assign(self._num_good_steps, 0)),
        )
