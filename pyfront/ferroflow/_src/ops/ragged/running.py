"""Ragged tensors as fetches and feeds of sessions: importing this module makes them ones."""

from __future__ import annotations

from typing import Any

from ferroflow._src.ops.ragged.tensor import RaggedTensor
from ferroflow._src.ops.ragged.value import RaggedTensorValue
from ferroflow._src.session.fetches import register_session_run_conversion_functions

__all__: list[str] = []


def components(ragged: RaggedTensor | RaggedTensorValue) -> list[Any]:
    """Returns the splits, outermost first, and the values."""
    return [*ragged.nested_row_splits, ragged.flat_values]


def _value_of(parts: list[Any]) -> Any:
    *nested, value = parts
    for splits in reversed(nested):
        value = RaggedTensorValue(value, splits)
    return value


register_session_run_conversion_functions(
    RaggedTensor,
    lambda fetch: (components(fetch), _value_of),
    lambda key, value: list(zip(components(key), components(value), strict=False)),
    components,
)
