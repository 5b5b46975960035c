"""The example of an op of users."""

from __future__ import annotations

from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.handles import Tensor


def my_fact() -> Tensor:
    """Returns a fact about factorials.

    Returns:
        Tensor of string, of shape [].
    """
    return constant(b"0! == 1", name="Fact")
