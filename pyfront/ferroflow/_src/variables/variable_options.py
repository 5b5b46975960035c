"""`VariableOptions`: the arguments of `get_variable` except the name, as one record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization


class VariableOptions(NamedTuple):
    """The arguments of `get_variable` after the name, in its order; None if not given.

    `tf.get_variable` documents them.
    """

    shape: Any = None
    dtype: Any = None
    initializer: Any = None
    regularizer: Callable[..., Any] | None = None
    reuse: Any = None
    trainable: bool | None = None
    collections: Any = None
    caching_device: Any = None
    partitioner: Callable[..., Any] | None = None
    validate_shape: bool = True
    use_resource: bool | None = None
    constraint: Callable[..., Any] | None = None
    synchronization: Any = VariableSynchronization.AUTO
    aggregation: Any = VariableAggregation.NONE

    def over(self, defaults: VariableOptions) -> VariableOptions:
        """Returns the options, with those of `defaults` where this record has None."""
        return VariableOptions(*(other if own is None else own for own, other in zip(self, defaults, strict=True)))
