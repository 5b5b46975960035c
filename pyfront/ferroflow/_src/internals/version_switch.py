"""`tensorflow.python.tf2` and `compat.compat`: which TensorFlow a process has the behaviour of."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator
from typing import Final

from ferroflow._src.base.behavior import enable_v2_behavior as enable

__all__ = ["disable", "enable", "enabled", "forward_compatibility_horizon", "forward_compatible"]

# TensorFlow 1.15's own: what was added later is behind the horizon.
_HORIZON: Final = datetime.date(2019, 8, 1)
_shift = [datetime.timedelta()]


def enabled() -> bool:
    """Returns False: the behaviour is that of TensorFlow 1."""
    return False


def disable() -> None:
    """Does nothing: the behaviour is that of TensorFlow 1."""


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Returns True if a feature of that day may be used in graphs that TensorFlow 1.15 is to read.

    Args:
        year: int.
        month: int.
        day: int.

    Returns:
        bool.
    """
    return _HORIZON + _shift[0] > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Opens a context in which `forward_compatible` counts from another day.

    Args:
        year: int.
        month: int.
        day: int.
    """
    before, _shift[0] = _shift[0], datetime.date(year, month, day) - _HORIZON
    try:
        yield
    finally:
        _shift[0] = before
