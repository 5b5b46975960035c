"""Twenty models of TensorFlow 1 programs, each written once for ferroflow and TensorFlow 1.15 and 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import graphs, language, vision
from .parts import Model

# Each takes the library, and whether the model has its larger size.
MODELS: dict[str, Callable[[Any, bool], Model]] = {}
for _module in (vision, language, graphs):
    MODELS.update(_module.MODELS)
