"""Keras's optimizers that average gradients: Adam, Adamax and Nadam."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.built_in_optimizer import BuiltInOptimizer, epsilon_of, fused
from ferroflow._src.keras.schedules import LearningRateSchedule
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import maximum, pow as power
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, sqrt, square
from ferroflow._src.ops.state.assigning import assign, assign_sub, scatter_add, scatter_update
from ferroflow._src.variables.resource_variable import is_resource_variable


class _Moments(BuiltInOptimizer):
    """Base of the optimizers with two decaying averages of gradients.

    Args:
        learning_rate: float, LearningRateSchedule, or callable without arguments.
        beta_1: float, how slowly the first average changes.
        beta_2: float, how slowly the second average changes.
        epsilon: float, added to denominators; None for 1e-7.
        name: str, the name scope.
        **kwargs: as `Optimizer`.
    """

    _CONFIGURED: tuple[str, ...] = ("beta_1", "beta_2", "epsilon")

    def __init__(
        self, learning_rate: Any, beta_1: float, beta_2: float, epsilon: float | None, name: str | None, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, name, **kwargs)
        self._set_hyper("beta_1", beta_1)
        self._set_hyper("beta_2", beta_2)
        self.epsilon = epsilon_of(epsilon)

    def _create_slots(self, var_list: list[Any]) -> None:
        for name in ("m", "v"):
            for var in var_list:
                self.add_slot(var, name)

    def _betas(self, var_dtype: Any) -> list[Any]:
        return [identity(self._get_hyper(name, var_dtype)) for name in ("beta_1", "beta_2")]

    @staticmethod
    def _averaged(slot: Any, value: Any, indices: Tensor | None, beta: Any) -> Any:
        """Returns a slot after it decayed by `beta` and got a value added; all rows decay."""
        if indices is None:
            return assign(slot, beta * slot.read_value() + value)
        with control_dependencies([assign(slot, slot.read_value() * beta)]):
            return scatter_add(slot, indices, value)


class Adam(_Moments):
    """Adam optimizer: divides the gradients' running mean by the root of their running mean square.

    Args:
        learning_rate: float, LearningRateSchedule, or callable without arguments.
        beta_1: float, how slowly the mean of gradients changes.
        beta_2: float, how slowly the mean of squared gradients changes.
        epsilon: float, added to the root; None for 1e-7.
        amsgrad: bool. If True, the largest mean of squared gradients so far is taken.
        name: str, the name scope.
        **kwargs: as `Optimizer`.

    Source: Kingma, Ba, Adam, 2014; Reddi, Kale, Kumar, On the Convergence of Adam and Beyond, 2018.
    """

    _CONFIGURED = ("beta_1", "beta_2", "epsilon", "amsgrad")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        amsgrad: bool = False,
        name: str | None = "Adam",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)
        self.amsgrad = amsgrad

    def _create_slots(self, var_list: list[Any]) -> None:
        super()._create_slots(var_list)
        for var in var_list if self.amsgrad else ():
            self.add_slot(var, "vhat")

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        found = apply_state[var_device, var_dtype]
        step = cast(self.iterations + 1, var_dtype)
        beta_1, beta_2 = self._betas(var_dtype)
        power_1, power_2 = power(beta_1, step), power(beta_2, step)
        found["lr"] = found["lr_t"] * (sqrt(1 - power_2) / (1 - power_1))
        found["epsilon"] = convert_to_tensor(self.epsilon, var_dtype)
        found.update(beta_1_t=beta_1, beta_1_power=power_1, one_minus_beta_1_t=1 - beta_1)
        found.update(beta_2_t=beta_2, beta_2_power=power_2, one_minus_beta_2_t=1 - beta_2)

    def set_weights(self, weights: list[Any]) -> None:
        """Assigns values to the optimizer's variables.

        Args:
            weights: list of arrays, of the dtypes and shapes of its variables, in their order; the largest means of
                squares, which older files have, are left out.

        Raises:
            ValueError: if the number of arrays is wrong, or an array has another shape.
        """
        count = (len(self.weights) - 1) // 2
        super().set_weights(weights[: len(self.weights)] if len(weights) == 3 * count + 1 else weights)

    def _update(self, grad: Tensor, var: Any, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        mean, squares = self.get_slot(var, "m"), self.get_slot(var, "v")
        largest = self.get_slot(var, "vhat") if self.amsgrad else None
        if indices is None and (largest is None or is_resource_variable(var)):
            names = ("beta_1_power", "beta_2_power", "lr_t", "beta_1_t", "beta_2_t", "epsilon")
            slots = [mean, squares, *([] if largest is None else [largest])]
            op_type = "ApplyAdam" if largest is None else "ApplyAdamWithAmsgrad"
            return fused(op_type, var, [var, *slots, *(coefficients[name] for name in names), grad], None)
        added = (grad * coefficients["one_minus_beta_1_t"], grad * grad * coefficients["one_minus_beta_2_t"])
        new_mean = self._averaged(mean, added[0], indices, coefficients["beta_1_t"])
        new_squares = self._averaged(squares, added[1], indices, coefficients["beta_2_t"])
        updates, below = [new_mean, new_squares], new_squares
        if largest is not None:
            below = assign(largest, maximum(largest.read_value(), new_squares))
            updates.append(below)
        moved = coefficients["lr"] * new_mean / (sqrt(below) + coefficients["epsilon"])
        return group(assign_sub(var, moved), *updates)


class Adamax(_Moments):
    """Adamax optimizer: Adam with a decaying maximum of gradients instead of the root.

    Args:
        learning_rate: float, LearningRateSchedule, or callable without arguments.
        beta_1: float, how slowly the mean of gradients changes.
        beta_2: float, how slowly the largest gradient decays.
        epsilon: float, added to it; None for 1e-7.
        name: str, the name scope.
        **kwargs: as `Optimizer`.

    Source: Kingma, Ba, Adam, 2014.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        name: str | None = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        found = apply_state[var_device, var_dtype]
        step = cast(self.iterations + 1, var_dtype)
        beta_1, beta_2 = self._betas(var_dtype)
        power_1 = power(beta_1, step)
        found["neg_scaled_lr"] = -found["lr_t"] / (1 - power_1)
        found["epsilon"] = convert_to_tensor(self.epsilon, var_dtype)
        found.update(beta_1_t=beta_1, beta_1_power=power_1, one_minus_beta_1_t=1 - beta_1, beta_2_t=beta_2)

    def _update(self, grad: Tensor, var: Any, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        mean, largest = self.get_slot(var, "m"), self.get_slot(var, "v")
        if indices is None:
            names = ("beta_1_power", "lr_t", "beta_1_t", "beta_2_t", "epsilon")
            return fused("ApplyAdaMax", var, [var, mean, largest, *(coefficients[name] for name in names), grad], None)
        new_mean = gather(mean, indices) * coefficients["beta_1_t"] + grad * coefficients["one_minus_beta_1_t"]
        new_largest = maximum(gather(largest, indices) * coefficients["beta_2_t"], absolute(grad))
        moved = coefficients["neg_scaled_lr"] * (new_mean / (new_largest + coefficients["epsilon"]))
        return group(
            scatter_add(var, indices, moved),
            scatter_update(mean, indices, new_mean),
            scatter_update(largest, indices, new_largest),
        )


class Nadam(_Moments):
    """Nadam optimizer: Adam with Nesterov's momentum and a warm-up.

    Args:
        learning_rate: float, or callable without arguments.
        beta_1: float, how slowly the mean of gradients changes, once it is warm.
        beta_2: float, how slowly the mean of squared gradients changes.
        epsilon: float, added to the root; None for 1e-7.
        name: str, the name scope.
        **kwargs: as `Optimizer`; `schedule_decay`, float, how fast `beta_1` is approached, instead of `decay`.

    Source: Dozat, Incorporating Nesterov Momentum into Adam, 2016.

    Raises:
        ValueError: if `learning_rate` is a LearningRateSchedule.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        name: str | None = "Nadam",
        **kwargs: Any,
    ) -> None:
        kwargs["decay"] = kwargs.pop("schedule_decay", 0.004)
        if isinstance(kwargs.get("lr", learning_rate), LearningRateSchedule):
            raise ValueError(
                "The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the learning rate."
            )
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)
        # The product of the momenta of all steps so far, and its value before this step.
        self._m_cache: Any = None
        self._m_cache_read: Any = None

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """Makes an optimizer with the arguments that `get_config` gave.

        Args:
            config: dict of the arguments; `decay` is that of the schedule.
            custom_objects: accepted; there are no schedules of the rate.

        Returns:
            Nadam.
        """
        found = dict(config)
        if "decay" in found:
            found.setdefault("schedule_decay", found.pop("decay"))
        return super().from_config(found, custom_objects)

    def _create_slots(self, var_list: list[Any]) -> None:
        if self._m_cache is None:
            dtype = var_list[0].dtype.base_dtype
            self._m_cache = self.add_weight("momentum_cache", [], dtype, "ones", trainable=False)
            self._weights.append(self._m_cache)
        super()._create_slots(var_list)

    def _prepare(self, var_list: list[Any]) -> Any:
        self._m_cache_read = identity(self._m_cache)
        return super()._prepare(var_list)

    def _prepare_local(self, var_device: Any, var_dtype: Any, apply_state: Any) -> None:
        rate = identity(self._get_hyper("learning_rate", var_dtype))
        beta_1, beta_2 = self._betas(var_dtype)
        step, following = cast(self.iterations + 1, var_dtype), cast(self.iterations + 2, var_dtype)
        base = cast(0.96, var_dtype)
        now, after = (beta_1 * (1.0 - 0.5 * power(base, self._initial_decay * number)) for number in (step, following))
        product = cast(self._m_cache_read, var_dtype) * now
        if var_dtype == self._m_cache.dtype.base_dtype:
            product = identity(assign(self._m_cache, product))
        apply_state[var_device, var_dtype] = {
            "lr_t": rate,
            "neg_lr_t": -rate,
            "epsilon": convert_to_tensor(self.epsilon, var_dtype),
            "beta_1_t": beta_1,
            "beta_2_t": beta_2,
            "m_t_1": after,
            "one_minus_beta_1_t": 1 - beta_1,
            "one_minus_beta_2_t": 1 - beta_2,
            "one_minus_m_t": 1.0 - now,
            "one_minus_m_schedule_new": 1.0 - product,
            "one_minus_m_schedule_next": 1.0 - product * after,
            "v_t_prime_denominator": 1.0 - power(beta_2, step),
        }

    def _update(self, grad: Tensor, var: Any, indices: Tensor | None, coefficients: dict[str, Any]) -> Any:
        c = coefficients
        corrected = grad / c["one_minus_m_schedule_new"]
        added = c["one_minus_beta_1_t"] * grad
        mean = self._averaged(self.get_slot(var, "m"), added, indices, c["beta_1_t"])
        added = c["one_minus_beta_2_t"] * square(grad)
        squares = self._averaged(self.get_slot(var, "v"), added, indices, c["beta_2_t"])
        rows = [x if indices is None else gather(x, indices) for x in (mean, squares)]
        move = c["one_minus_m_t"] * corrected + c["m_t_1"] * (rows[0] / c["one_minus_m_schedule_next"])
        root = sqrt(rows[1] / c["v_t_prime_denominator"]) + c["epsilon"]
        if indices is None:
            return assign(var, var.read_value() - c["lr_t"] * move / root).op
        return group(scatter_add(var, indices, c["neg_lr_t"] * move / root), mean, squares)
