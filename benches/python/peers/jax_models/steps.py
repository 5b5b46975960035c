"""Optimizers and training steps of JAX models: one compiled function for forward pass, gradients and update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from .parts import Net

Weights = dict[str, Any]


class State(NamedTuple):
    """All that a step changes: weights, the optimizer's slots, moving averages, the number of steps and a key."""

    weights: Weights
    slots: tuple[Weights, ...]
    moving: Weights
    steps: Any
    key: Any


class Optimizer(NamedTuple):
    """The initial values of the slots, and the rule for one array: (weight, gradient, slots, steps) to new values."""

    starts: tuple[float, ...]
    rule: Callable[..., tuple[Any, ...]]


class Model(NamedTuple):
    """A loss, an optimizer, the gradients where they are not those of one loss, and which weights are trained.

    `gradients` takes a function of weights, which returns a loss and other values, and the weights.
    It returns the function's results and the gradients.
    """

    loss: Callable[..., Any]
    optimizer: Optimizer
    gradients: Callable[..., Any] = lambda loss, weights: jax.value_and_grad(loss, has_aux=True)(weights)
    trained: Callable[[str], bool] = lambda name: True


def adam(rate: float, beta1: float = 0.9) -> Optimizer:
    """Returns Adam."""

    def rule(w: Any, g: Any, m: Any, v: Any, steps: Any) -> tuple[Any, ...]:
        m, v = beta1 * m + (1 - beta1) * g, 0.999 * v + 0.001 * g * g
        scale = rate * jnp.sqrt(1 - 0.999**steps) / (1 - beta1**steps)
        return w - scale * m / (jnp.sqrt(v) + 1e-8), m, v

    return Optimizer((0.0, 0.0), rule)


def momentum(rate: float, decay: float) -> Optimizer:
    """Returns gradient descent with momentum."""

    def rule(w: Any, g: Any, m: Any, steps: Any) -> tuple[Any, ...]:
        m = decay * m + g
        return w - rate * m, m

    return Optimizer((0.0,), rule)


def rms_prop(rate: float, decay: float, momentum: float = 0.0, epsilon: float = 1e-10) -> Optimizer:
    """Returns RMSProp, whose slots begin at one and zero as TensorFlow's."""

    def rule(w: Any, g: Any, v: Any, m: Any, steps: Any) -> tuple[Any, ...]:
        v = decay * v + (1 - decay) * g * g
        m = momentum * m + rate * g / jnp.sqrt(v + epsilon)
        return w - m, v, m

    return Optimizer((1.0, 0.0), rule)


def gradient_descent(rate: float) -> Optimizer:
    """Returns gradient descent."""
    return Optimizer((), lambda w, g, steps: (w - rate * g,))


def ftrl(rate: float, l1: float) -> Optimizer:
    """Returns FTRL, whose slots begin as TensorFlow's."""

    def rule(w: Any, g: Any, squares: Any, linear: Any, steps: Any) -> tuple[Any, ...]:
        new = squares + g * g
        linear = linear + g - (jnp.sqrt(new) - jnp.sqrt(squares)) / rate * w
        w = jnp.where(jnp.abs(linear) > l1, (jnp.sign(linear) * l1 - linear) * rate / jnp.sqrt(new), 0)
        return w, new, linear

    return Optimizer((0.1, 0.0), rule)


def exact_loss(model: Model, weights: Weights, batch: list[Any], large: bool) -> float:
    """Returns the loss before the first step, with nothing random."""

    def loss(weights: Weights, batch: list[Any]) -> Any:
        return model.loss(Net(weights, {}, jax.random.key(1), True, large), *batch)

    found = jax.jit(loss)(weights, batch)
    return float(found[0] if isinstance(found, tuple) else found)


class Step:
    """The training step of a model, compiled, which takes the state's memory for the next state."""

    def __init__(self, model: Model, weights: Weights, batch: list[Any], large: bool) -> None:
        self._model, self._large = model, large
        rows, moving = self._used(weights, batch)
        self._rows = rows
        trained = [name for name in weights if model.trained(name)]
        starts = model.optimizer.starts
        slots = tuple({name: jnp.full_like(weights[name], value) for name in trained} for value in starts)
        self.state = State(weights, slots, moving, jnp.zeros([], jnp.int32), jax.random.key(1))
        self._compiled = jax.jit(self._step, donate_argnums=0)

    def __call__(self, batch: list[Any]) -> float:
        """Trains by one step, waits for its end and returns the loss."""
        loss, self.state = self._compiled(self.state, batch)
        jax.block_until_ready(self.state)
        return float(loss)

    def _used(self, weights: Weights, batch: list[Any]) -> tuple[Weights, Weights]:
        """Returns the shapes of the rows that a step reads by table, and the initial moving averages."""
        read: set[str] = set()

        def used(weights: Weights) -> tuple[Weights, Weights]:
            net = Net(weights, {}, jax.random.key(1), False, self._large)
            self._model.loss(net, *batch)
            read.update(net.read)
            return {name: weights[name][ids] for name, ids in net.ids.items()}, net.moved

        rows, averages = jax.eval_shape(used, weights)
        if unread := weights.keys() - read:
            raise ValueError(f"the model does not use the variables {sorted(unread)}")
        return rows, {name: jnp.full(x.shape, name.endswith("variance"), x.dtype) for name, x in averages.items()}

    def _step(self, state: State, batch: list[Any]) -> tuple[Any, State]:
        key, own = jax.random.split(state.key)
        optimizer, steps = self._model.optimizer, state.steps + 1

        def loss(trained: Weights) -> tuple[Any, tuple[Weights, Weights]]:
            dense = {name: w for name, w in trained.items() if name not in self._rows}
            net = Net({**state.weights, **dense}, state.moving, own, False, self._large)
            net.changes = {name: trained[name] for name in self._rows}
            return self._model.loss(net, *batch), (net.moved, net.ids)

        trained = {name: w for name, w in state.weights.items() if self._model.trained(name)}
        trained |= {name: jnp.zeros(x.shape, x.dtype) for name, x in self._rows.items()}
        (value, (moving, ids)), gradients = self._model.gradients(loss, trained)
        weights, slots = dict(state.weights), tuple(dict(slot) for slot in state.slots)
        for name, g in gradients.items():
            old = (weights[name], *(slot[name] for slot in slots))
            new = _rows_updated(optimizer, old, g, ids[name], steps) if name in ids else None
            weights[name], *values = new or optimizer.rule(old[0], g, *old[1:], steps)
            for slot, x in zip(slots, values, strict=True):
                slot[name] = x
        return value, State(weights, slots, moving, steps, key)


def _rows_updated(optimizer: Optimizer, old: tuple[Any, ...], g: Any, ids: Any, steps: Any) -> tuple[Any, ...]:
    """Returns a table and its slots, of which only the rows that were read have changed."""
    if not optimizer.starts:
        return (old[0].at[ids].add(optimizer.rule(jnp.zeros_like(g), g, steps)[0]),)
    count = ids.shape[0]
    # An id past the end stands where ids were equal: its rows are read as ones and not written.
    unique, places = jnp.unique(ids, size=count, fill_value=old[0].shape[0], return_inverse=True)
    total = jax.ops.segment_sum(g, places.reshape(-1), count)
    found = [array.at[unique].get(mode="fill", fill_value=1) for array in old]
    new = optimizer.rule(found[0], total, *found[1:], steps)
    return tuple(a.at[unique].set(x, mode="drop", unique_indices=True) for a, x in zip(old, new, strict=True))
