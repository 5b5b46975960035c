"""Modes for the copies of a variable in several replicas, which are recorded with the variable."""

from __future__ import annotations

import enum
from typing import Any


class VariableSynchronization(enum.Enum):
    """Times at which the copies of a variable are made equal."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """Ways to combine several replicas' updates of a variable."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3

    def __hash__(self) -> int:
        return hash(self.value)


def resolve_modes(
    synchronization: Any, aggregation: Any, trainable: bool | None, name: str | None
) -> tuple[VariableSynchronization, VariableAggregation, bool]:
    """Returns the modes with their defaults filled in.

    Args:
        synchronization: a `VariableSynchronization`, its number, or None for `AUTO`.
        aggregation: a `VariableAggregation`, its number, or None for `NONE`.
        trainable: bool, or None for whether the variable is not one that is synchronized on reads.
        name: str, the variable's name, for messages.

    Returns:
        (synchronization, aggregation, trainable).

    Raises:
        ValueError: if a mode is not a member of its enumeration.
    """
    try:
        aggregation = VariableAggregation(0 if aggregation is None else aggregation)
    except ValueError:
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}") from None
    try:
        synchronization = VariableSynchronization(0 if synchronization is None else synchronization)
    except ValueError:
        raise ValueError(f"Invalid variable synchronization mode: {synchronization} for variable: {name}") from None
    if trainable is None:
        trainable = synchronization is not VariableSynchronization.ON_READ
    return synchronization, aggregation, trainable


def resolve_trainable(synchronization: Any, aggregation: Any, trainable: bool | None, name: str | None) -> bool:
    """Returns True if a weight with these modes is trained.

    Args:
        synchronization: as for `resolve_modes`.
        aggregation: as for `resolve_modes`.
        trainable: as for `resolve_modes`.
        name: str, the variable's name, for messages.

    Returns:
        bool.

    Raises:
        ValueError: if a mode is not a member of its enumeration, or the weight is synchronized on reads and trained.
    """
    synchronization, _, is_trained = resolve_modes(synchronization, aggregation, trainable, name)
    if is_trained and synchronization is VariableSynchronization.ON_READ:
        raise ValueError(
            "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable variables. You "
            "have specified trainable=True and synchronization=VariableSynchronization.ON_READ."
        )
    return is_trained
