"""The update of a moving average by a value."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.replication import averaged_over_replicas
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.state.assigning import assign_sub


def assign_moving_average(variable: Any, value: Any, momentum: Any) -> Tensor:
    """Moves a variable towards a value: `variable -= (variable - value) * (1 - momentum)`.

    Under a strategy it is the mean of all replicas' values, so that all replicas have the same average.

    Args:
        variable: Variable of a float dtype.
        value: Tensor of its dtype and shape.
        momentum: float, or Tensor of shape []: how much of the variable stays.

    Returns:
        Tensor, the variable after the update.
    """
    with name_scope(None, "AssignMovingAvg", [variable, value, momentum]) as scope, colocate_with(variable):
        decay = cast(convert_to_tensor(1.0 - momentum, name="decay"), variable.dtype.base_dtype)
        value = averaged_over_replicas(value)
        moved: Tensor = assign_sub(variable, (variable - value) * decay, name=scope)
        return moved
