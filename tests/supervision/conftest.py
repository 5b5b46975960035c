"""What tests of supervision share: a graph of their own, a clock that they set, and what was logged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ferroflow as tf
from ferroflow._src.base import tf_logging
from ferroflow._src.supervision import session_manager, supervisor_services, wrapped_session
from ferroflow._src.supervision.hooks import global_step_waiter, timers


class Clock:
    """A clock that stands still but for sleeping and `advance`."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.sleeps: list[float] = []

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (session_manager, supervisor_services, wrapped_session, global_step_waiter, timers):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as graph:
        yield graph
    tf.summary.FileWriterCache.clear()


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []

    def log(msg: Any, *args: Any, **_: Any) -> None:
        lines.append(str(msg) % args if args else str(msg))

    for level in ("info", "warning", "error"):
        monkeypatch.setattr(tf_logging, level, log)
    return lines
