"""Loss scales: factors of a loss that keep its float16 gradients from becoming zero."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.replication import ReduceOp, current_mode
from ferroflow._src.framework.trackable import Trackable, TrackableReference
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.elementwise import is_finite
from ferroflow._src.ops.math.reduction import reduce_all
from ferroflow._src.variables.variable import Variable


class LossScale(Trackable, ABC):
    """Base class of loss scales: factors of a loss by which its gradients are then divided.

    A call returns the factor, `update` adapts it to gradients. Subclasses define both and `get_config`.
    """

    def __init__(self) -> None:
        self._weights: dict[tuple[str, Any], Any] = {}

    @abstractmethod
    def __call__(self) -> Any:
        """Returns the factor, a float32 Tensor of shape []."""

    @abstractmethod
    def update(self, grads: NestedTensors) -> tuple[Operation, Any]:
        """Returns the operation that adapts the factor, and if the gradients may be applied.

        Args:
            grads: nest of Tensors of float dtypes: the gradients, divided by the factor, of all replicas.

        Returns:
            The operation, and a bool or bool Tensor of shape [].
        """

    @abstractmethod
    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments by name."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LossScale:
        """Returns the loss scale that was made with these arguments.

        Args:
            config: dict, as `get_config` returns it.

        Returns:
            LossScale.
        """
        return cls(**config)

    def _add_weight(self, name: str, initial_value: Any, dtype: Any = None) -> Any:
        """Returns a new variable of the default graph, which checkpoints hold.

        Args:
            name: str, name of the variable.
            initial_value: its first value.
            dtype: its DType.

        Returns:
            Variable that is not trained.

        Raises:
            RuntimeError: if the graph has one of that name.
        """
        variable = Variable(initial_value, trainable=False, name=name, dtype=dtype, use_resource=True)
        key = (name, get_default_graph())
        if key in self._weights:
            raise RuntimeError(f"Duplicate variables detected. {key}")
        self._weights[key] = variable
        self._handle_deferred_dependencies(name=name, trackable=variable)
        return variable

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        graph = get_default_graph()
        own = [TrackableReference(name, v) for (name, of), v in self._weights.items() if of is graph]
        return [*super()._checkpoint_dependencies, *sorted(own, key=lambda reference: reference.name)]

    def _lookup_dependency(self, name: str) -> Any:
        found = super()._lookup_dependency(name)
        return self._weights.get((name, get_default_graph())) if found is None else found


class FixedLossScale(LossScale):
    """Loss scale that stays as it is.

    Args:
        loss_scale_value: int or float, the factor; at least 1.

    Raises:
        ValueError: if `loss_scale_value` is not a number, or below 1.

    Example:
        >>> scale = tf.train.experimental.FixedLossScale(128)
        >>> print(sess.run(scale()))
        128.0
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, int | float):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        """Returns the factor, a float32 Tensor of shape []."""
        return convert_to_tensor(self._loss_scale_value)

    def update(self, grads: NestedTensors) -> tuple[Operation, Any]:
        """Returns an operation that does nothing, and True.

        Args:
            grads: not used.

        Returns:
            The operation, and True.
        """
        return no_op(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments by name."""
        return {"loss_scale_value": self._loss_scale_value}


class DynamicLossScale(LossScale):
    """Loss scale that grows while gradients are finite, and shrinks when they are not.

    Args:
        initial_loss_scale: float, the first factor. It may be too large: each step with gradients that are not finite
            divides it.
        increment_period: int, the number of steps in a row with finite gradients after which the factor grows.
        multiplier: float, by which the factor is multiplied to grow, and divided to shrink. It stays at least 1.

    Example:
        >>> scale = tf.train.experimental.DynamicLossScale(initial_loss_scale=8.0, multiplier=4.0)
        >>> update, may_apply = scale.update([tf.constant(float("inf"))])
        >>> sess.run(tf.global_variables_initializer())
        >>> print(sess.run([update, may_apply])[1], sess.run(scale()))
        False 2.0
    """

    def __init__(
        self, initial_loss_scale: float = 2.0**15, increment_period: int = 2000, multiplier: float = 2.0
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = self._add_weight("current_loss_scale", self._initial_loss_scale, dtypes.float32)
        self._num_good_steps = self._add_weight("good_steps", 0, dtypes.int64)

    @property
    def initial_loss_scale(self) -> float:
        """float, the first factor."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """int, the number of steps in a row with finite gradients after which the factor grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """float, by which the factor is multiplied to grow, and divided to shrink."""
        return self._multiplier

    def __call__(self) -> Tensor:
        """Returns the factor, a float32 Tensor of shape []."""
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: NestedTensors) -> tuple[Operation, Any]:
        """Returns the operation that adapts the factor, and if all gradients are finite.

        Args:
            grads: nest of Tensors of float dtypes or None: the gradients; of all replicas under a strategy.

        Returns:
            The operation, and a bool Tensor of shape [].
        """
        finite = _are_all_finite(nest.flatten(grads))
        updated: Operation = cond(finite, self._count_step, self._shrink)
        return updated, finite

    def _count_step(self) -> Any:
        return cond(
            self._num_good_steps + 1 >= self._increment_period,
            self._grow,
            lambda: self._num_good_steps.assign_add(1).op,
        )

    def _grow(self) -> Operation:
        larger = self._current_loss_scale * self._multiplier
        grown = cond(is_finite(larger), lambda: self._current_loss_scale.assign(larger).op, no_op)
        return group(grown, self._num_good_steps.assign(0))

    def _shrink(self) -> Operation:
        smaller = maximum(self._current_loss_scale / self._multiplier, 1)
        return group(self._num_good_steps.assign(0), self._current_loss_scale.assign(smaller))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in self.get_config().items())
        return f"DynamicLossScale({shown})"

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments by name."""
        return {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self._increment_period,
            "multiplier": self._multiplier,
        }


def _are_all_finite(grads: list[Any]) -> Tensor:
    """Returns a bool tensor: True if no replica has a gradient with infinite or undefined elements."""
    mode = current_mode()
    if mode is None:
        return _are_finite(grads)

    def of_replica(own: list[Any]) -> Tensor:
        return cast(_are_finite(own), dtypes.float32)

    counts = mode.strategy.extended.call_for_each_replica(of_replica, args=(grads,))
    replicas = mode.strategy.num_replicas_in_sync
    return equal(mode.strategy.reduce(ReduceOp.SUM, counts, axis=None), replicas)


def _are_finite(grads: list[Any]) -> Tensor:
    return reduce_all([reduce_all(is_finite(gradient)) for gradient in grads if gradient is not None])


def variables_of(loss_scale: LossScale) -> list[Any]:
    """Returns the variables of a loss scale.

    Args:
        loss_scale: LossScale.

    Returns:
        list of Variables.
    """
    return list(loss_scale._weights.values())


def loss_scale_of(identifier: Any) -> LossScale | None:
    """Returns the loss scale that an argument means.

    Args:
        identifier: a number, "dynamic", LossScale or None.

    Returns:
        LossScale; None for None.

    Raises:
        ValueError: if it is something else.
    """
    if identifier is None or isinstance(identifier, LossScale):
        return identifier
    if isinstance(identifier, int | float):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")
