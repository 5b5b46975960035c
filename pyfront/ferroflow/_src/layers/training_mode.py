"""Training mode of a layer: known when the graph is built, or only in the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import BoolLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.control_flow.static_choice import smart_constant_value
from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.learning_phase import learning_phase


def training_mode(training: BoolLike | None) -> bool | Tensor:
    """Returns the argument `training` of a call as what it is: a bool if it is known, else a Tensor of bool.

    Args:
        training: bool, 0 or 1, or Tensor or Variable of bool, of shape []; None for the learning phase of Keras. A
            Tensor whose value is known may also be of a number dtype.

    Returns:
        bool or Tensor of bool.

    Raises:
        TypeError: if `training` is not one of these.
    """
    if training is None:
        training = learning_phase()
    if not is_tensor(training):
        if not isinstance(training, (bool, int, float, np.bool_, np.number)) or training not in (0, 1):
            raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {training}")
        return bool(training)
    tensor = convert_to_tensor(training)
    known = smart_constant_value(tensor)
    if known is None and tensor.dtype.base_dtype != dtypes.bool:
        raise TypeError(
            f"Input 'pred' of 'Switch' Op has type {tensor.dtype.base_dtype.name} that does not match expected type of "
            "bool."
        )
    return tensor if known is None else known


def choose(training: bool | Tensor, trained: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """Returns one of two values, by the mode. If the step decides, only the operations of the chosen one run.

    Args:
        training: bool, or Tensor of bool of shape [].
        trained: callable that gives a Tensor, or a tuple of them.
        otherwise: callable that gives one of the same dtypes and shapes.

    Returns:
        Tensor, or a tuple of them.
    """
    if isinstance(training, bool):
        return trained() if training else otherwise()
    return cond(training, trained, otherwise)
