"""The twenty models as modules of torch, in eager mode or compiled by `torch.compile`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from . import graphs, language, vision
from .parts import Model, set_exact
from .weights import load

# By the names of the TensorFlow 1 programs.
MODELS: dict[str, Model] = {**vision.MODELS, **language.MODELS, **graphs.MODELS}


def prepared(
    name: str, large: bool, weights: dict[str, Any], batch: list[Any], threads: int, compile: bool
) -> tuple[float, Callable[[], float]]:
    """Returns the loss before the first step, with nothing random, and the training step.

    Pictures are in memory as in TensorFlow, which torch calls channels_last: its fastest layout for convolutions.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = MODELS[name]
    module = model.make(large)
    load(module, weights)
    for kernel in module.parameters():
        if kernel.ndim == 4:
            kernel.data = kernel.data.contiguous(memory_format=torch.channels_last)
    set_exact(module, True)
    with torch.no_grad():
        exact = float(_first(module(*map(torch.from_numpy, batch))))
    set_exact(module, False)
    optimizer = model.optimizer(module.trained())
    if compile:
        module.compile()

    def step() -> float:
        optimizer.zero_grad()
        found = module(*map(torch.from_numpy, batch))
        module.differentiate(found)
        optimizer.step()
        return float(_first(found).detach())

    return exact, step


def _first(found: Any) -> Any:
    return found[0] if isinstance(found, tuple) else found
