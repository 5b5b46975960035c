"""`UnconnectedGradients`: the gradient of a variable on which nothing depends."""

from __future__ import annotations

import enum


class UnconnectedGradients(enum.Enum):
    """The gradient of an x that no y depends on."""

    NONE = "none"
    ZERO = "zero"


def checked_unconnected(value: object) -> UnconnectedGradients:
    """Returns the member of the enumeration that `value` is or is the value of.

    Raises:
        ValueError: if `value` is not a member of `UnconnectedGradients`, nor a member's value.
    """
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None
