"""Keras's optimizers that scale gradients: SGD, RMSprop, Adagrad, Adadelta and Ftrl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.built_in_optimizer import (
    BuiltInOptimizer,
    OlderWeights,
    epsilon_of,
    fused,
    momentum_of,
    read,
    with_rows,
    write,
)
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import sqrt, square
from ferroflow._src.ops.state.assigning import assign, scatter_add
from ferroflow._src.variables.initializers import Constant
from ferroflow._src.variables.resource_variable import is_resource_variable


class SGD(BuiltInOptimizer):
    """Gradient descent optimizer, with momentum.

    Args:
        learning_rate: float, LearningRateSchedule, or callable without arguments.
        momentum: float from 0 to 1, the part of the last move that is made again.
        nesterov: bool. If True, the move is Nesterov's.
        name: str, the name scope.
        **kwargs: as `Optimizer`.

    Raises:
        ValueError: if `momentum` is not from 0 to 1.
    """

    _CONFIGURED = ("momentum", "nesterov")

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        name: str | None = "SGD",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, name, **kwargs)
        self._momentum = momentum_of(momentum)
        self._set_hyper("momentum", momentum)
        self.nesterov = nesterov

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list if self._momentum else ():
            self.add_slot(var, "momentum")

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[var_device, var_dtype]["momentum"] = identity(self._get_hyper("momentum", var_dtype))

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Any, indices: Tensor, **kwargs: Any
    ) -> Any:
        if self._momentum:
            return super()._resource_apply_sparse_duplicate_indices(grad, handle, indices, **kwargs)
        rate = self._coefficients(handle, kwargs.get("apply_state"))["lr_t"]
        return scatter_add(handle, indices, -grad * rate)

    def _update(self, grad: Tensor, var: Any, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        rate, momentum = coefficients["lr_t"], coefficients["momentum"]
        if not self._momentum:
            return fused("ApplyGradientDescent", var, [var, rate, grad], None)
        last = self.get_slot(var, "momentum")
        if is_resource_variable(var):
            inputs = [var, last, rate, *with_rows(grad, indices), momentum]
            return fused("ApplyKerasMomentum", var, inputs, indices, use_nesterov=self.nesterov)
        move = momentum * read(last, indices) - rate * grad
        step = momentum * move - rate * grad if self.nesterov else move
        return group(write(last, move, indices), write(var, read(var, indices) + step, indices))


class RMSprop(OlderWeights):
    """RMSprop optimizer: divides gradients by the root of the mean of their squares.

    Args:
        learning_rate: float, LearningRateSchedule, or callable without arguments.
        rho: float, how slowly the mean changes.
        momentum: float from 0 to 1, the part of the last move that is made again.
        epsilon: float, added to the root; None for 1e-7.
        centered: bool. If True, the squared mean of gradients is subtracted from the mean of squares.
        name: str, the name scope.
        **kwargs: as `Optimizer`.

    Raises:
        ValueError: if `momentum` is not from 0 to 1.
    """

    _CONFIGURED = ("rho", "momentum", "epsilon", "centered")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float | None = 1e-7,
        centered: bool = False,
        name: str | None = "RMSprop",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, name, **kwargs)
        self._set_hyper("rho", rho)
        self._momentum = momentum_of(momentum)
        self._set_hyper("momentum", momentum)
        self.epsilon, self.centered = epsilon_of(epsilon), centered

    def _create_slots(self, var_list: list[Any]) -> None:
        names = ("rms", *(["momentum"] if self._momentum else []), *(["mg"] if self.centered else []))
        for name in names:
            for var in var_list:
                self.add_slot(var, name)

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        found = apply_state[var_device, var_dtype]
        rho = identity(self._get_hyper("rho", var_dtype))
        found["neg_lr_t"] = -found["lr_t"]
        found["epsilon"] = convert_to_tensor(self.epsilon, var_dtype)
        found["rho"] = rho
        found["momentum"] = identity(self._get_hyper("momentum", var_dtype))
        found["one_minus_rho"] = 1.0 - rho

    def _update(self, grad: Tensor, var: Any, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        squares = self.get_slot(var, "rms")
        means = self.get_slot(var, "mg") if self.centered else None
        if self._momentum:
            numbers = [coefficients[name] for name in ("lr_t", "rho", "momentum", "epsilon")]
            inputs = [*([] if means is None else [means]), squares, self.get_slot(var, "momentum"), *numbers]
            op_type = "ApplyRMSProp" if means is None else "ApplyCenteredRMSProp"
            return fused(op_type, var, [var, *inputs, *with_rows(grad, indices)], indices)
        updates = [self._averaged(squares, square(grad), indices, coefficients)]
        below = updates[0] if indices is None else gather(updates[0], indices)
        if means is not None:
            updates.append(self._averaged(means, grad, indices, coefficients))
            mean = updates[1] if indices is None else gather(updates[1], indices)
            below -= square(mean)
        if indices is None:
            moved = coefficients["lr_t"] * grad / (sqrt(below) + coefficients["epsilon"])
            return assign(var, var.read_value() - moved).op
        moved = coefficients["neg_lr_t"] * grad / (sqrt(below) + coefficients["epsilon"])
        return group(scatter_add(var, indices, moved), *updates)

    @staticmethod
    def _averaged(slot: Any, value: Tensor, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        """Returns a slot after it moved towards a value; all rows decay."""
        rho, added = coefficients["rho"], coefficients["one_minus_rho"] * value
        if indices is None:
            return assign(slot, rho * slot.read_value() + added)
        with control_dependencies([assign(slot, slot.read_value() * rho)]):
            return scatter_add(slot, indices, added)


class Adagrad(OlderWeights):
    """Adagrad optimizer: divides gradients by the root of the sum of their squares.

    Args:
        learning_rate: float, LearningRateSchedule, or callable without arguments.
        initial_accumulator_value: float from 0 on, the first value of the sums.
        epsilon: float, added to the root; None for 1e-7.
        name: str, the name scope.
        **kwargs: as `Optimizer`.

    Raises:
        ValueError: if `initial_accumulator_value` is negative.
    """

    _CONFIGURED = ("initial_accumulator_value", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float | None = 1e-7,
        name: str | None = "Adagrad",
        **kwargs: Any,
    ) -> None:
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value must be non-negative: {initial_accumulator_value}")
        super().__init__(learning_rate, name, **kwargs)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon_of(epsilon)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """Makes an optimizer with the arguments that `get_config` gave.

        Args:
            config: dict of the arguments; without `initial_accumulator_value`, as of older versions, it is 0.
            custom_objects: dict of the program's classes of schedules by name, or None.

        Returns:
            Adagrad.
        """
        return super().from_config({"initial_accumulator_value": 0.0, **config}, custom_objects)

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self.add_slot(var, "accumulator", Constant(self.initial_accumulator_value))

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[var_device, var_dtype]["epsilon"] = convert_to_tensor(self.epsilon, var_dtype)

    def _update(self, grad: Tensor, var: Any, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        total, rate, small = self.get_slot(var, "accumulator"), coefficients["lr_t"], coefficients["epsilon"]
        if is_resource_variable(var):
            return fused("ApplyAdagradV2", var, [var, total, rate, small, *with_rows(grad, indices)], indices)
        new = read(total, indices) + square(grad)
        moved = read(var, indices) - rate * grad / (sqrt(new) + small)
        return group(write(total, new, indices), write(var, moved, indices))


class Adadelta(OlderWeights):
    """Adadelta optimizer: scales gradients by the roots of the means of squared steps and squared gradients.

    Args:
        learning_rate: float, LearningRateSchedule, or callable without arguments.
        rho: float, how slowly the means change.
        epsilon: float, added to the means; None for 1e-7.
        name: str, the name scope.
        **kwargs: as `Optimizer`.
    """

    _CONFIGURED = ("rho", "epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
        epsilon: float | None = 1e-7,
        name: str | None = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, name, **kwargs)
        self._set_hyper("rho", rho)
        self.epsilon = epsilon_of(epsilon)

    def _create_slots(self, var_list: list[Any]) -> None:
        for name in ("accum_grad", "accum_var"):
            for var in var_list:
                self.add_slot(var, name)

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        found = apply_state[var_device, var_dtype]
        found["epsilon"] = convert_to_tensor(self.epsilon, var_dtype)
        found["rho"] = identity(self._get_hyper("rho", var_dtype))

    def _update(self, grad: Tensor, var: Any, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        slots = [self.get_slot(var, name) for name in ("accum_grad", "accum_var")]
        numbers = [coefficients[name] for name in ("lr_t", "rho", "epsilon")]
        return fused("ApplyAdadelta", var, [var, *slots, *numbers, *with_rows(grad, indices)], indices)


class Ftrl(BuiltInOptimizer):
    """FTRL-Proximal optimizer, for linear models with many zeros.

    Args:
        learning_rate: float, LearningRateSchedule, or callable without arguments.
        learning_rate_power: float up to 0, the power of the sums of squared gradients in the rate.
        initial_accumulator_value: float from 0 on, the first value of these sums.
        l1_regularization_strength: float from 0 on.
        l2_regularization_strength: float from 0 on.
        name: str, the name scope.
        l2_shrinkage_regularization_strength: float from 0 on, of a penalty that only acts where gradients are.
        **kwargs: as `Optimizer`.

    Raises:
        ValueError: if a number is out of its range.
    """

    _STRENGTHS = ("l1_regularization_strength", "l2_regularization_strength")
    _CONFIGURED = (
        *("initial_accumulator_value", "learning_rate_power"),
        *_STRENGTHS,
        "l2_shrinkage_regularization_strength",
    )

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        name: str | None = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, name, **kwargs)
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power:f} needs to be negative or zero")
        for key, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{key} {value:f} needs to be positive or zero")
        self._set_hyper("learning_rate_power", learning_rate_power)
        self._set_hyper("l1_regularization_strength", l1_regularization_strength)
        self._set_hyper("l2_regularization_strength", l2_regularization_strength)
        self.initial_accumulator_value = initial_accumulator_value
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self.add_slot(var, "accumulator", Constant(self.initial_accumulator_value))
            self.add_slot(var, "linear")

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        found = apply_state[var_device, var_dtype]
        for name in ("learning_rate_power", *self._STRENGTHS):
            found[name] = identity(self._get_hyper(name, var_dtype))
        found["l2_shrinkage"] = cast(self.l2_shrinkage_regularization_strength, var_dtype)

    def _update(self, grad: Tensor, var: Any, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        slots = [self.get_slot(var, name) for name in ("accumulator", "linear")]
        shrinks = self.l2_shrinkage_regularization_strength > 0.0
        names = ("lr_t", *self._STRENGTHS, *(["l2_shrinkage"] if shrinks else []), "learning_rate_power")
        inputs = [var, *slots, *with_rows(grad, indices), *(coefficients[name] for name in names)]
        return fused("ApplyFtrlV2" if shrinks else "ApplyFtrl", var, inputs, indices)
