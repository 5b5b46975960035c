"""The update of a moving average by a value, which a mode may switch off."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import zeros_like
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.state.assigning import assign_sub


def assign_moving_average(variable: Any, value: Any, momentum: Any, training: bool | Tensor) -> Tensor:
    """Moves a variable towards a value: `variable -= (variable - value) * (1 - momentum)`.

    Args:
        variable: Variable of a float dtype.
        value: Tensor of its dtype and shape.
        momentum: float, or Tensor of shape []: how much of the variable stays.
        training: True, or Tensor of bool of shape []: where it is False, the variable stays as it is.

    Returns:
        Tensor, the variable after the update.
    """
    with name_scope(None, "AssignMovingAvg", [variable, value, momentum]) as scope:
        decay = cast(convert_to_tensor(1.0 - momentum, name="decay"), variable.dtype.base_dtype)
        step = (variable - value) * decay
        if training is not True:
            step = where(training, step, zeros_like(step))
        moved: Tensor = assign_sub(variable, step, name=scope)
        return moved
