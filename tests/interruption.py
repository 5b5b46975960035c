"""Ends a step at a chosen check of its watch, as a signal or a time limit would."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import ferroflow as tf
from ferroflow import _core

MANY = 1_000_000_000


def checked(step: Callable[[], Any]) -> tuple[Any, int]:
    """Runs a step that nothing ends; its value and the number of checks that it makes."""
    _core.interrupt_at(MANY)
    try:
        value = step()
    finally:
        left = _core.checks_left()
    return value, MANY - left


def attempt(step: Callable[[], Any], at: int) -> list[Any]:
    """Runs a step that ends at check number `at`, counted from 1; its value, or nothing if it was interrupted."""
    _core.interrupt_at(at)
    try:
        value = [step()]
    except tf.errors.DeadlineExceededError:
        value = []
    finally:
        left = _core.checks_left()
    assert not value or left > 0, "a step went on after it was interrupted"
    return value


def checks_of(step: Callable[[], Any]) -> int:
    """The number of checks that a step makes when nothing ends it."""
    return checked(step)[1]


def interrupted(step: Callable[[], Any], at: int) -> bool:
    """Runs a step that ends at check number `at`, counted from 1; False if it ends of itself before."""
    return not attempt(step, at)


def places(checks: int, how_many: int, seed: str) -> Iterator[int]:
    """The first, the last and randomly chosen ones of a number of checks."""
    chosen = random.Random(seed)
    yield from sorted({1, checks, *(chosen.randint(1, checks) for _ in range(how_many))})
