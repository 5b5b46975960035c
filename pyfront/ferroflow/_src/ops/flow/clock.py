"""The time of day as a tensor."""

from __future__ import annotations

from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Tensor


def timestamp(name: str | None = None) -> Tensor:
    """Returns the seconds since 1970 began, in UTC, when the step runs.

    Args:
        name: str, name of the operation.

    Returns:
        Tensor of float64, of shape [].
    """
    return tensor_op("Timestamp", [], name=name)
