"""Inputs of written calls: random numbers of a shape, and given ones."""

from __future__ import annotations

from typing import Any, NamedTuple

from differential.writing import Data, array

Inputs = dict[str, Any]
Call = tuple[str, Inputs, dict[str, Any]]


class Numbers(NamedTuple):
    """An input: random numbers between two bounds.

    Attributes:
        shape: its dimensions.
        low: the least number.
        high: what is greater than all.
        dtype: the type of the numbers.
    """

    shape: tuple[int, ...]
    low: float = -2
    high: float = 2
    dtype: str = "float32"


def reals(*shape: int, low: float = -2, high: float = 2, dtype: str = "float32") -> Numbers:
    return Numbers(shape, low, high, dtype)


def whole(low: int, high: int, *shape: int, dtype: str = "int32") -> Numbers:
    return Numbers(shape, low, high, dtype)


def floats(*values: Any) -> Data:
    return array(values[0] if len(values) == 1 else list(values), "float32")


def numbers(values: Any, dtype: str = "int32") -> Data:
    return array(values, dtype)


def words(*words: bytes) -> Data:
    return array(list(words), "string")
