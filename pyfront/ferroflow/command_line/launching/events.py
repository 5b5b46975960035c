"""Events of tasks: printed lines, and their end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from ferroflow.command_line.launching.tasks import Task


class Printed(NamedTuple):
    """A line of a task.

    Args:
        task: Task.
        line: bytes, without the end of the line.
        is_error: bool; True for text of the standard error.
    """

    task: Task
    line: bytes
    is_error: bool


class Ended(NamedTuple):
    """The end of a task, with its exit status.

    Args:
        task: Task.
        status: int, the exit status.
        lost: bool; True if the task's machine was lost, so that the task cannot be started there again.
    """

    task: Task
    status: int
    lost: bool = False


Event = Printed | Ended


class Tasks(Protocol):
    """A place where tasks run: this machine, or a Ray cluster."""

    def addresses(self, tasks: Sequence[Task]) -> dict[Task, str]:
        """Returns an address for each task. None of them runs; a second call may find other machines."""
        ...

    def start(self, task: Task, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Starts a task."""
        ...

    def signal(self, task: Task, number: int) -> None:
        """Sends a signal to a task that was started."""
        ...

    def events(self, timeout: float) -> Iterator[Event]:
        """Yields the events since the last call; waits for them, at most `timeout` seconds."""
        ...

    def close(self) -> None:
        """Drops the tasks."""
        ...
