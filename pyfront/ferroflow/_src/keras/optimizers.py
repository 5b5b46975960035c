"""Keras's optimizers: how variables move with the gradients of a loss."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import numpy as np

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.keras.backend import batch_get_value, batch_set_value, get_value, number
from ferroflow._src.keras.named import find
from ferroflow._src.keras.replicas import summed_over_replicas
from ferroflow._src.keras.schedules import (
    LearningRateSchedule,
    deserialize as deserialize_schedule,
    serialize as serialize_schedule,
)
from ferroflow._src.keras.settings import epsilon
from ferroflow._src.ops.math.arithmetic import maximum, pow as power
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_global_norm, clip_by_value
from ferroflow._src.ops.math.elementwise import abs as absolute, sqrt, square
from ferroflow._src.ops.state.assigning import assign, assign_add
from ferroflow._src.training import optimizer as graph_optimizer
from ferroflow._src.variables.variable import Variable


class Optimizer:
    """Base of the optimizers, which update variables with the gradients of a loss; a subclass defines `get_updates`.

    Args:
        **kwargs: `clipnorm`, float, the norm that all gradients together are scaled down to; `clipvalue`, float, the
            size that their elements are cut to.

    Raises:
        TypeError: if a keyword argument is unknown.
    """

    weights: list[Any]
    updates: list[Any]

    def __init__(self, **kwargs: Any) -> None:
        for name in kwargs:
            if name not in ("clipnorm", "clipvalue"):
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {name}")
        vars(self).update(kwargs)
        self.weights = []
        self.updates = []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} optimizer of {len(vars(self).get('weights', ()))} variables>"

    def get_updates(self, loss: NestedTensors, params: list[Any]) -> list[Any]:
        """Returns the operations of one step; a subclass overrides it.

        Args:
            loss: Tensor of a float dtype, of shape [].
            params: list of Variables of float dtypes.

        Returns:
            list of Operations, or of Tensors of any dtype and shape, or of tuples of a Variable and its new value.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError(f"{type(self).__name__} is to override get_updates(loss, params).")

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """Returns the clipped gradients of a loss; in the scope of a strategy, their sums over all replicas.

        Args:
            loss: Tensor of a float dtype, of shape [].
            params: list of Variables of float dtypes.

        Returns:
            list of Tensors, of the dtypes and shapes of `params`.

        Raises:
            ValueError: if the loss does not depend on a variable.
        """
        params = list(params) if isinstance(params, (list, tuple)) else [params]
        found = gradients(loss, params)
        for variable, gradient in zip(params, found, strict=True):
            if gradient is None:
                raise ValueError(
                    f"The loss does not depend on {variable.name} through operations with gradients. Remove the layer "
                    "from the model, or set its `trainable` to False."
                )
        dense = [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in summed_over_replicas(found)]
        norm, size = getattr(self, "clipnorm", 0), getattr(self, "clipvalue", 0)
        if norm > 0:
            dense = clip_by_global_norm(dense, norm)[0]
        if size > 0:
            dense = [clip_by_value(g, -size, size) for g in dense]
        return dense

    def get_weights(self) -> list[Any]:
        """Returns the values of its variables."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: list[Any]) -> None:
        """Assigns values to the optimizer's variables.

        Args:
            weights: list of arrays, of the dtypes and shapes of its variables, in their order.

        Raises:
            ValueError: if the number of arrays is wrong, or an array has another shape.
        """
        if len(weights) != len(self.weights):
            raise ValueError(
                f"Length of the specified weight list ({len(weights)}) does not match the number of weights of the "
                f"optimizer ({len(self.weights)})"
            )
        batch_set_value(list(zip(self.weights, weights, strict=True)))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        return {name: getattr(self, name) for name in ("clipnorm", "clipvalue") if hasattr(self, name)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes an optimizer with the arguments that `get_config` gave.

        Args:
            config: dict of the arguments.

        Returns:
            Optimizer of this class.
        """
        return cls(**config)


class _Descent(Optimizer, abc.ABC):
    """An optimizer that updates one variable after the other, with a variable as learning rate.

    Args:
        lr: float, the learning rate; a variable, whose value can be changed between batches. A LearningRateSchedule
            gives the rate of each step.
        decay: float, by which the rate is divided by 1 + decay * batches.
        **kwargs: as `Optimizer`; `learning_rate`, which stands for `lr`.
    """

    def __init__(self, lr: float | LearningRateSchedule, decay: float = 0.0, **kwargs: Any) -> None:
        given: Any = kwargs.pop("learning_rate", lr)
        # A configuration has a schedule as a dict.
        given = deserialize_schedule(given) if isinstance(given, Mapping) else given
        super().__init__(**kwargs)
        self._schedule: Any = given if isinstance(given, LearningRateSchedule) else None
        with name_scope(type(self).__name__):
            self.iterations = number(0, "iterations", dtypes.int64)
            self.lr: Any = self._schedule or number(given, "lr")
            self.decay = number(decay, "decay")
        self.initial_decay = decay
        self.weights = [self.iterations]

    def get_updates(self, loss: Any, params: list[Any]) -> list[Any]:
        """Returns the operations of one step.

        Args:
            loss: Tensor of a float dtype, of shape [].
            params: list of Variables of float dtypes.

        Returns:
            list of Operations.
        """
        moves = self.get_gradients(loss, params)
        step = self.iterations.read_value()
        rate = self.lr.read_value() if self._schedule is None else self._schedule(step)
        if self.initial_decay > 0:
            rate = rate * (1.0 / (1.0 + self.decay * cast(step, dtypes.float32)))
        updates = [assign_add(self.iterations, 1)]
        for variable, gradient in zip(params, moves, strict=True):
            updates += self._moved(variable, gradient, rate, cast(step, dtypes.float32) + 1)
        self.updates = [u.op for u in updates]
        return self.updates

    @abc.abstractmethod
    def _moved(self, variable: Any, gradient: Any, rate: Any, step: Any) -> list[Any]:
        """Returns the assignments of one variable, at a step that is counted from 1."""

    def _slot(self, variable: Any) -> Any:
        """Returns a variable with another's shape, initially zeros."""
        made = _zeros_like(variable)
        self.weights.append(made)
        return made

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        rate = float(get_value(self.lr)) if self._schedule is None else serialize_schedule(self._schedule)
        return {"lr": rate, "decay": float(get_value(self.decay)), **super().get_config()}

    @property
    def learning_rate(self) -> Any:
        """The learning rate: a Variable of float32, of shape [], or a LearningRateSchedule."""
        return self.lr


def _assigned(variable: Any, value: Any) -> Any:
    constraint = getattr(variable, "constraint", None)
    return assign(variable, value if constraint is None else constraint(value))


class SGD(_Descent):
    """Gradient descent optimizer, with momentum.

    Args:
        lr: float, the learning rate; a variable, whose value can be changed between batches. A LearningRateSchedule
            gives the rate of each step.
        momentum: float, the part of the last move that is made again.
        decay: float, by which the rate is divided by 1 + decay * batches.
        nesterov: bool. If True, the move is Nesterov's.
        **kwargs: as `Optimizer`; `learning_rate`, which stands for `lr`.
    """

    def __init__(
        self,
        lr: float | LearningRateSchedule = 0.01,
        momentum: float = 0.0,
        decay: float = 0.0,
        nesterov: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(lr, decay, **kwargs)
        # TF 1.x: this variable is in the scope of the others.
        with name_scope(f"{self.iterations.op.name.rpartition('/')[0]}/"):
            self.momentum: Any = number(momentum, "momentum")
        self.nesterov = nesterov

    def _moved(self, variable: Any, gradient: Any, rate: Any, step: Any) -> list[Any]:
        last = self._slot(variable)
        move = self.momentum * last - rate * gradient
        new = variable + (self.momentum * move - rate * gradient if self.nesterov else move)
        return [assign(last, move), _assigned(variable, new)]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        return {**super().get_config(), "momentum": float(get_value(self.momentum)), "nesterov": self.nesterov}


class RMSprop(_Descent):
    """RMSprop optimizer: divides gradients by the root of the mean of their squares.

    Args:
        lr: float, the learning rate; a variable, whose value can be changed between batches. A LearningRateSchedule
            gives the rate of each step.
        rho: float, how slowly the mean changes.
        epsilon: float, added to the root; None for 1e-7.
        decay: float, by which the rate is divided by 1 + decay * batches.
        **kwargs: as `Optimizer`; `learning_rate`, which stands for `lr`.
    """

    def __init__(
        self,
        lr: float | LearningRateSchedule = 0.001,
        rho: float = 0.9,
        epsilon: float | None = None,
        decay: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(lr, decay, **kwargs)
        self.rho = rho
        self.epsilon = _epsilon(epsilon)

    def _moved(self, variable: Any, gradient: Any, rate: Any, step: Any) -> list[Any]:
        mean = self._slot(variable)
        new_mean = self.rho * mean + (1.0 - self.rho) * square(gradient)
        new = variable - rate * gradient / (sqrt(new_mean) + self.epsilon)
        return [assign(mean, new_mean), _assigned(variable, new)]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        return {**super().get_config(), "rho": self.rho, "epsilon": self.epsilon}


class Adagrad(_Descent):
    """Adagrad optimizer: divides gradients by the root of the sum of their squares.

    Args:
        lr: float, the learning rate; a variable, whose value can be changed between batches. A LearningRateSchedule
            gives the rate of each step.
        epsilon: float, added to the root; None for 1e-7.
        decay: float, by which the rate is divided by 1 + decay * batches.
        **kwargs: as `Optimizer`; `learning_rate`, which stands for `lr`.
    """

    def __init__(
        self, lr: float | LearningRateSchedule = 0.01, epsilon: float | None = None, decay: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(lr, decay, **kwargs)
        self.epsilon = _epsilon(epsilon)

    def _moved(self, variable: Any, gradient: Any, rate: Any, step: Any) -> list[Any]:
        total = self._slot(variable)
        new_total = total + square(gradient)
        new = variable - rate * gradient / (sqrt(new_total) + self.epsilon)
        return [assign(total, new_total), _assigned(variable, new)]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        return {**super().get_config(), "epsilon": self.epsilon}


class Adadelta(_Descent):
    """Adadelta optimizer: scales gradients by the roots of the means of squared steps and squared gradients.

    Args:
        lr: float, the learning rate; a variable, whose value can be changed between batches. A LearningRateSchedule
            gives the rate of each step.
        rho: float, how slowly the means change.
        epsilon: float, added to the means; None for 1e-7.
        decay: float, by which the rate is divided by 1 + decay * batches.
        **kwargs: as `Optimizer`; `learning_rate`, which stands for `lr`.
    """

    def __init__(
        self,
        lr: float | LearningRateSchedule = 1.0,
        rho: float = 0.95,
        epsilon: float | None = None,
        decay: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(lr, decay, **kwargs)
        self.rho = rho
        self.epsilon = _epsilon(epsilon)

    def _moved(self, variable: Any, gradient: Any, rate: Any, step: Any) -> list[Any]:
        mean, moves = self._slot(variable), self._slot(variable)
        new_mean = self.rho * mean + (1.0 - self.rho) * square(gradient)
        move = gradient * sqrt(moves + self.epsilon) / sqrt(new_mean + self.epsilon)
        new_moves = self.rho * moves + (1.0 - self.rho) * square(move)
        new = variable - rate * move
        return [assign(mean, new_mean), assign(moves, new_moves), _assigned(variable, new)]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        return {**super().get_config(), "rho": self.rho, "epsilon": self.epsilon}


class Adam(_Descent):
    """Adam optimizer: divides the gradients' running mean by the root of their running mean square.

    Args:
        lr: float, the learning rate; a variable, whose value can be changed between batches. A LearningRateSchedule
            gives the rate of each step.
        beta_1: float, how slowly the mean of gradients changes.
        beta_2: float, how slowly the mean of squared gradients changes.
        epsilon: float, added to the root; None for 1e-7.
        decay: float, by which the rate is divided by 1 + decay * batches.
        amsgrad: bool. If True, the largest mean of squared gradients so far is taken.
        **kwargs: as `Optimizer`; `learning_rate`, which stands for `lr`.

    Source: Kingma, Ba, Adam, 2014; Reddi, Kale, Kumar, On the Convergence of Adam and Beyond, 2018.
    """

    def __init__(
        self,
        lr: float | LearningRateSchedule = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = None,
        decay: float = 0.0,
        amsgrad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(lr, decay, **kwargs)
        self.beta_1, self.beta_2 = beta_1, beta_2
        self.epsilon = _epsilon(epsilon)
        self.amsgrad = amsgrad

    def _moved(self, variable: Any, gradient: Any, rate: Any, step: Any) -> list[Any]:
        mean, squares = self._slot(variable), self._slot(variable)
        rate = rate * (sqrt(1.0 - power(self.beta_2, step)) / (1.0 - power(self.beta_1, step)))
        new_mean = self.beta_1 * mean + (1.0 - self.beta_1) * gradient
        new_squares = self.beta_2 * squares + (1.0 - self.beta_2) * square(gradient)
        updates = [assign(mean, new_mean), assign(squares, new_squares)]
        if self.amsgrad:
            largest = self._slot(variable)
            new_squares = maximum(largest, new_squares)
            updates.append(assign(largest, new_squares))
        new = variable - rate * new_mean / (sqrt(new_squares) + self.epsilon)
        return [*updates, _assigned(variable, new)]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        own = {"beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon, "amsgrad": self.amsgrad}
        return {**super().get_config(), **own}


class Adamax(_Descent):
    """Adamax optimizer: Adam with a decaying maximum of gradients instead of the root.

    Args:
        lr: float, the learning rate; a variable, whose value can be changed between batches. A LearningRateSchedule
            gives the rate of each step.
        beta_1: as `Adam`.
        beta_2: float, how slowly the largest gradient decays.
        epsilon: float, added to it; None for 1e-7.
        decay: float, by which the rate is divided by 1 + decay * batches.
        **kwargs: as `Optimizer`; `learning_rate`, which stands for `lr`.

    Source: Kingma, Ba, Adam, 2014.
    """

    def __init__(
        self,
        lr: float | LearningRateSchedule = 0.002,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = None,
        decay: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(lr, decay, **kwargs)
        self.beta_1, self.beta_2 = beta_1, beta_2
        self.epsilon = _epsilon(epsilon)

    def _moved(self, variable: Any, gradient: Any, rate: Any, step: Any) -> list[Any]:
        mean, largest = self._slot(variable), self._slot(variable)
        new_mean = self.beta_1 * mean + (1.0 - self.beta_1) * gradient
        new_largest = maximum(self.beta_2 * largest, absolute(gradient))
        rate = rate / (1.0 - power(self.beta_1, step))
        new = variable - rate * new_mean / (new_largest + self.epsilon)
        return [assign(mean, new_mean), assign(largest, new_largest), _assigned(variable, new)]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        own = {"beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon}
        return {**super().get_config(), **own}


class Nadam(Optimizer):
    """Nadam optimizer: Adam with Nesterov's momentum and a warm-up.

    Args:
        lr: float, the learning rate; a variable, whose value can be changed between batches.
        beta_1: float, how slowly the mean of gradients changes, once it is warm.
        beta_2: float, how slowly the mean of squared gradients changes.
        epsilon: float, added to the root; None for 1e-7.
        schedule_decay: float, how fast `beta_1` is approached.
        **kwargs: as `Optimizer`.

    Source: Dozat, Incorporating Nesterov Momentum into Adam, 2016.

    Raises:
        ValueError: if `lr` is a LearningRateSchedule.
    """

    def __init__(
        self,
        lr: float = 0.002,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = None,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        lr = kwargs.pop("learning_rate", lr)
        if isinstance(lr, LearningRateSchedule):
            raise ValueError(
                "The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the learning rate."
            )
        super().__init__(**kwargs)
        with name_scope(type(self).__name__):
            self.iterations = number(0, "iterations", dtypes.int64)
            # The product of the momenta of all steps so far.
            self.m_schedule = number(1.0, "m_schedule")
            self.lr: Any = number(lr, "lr")
            self.beta_1 = number(beta_1, "beta_1")
            self.beta_2 = number(beta_2, "beta_2")
        self.epsilon = _epsilon(epsilon)
        self.schedule_decay = schedule_decay

    def get_updates(self, loss: NestedTensors, params: list[Any]) -> list[Any]:
        """Returns the operations of one step.

        Args:
            loss: Tensor of a float dtype, of shape [].
            params: list of Variables of float dtypes.

        Returns:
            list of Operations.
        """
        found = self.get_gradients(loss, params)
        step = cast(self.iterations.read_value(), dtypes.float32) + 1.0
        rate, beta_1, beta_2 = (x.read_value() for x in (self.lr, self.beta_1, self.beta_2))
        now, after = (beta_1 * (1.0 - 0.5 * power(0.96, t * self.schedule_decay)) for t in (step, step + 1.0))
        product = self.m_schedule.read_value() * now
        updates = [assign_add(self.iterations, 1), assign(self.m_schedule, product)]
        slots = [[_zeros_like(variable) for variable in params] for _ in range(2)]
        self.weights = [self.iterations, *slots[0], *slots[1]]
        for variable, gradient, mean, squares in zip(params, found, *slots, strict=True):
            new_mean = beta_1 * mean + (1.0 - beta_1) * gradient
            new_squares = beta_2 * squares + (1.0 - beta_2) * square(gradient)
            move = (1.0 - now) * gradient / (1.0 - product) + after * new_mean / (1.0 - product * after)
            root = sqrt(new_squares / (1.0 - power(beta_2, step))) + self.epsilon
            updates += [assign(mean, new_mean), assign(squares, new_squares)]
            updates.append(_assigned(variable, variable - rate * move / root))
        self.updates = [u.op for u in updates]
        return self.updates

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor as they are now."""
        numbers = {name: float(get_value(getattr(self, name))) for name in ("lr", "beta_1", "beta_2")}
        own = {"epsilon": self.epsilon, "schedule_decay": self.schedule_decay}
        return {**super().get_config(), **numbers, **own}


class _GraphOptimizer(Optimizer):
    """An optimizer of `tf.train` with the interface of Keras's optimizers."""

    def __init__(self, optimizer: graph_optimizer.Optimizer) -> None:
        super().__init__()
        self.optimizer = optimizer

    def get_updates(self, loss: Any, params: list[Any]) -> list[Any]:
        """Returns the operations of one step."""
        self.updates = [self.optimizer.minimize(loss, var_list=params)]
        return self.updates

    def get_config(self) -> dict[str, Any]:
        """Raises an error: optimizers of `tf.train` do not keep their arguments."""
        raise NotImplementedError(
            f"{type(self.optimizer).__name__} does not keep its arguments; use an optimizer of Keras."
        )


def _zeros_like(variable: Any) -> Any:
    """Returns a variable of zeros with another's dtype and shape."""
    shape = variable.get_shape().as_list()
    return Variable(np.zeros(shape, variable.dtype.base_dtype.as_numpy_dtype), trainable=False)


def _epsilon(given: float | None) -> float:
    return epsilon() if given is None else given


_CLASSES = {c.__name__.lower(): c for c in (SGD, RMSprop, Adagrad, Adadelta, Adam, Adamax, Nadam)}


def serialize(optimizer: Any) -> dict[str, Any]:
    """Returns the class of an optimizer and its arguments as they are now.

    Args:
        optimizer: Optimizer of Keras's.

    Returns:
        dict of `class_name` and `config`.

    Raises:
        NotImplementedError: if the optimizer is one of `tf.train`.
    """
    return {"class_name": type(optimizer).__name__, "config": get(optimizer).get_config()}


def deserialize(config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Creates an optimizer from the result of `serialize`.

    Args:
        config: dict of `class_name`, in any case of letters, and `config`, dict of the arguments.
        custom_objects: dict of the program's classes by name, or None.

    Returns:
        Optimizer.

    Raises:
        ValueError: if the name is unknown.
    """
    name = config["class_name"]
    known = {**_CLASSES, **(custom_objects or {})}
    cls = find("optimizer", name if name in known else name.lower(), known)
    return cls.from_config(dict(config.get("config", {})))


def get(identifier: str) -> Any:
    """Finds an optimizer by its name, in any case of letters.

    Args:
        identifier: str, the name; dict, as `deserialize` takes it; an optimizer of Keras's or `tf.train`'s stands for
            itself.

    Returns:
        Optimizer.

    Raises:
        ValueError: if the name is unknown, or the value is neither a name nor an optimizer.
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, graph_optimizer.Optimizer):
        return _GraphOptimizer(identifier)
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if not isinstance(identifier, str):
        raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
    return find("optimizer", identifier.lower(), _CLASSES)()
