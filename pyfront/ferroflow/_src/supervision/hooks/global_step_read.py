"""The global step for hooks."""

from __future__ import annotations

from ferroflow._src.framework.handles import Tensor
from ferroflow._src.training.global_step import get_or_create_global_step_read


def global_step_read_for(user: str) -> Tensor:
    """Returns the tensor that reads the global step of the default graph.

    Args:
        user: str, the class that needs it.

    Raises:
        RuntimeError: if there is no global step.
    """
    read = get_or_create_global_step_read()
    if read is None:
        raise RuntimeError(f"Global step should be created to use {user}.")
    return read
