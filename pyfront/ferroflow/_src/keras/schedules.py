"""Learning rates of Keras's optimizers that change with the step."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

from ferroflow._src.base.typing import ListLike, TensorLike
from ferroflow._src.framework.conversion import convert_n_to_tensor, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.custom_objects import arguments_in, get_custom_objects
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.training import cosine_decay, learning_rate_decay


class LearningRateSchedule(abc.ABC):
    """Base of the schedules, which compute a learning rate from a step; a subclass defines `__call__`."""

    # The arguments of the constructor, in its order, which are also attributes.
    _ARGUMENTS: tuple[str, ...] = ()

    @abc.abstractmethod
    def __call__(self, step: TensorLike) -> Tensor:
        """Returns the learning rate at a step.

        Args:
            step: number, or Tensor of int32 or int64, of shape []: the number of steps made.

        Returns:
            Tensor of a float dtype, of shape [].
        """
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal one.

        Returns:
            dict of str to any.

        Raises:
            NotImplementedError: if the class does not override this method.
        """
        if not self._ARGUMENTS:
            raise NotImplementedError("Learning rate schedule must override get_config")
        return {name: getattr(self, name) for name in self._ARGUMENTS}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a schedule from the result of `get_config`.

        Args:
            config: dict of arguments.

        Returns:
            LearningRateSchedule of this class.
        """
        return cls(**config)


class _DecayByRate(LearningRateSchedule):
    """Base of the schedules that have a rate by which they fall in some steps."""

    _ARGUMENTS = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        decay_steps: TensorLike,
        decay_rate: TensorLike,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps, self.decay_rate = initial_learning_rate, decay_steps, decay_rate
        self.staircase, self.name = staircase, name


class ExponentialDecay(_DecayByRate):
    """Schedule `initial_learning_rate * decay_rate ** (step / decay_steps)`.

    Args:
        initial_learning_rate: float, or Tensor of float32 or float64, of shape []: the rate at step 0.
        decay_steps: number, or Tensor of int32 or int64, of shape []: the steps after which the rate is multiplied.
        decay_rate: as `initial_learning_rate`: the factor.
        staircase: bool. If True, the rate falls after each `decay_steps` only.
        name: str, name of the operation; None for the default.
    """

    def __call__(self, step: TensorLike) -> Tensor:
        return learning_rate_decay.exponential_decay(
            self.initial_learning_rate, step, self.decay_steps, self.decay_rate, self.staircase, self.name
        )


class InverseTimeDecay(_DecayByRate):
    """Schedule `initial_learning_rate / (1 + decay_rate * step / decay_steps)`.

    Args:
        initial_learning_rate: float, or Tensor of float32 or float64, of shape []: the rate at step 0.
        decay_steps: number, or Tensor of int32 or int64, of shape [].
        decay_rate: as `initial_learning_rate`.
        staircase: bool. If True, the rate falls after each `decay_steps` only.
        name: str, name of the operation; None for the default.
    """

    def __call__(self, step: TensorLike) -> Tensor:
        return learning_rate_decay.inverse_time_decay(
            self.initial_learning_rate, step, self.decay_steps, self.decay_rate, self.staircase, self.name
        )


class PiecewiseConstantDecay(LearningRateSchedule):
    """Schedule of one value for each interval of steps.

    Args:
        boundaries: list of n growing numbers, or of Tensors of shape []: the last step of each interval but one.
        values: list of n + 1 numbers, or of Tensors of shape [], of one dtype.
        name: str, name scope of the operations; None for the default.

    Raises:
        ValueError: if there is not one value more than there are boundaries.
    """

    _ARGUMENTS = ("boundaries", "values", "name")

    def __init__(self, boundaries: ListLike, values: ListLike, name: str | None = None) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError("The length of boundaries should be 1 less than the length of values")
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: TensorLike) -> Tensor:
        """Returns the learning rate at a step.

        Args:
            step: number, or Tensor of a real dtype, of shape []; boundaries are cast to its dtype.

        Returns:
            Tensor of the dtype of `values`, of shape [].
        """
        with name_scope(self.name or "PiecewiseConstant"):
            bounds, rates = convert_n_to_tensor(self.boundaries), convert_n_to_tensor(self.values)
            now = convert_to_tensor(step)
            bounds = [cast(bound, now.dtype.base_dtype) for bound in bounds]
            return learning_rate_decay.value_of_interval(now, bounds, rates)


class PolynomialDecay(LearningRateSchedule):
    """Schedule that falls to `end_learning_rate` as a power of the steps that are left.

    Args:
        initial_learning_rate: float, or Tensor of float32 or float64, of shape []: the rate at step 0.
        decay_steps: number, or Tensor of int32 or int64, of shape []: the steps after which the end is reached.
        end_learning_rate: as `initial_learning_rate`.
        power: as `initial_learning_rate`.
        cycle: bool. If True, the rate rises again each time it has reached the end.
        name: str, name of the operation; None for the default.
    """

    _ARGUMENTS = ("initial_learning_rate", "decay_steps", "end_learning_rate", "power", "cycle", "name")

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        decay_steps: TensorLike,
        end_learning_rate: TensorLike = 0.0001,
        power: TensorLike = 1.0,
        cycle: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power, self.cycle, self.name = end_learning_rate, power, cycle, name

    def __call__(self, step: TensorLike) -> Tensor:
        return learning_rate_decay.polynomial_decay(
            self.initial_learning_rate,
            step,
            self.decay_steps,
            self.end_learning_rate,
            self.power,
            self.cycle,
            self.name,
        )


class CosineDecay(LearningRateSchedule):
    """Schedule of half a cosine from `initial_learning_rate` to `alpha * initial_learning_rate`.

    Args:
        initial_learning_rate: float, or Tensor of float32 or float64, of shape []: the rate at step 0.
        decay_steps: number, or Tensor of int32 or int64, of shape []: the steps after which the end is reached.
        alpha: as `initial_learning_rate`: the part of the rate that is left in the end.
        name: str, name scope of the operations; None for the default.
    """

    _ARGUMENTS = ("initial_learning_rate", "decay_steps", "alpha", "name")

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        decay_steps: TensorLike,
        alpha: TensorLike = 0.0,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.alpha, self.name = alpha, name

    def __call__(self, step: TensorLike) -> Tensor:
        return cosine_decay.cosine_decay(self.initial_learning_rate, step, self.decay_steps, self.alpha, self.name)


class CosineDecayRestarts(LearningRateSchedule):
    """Schedule of half cosines, each of which begins again where the last one ends.

    Args:
        initial_learning_rate: float, or Tensor of float32 or float64, of shape []: the rate at step 0.
        first_decay_steps: number, or Tensor of int32 or int64, of shape []: the steps of the first half cosine.
        t_mul: as `initial_learning_rate`: how much longer each one is than the last.
        m_mul: as `initial_learning_rate`: the factor between the first rates of two of them.
        alpha: as `initial_learning_rate`: the part of the rate that is left in the end.
        name: str, name of the operation; None for the default.
    """

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        first_decay_steps: TensorLike,
        t_mul: TensorLike = 2.0,
        m_mul: TensorLike = 1.0,
        alpha: TensorLike = 0.0,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.first_decay_steps = initial_learning_rate, first_decay_steps
        self._t_mul, self._m_mul, self.alpha, self.name = t_mul, m_mul, alpha, name

    def __call__(self, step: TensorLike) -> Tensor:
        return cosine_decay.cosine_decay_restarts(
            self.initial_learning_rate, step, self.first_decay_steps, self._t_mul, self._m_mul, self.alpha, self.name
        )

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal one."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "first_decay_steps": self.first_decay_steps,
            "t_mul": self._t_mul,
            "m_mul": self._m_mul,
            "alpha": self.alpha,
            "name": self.name,
        }


class LinearCosineDecay(LearningRateSchedule):
    """Schedule of a cosine under a line that falls from 1 to 0.

    Args:
        initial_learning_rate: float, or Tensor of float32 or float64, of shape []: the rate's scale.
        decay_steps: number, or Tensor of int32 or int64, of shape []: the steps after which the end is reached.
        num_periods: as `initial_learning_rate`: the periods of the cosine in these steps.
        alpha: as `initial_learning_rate`, added to the line.
        beta: as `initial_learning_rate`, added to the product.
        name: str, name of the operation; None for the default.
    """

    _ARGUMENTS: tuple[str, ...] = (
        "initial_learning_rate",
        "decay_steps",
        "num_periods",
        "alpha",
        "beta",
        "name",
    )

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        decay_steps: TensorLike,
        num_periods: TensorLike = 0.5,
        alpha: TensorLike = 0.0,
        beta: TensorLike = 0.001,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps, self.num_periods = initial_learning_rate, decay_steps, num_periods
        self.alpha, self.beta, self.name = alpha, beta, name

    def __call__(self, step: TensorLike) -> Tensor:
        return cosine_decay.linear_cosine_decay(
            self.initial_learning_rate, step, self.decay_steps, self.num_periods, self.alpha, self.beta, self.name
        )


class NoisyLinearCosineDecay(LearningRateSchedule):
    """Schedule as `LinearCosineDecay`, with noise on the line that gets smaller.

    Args:
        initial_learning_rate: float, or Tensor of float32 or float64, of shape []: the rate's scale.
        decay_steps: number, or Tensor of int32 or int64, of shape []: the steps after which the end is reached.
        initial_variance: as `initial_learning_rate`: the variance of the noise at step 0.
        variance_decay: as `initial_learning_rate`: the variance is divided by `(1 + step) ** variance_decay`.
        num_periods: as `initial_learning_rate`: the periods of the cosine in these steps.
        alpha: as `initial_learning_rate`, added to the line.
        beta: as `initial_learning_rate`, added to the product.
        name: str, name of the operation; None for the default.
    """

    _ARGUMENTS = (
        "initial_learning_rate",
        "decay_steps",
        "initial_variance",
        "variance_decay",
        "num_periods",
        "alpha",
        "beta",
        "name",
    )

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        decay_steps: TensorLike,
        initial_variance: TensorLike = 1.0,
        variance_decay: TensorLike = 0.55,
        num_periods: TensorLike = 0.5,
        alpha: TensorLike = 0.0,
        beta: TensorLike = 0.001,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.initial_variance, self.variance_decay = initial_variance, variance_decay
        self.num_periods, self.alpha, self.beta, self.name = num_periods, alpha, beta, name

    def __call__(self, step: TensorLike) -> Tensor:
        return cosine_decay.noisy_linear_cosine_decay(
            self.initial_learning_rate,
            step,
            self.decay_steps,
            self.initial_variance,
            self.variance_decay,
            self.num_periods,
            self.alpha,
            self.beta,
            self.name,
        )


_CLASSES: dict[str, Any] = {
    c.__name__: c
    for c in (
        ExponentialDecay,
        InverseTimeDecay,
        PiecewiseConstantDecay,
        PolynomialDecay,
        CosineDecay,
        CosineDecayRestarts,
        LinearCosineDecay,
        NoisyLinearCosineDecay,
        LearningRateSchedule,
    )
}


def serialize(learning_rate_schedule: Any) -> dict[str, Any]:
    """Returns the class of a schedule and its arguments.

    Args:
        learning_rate_schedule: LearningRateSchedule.

    Returns:
        dict of `class_name` and `config`.
    """
    return {"class_name": type(learning_rate_schedule).__name__, "config": learning_rate_schedule.get_config()}


def deserialize(config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a schedule of the result of `serialize`.

    Args:
        config: dict of `class_name` and `config`, dict of the arguments.
        custom_objects: dict of the program's classes by name, or None.

    Returns:
        LearningRateSchedule.

    Raises:
        ValueError: if the class is unknown, or `config` is no such dict.
    """
    if not isinstance(config, Mapping) or "class_name" not in config or "config" not in config:
        raise ValueError(f"Improper config format: {config}")
    name = config["class_name"]
    known = {**_CLASSES, **get_custom_objects(), **(custom_objects or {})}
    if name not in known:
        raise ValueError(f"Unknown decay: {name}")
    return known[name].from_config(arguments_in(config))
