"""The twenty models as pure functions of JAX, whose steps are compiled with donated parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from . import graphs, language, vision
from .steps import Model, Step, exact_loss

# By the names of the TensorFlow 1 programs.
MODELS: dict[str, Model] = {**vision.MODELS, **language.MODELS, **graphs.MODELS}


def prepared(
    name: str, large: bool, weights: dict[str, Any], batch: list[Any], threads: int, compile: bool
) -> tuple[float, Callable[[], float]]:
    """Returns the loss before the first step, with nothing random, and the training step.

    The number of threads is that of the processors that the process may use. Every step is compiled.
    """
    model, start = MODELS[name], {key: jnp.array(value) for key, value in weights.items()}
    exact, step = exact_loss(model, start, batch, large), Step(model, start, batch, large)
    return exact, lambda: step(batch)
